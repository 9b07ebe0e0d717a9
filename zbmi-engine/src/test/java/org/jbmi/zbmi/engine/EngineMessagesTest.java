package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jbmi.zbmi.protocol.SegmentMap.SERVER_SESSION;

import org.jbmi.zbmi.engine.port.EngineRecorder;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;

/** Messages do what they stand for, and whatever comes is recorded. */
@Timeout(30)
class EngineMessagesTest extends EngineFixture {
    private final Message m = new Message();

    private void from(int session) {
        engine.receive(session, m, nowNs);
    }

    @Test
    void aDisarmEndsAWait() {
        ClientRequests.test(m, 9, 100);
        from(A);
        ClientRequests.disarm(m, 9);
        from(A);
        nowNs += 100 * MS;
        engine.tick(nowNs);
        saidNothing();
    }

    @Test
    void aWithdrawTakesAMessageBack() {
        send(A, 1, 5, 10);
        ClientRequests.withdraw(m, output.lastOperationId, 1);
        from(A);
        assertThat(engine.pendingOperations()).isZero();
    }

    @Test
    void aDeadlineIsMinded() {
        sendEager(A, 1, 5, 10, 0, 42);
        ClientRequests.expires(m, output.lastOperationId, 1, 50);
        output.take();
        from(A);
        nowNs += 50 * MS;
        engine.tick(nowNs);
        said("c1 failed 1 for 0: ETIMEDOUT");
    }

    @Test
    void postsOfTheServerGoTheirWay() {
        receive(A, 1, 5, 10);
        send(A, 2, 5, 10);
        test(A, 60_000);
        output.take();
        ServerRequests.post(m, ServerRequests.POST_SEND, 1, 70, A, 11, 5, ServerRequests.NEVER, 10);
        ServerRequests.place(m, EXPECTED, 0, 0);
        from(SERVER_SESSION);
        said("c1 grant 1 for 0: 10");
        ServerRequests.post(
                m, ServerRequests.POST_RECEIVE, 2, 71, A, 11, 5, ServerRequests.NEVER, 10);
        ServerRequests.place(m, EXPECTED, 0, 0);
        from(SERVER_SESSION);
        said("c1 grant 2 for 0: 10");
    }

    @Test
    void theServerGivesMemoryBackAndSaysGoodbye() {
        unexpectedInline(A, 1, 5, 99);
        ServerRequests.unexpectedFree(m, output.arrived.getLast().offset());
        from(SERVER_SESSION);
        assertThat(engine.liveUnexpectedBlocks()).isZero();
        output.take();
        assertThat(engine.isServerAttached()).isTrue();
        ServerRequests.finish(m, 77);
        from(SERVER_SESSION);
        said("s finished for 77: 0");
        assertThat(engine.isServerAttached()).isFalse();
    }

    @Test
    void whateverComesIsRecorded() {
        List<String> lines = new ArrayList<>();
        EngineRecorder recorder =
                new EngineRecorder() {
                    @Override
                    public void message(int session, Message message, long now) {
                        lines.add("message " + session + " " + message + " " + now);
                    }

                    @Override
                    public void event(Event event, int session, long first, long second) {
                        lines.add(event + " " + session + " " + first + " " + second);
                    }
                };
        Engine recorded = new Engine(limits(), output, null, payload, recorder);
        recorded.serverAttached(2);
        recorded.introduced(1, 4711);
        recorded.clientAttached(1, 11);
        recorded.receive(1, ClientRequests.disarm(m, 15), 5);
        recorded.tick(9);
        recorded.clientGone(1, -5, false);
        recorded.clientProvedDead(1);
        recorded.clientAttached(2, 12);
        recorded.clientGone(2, -6, true);
        recorded.serverGone(false);
        recorded.serverProvedDead();
        recorded.serverGone(true);
        assertThat(lines)
                .containsExactly(
                        "SERVER_ATTACHED 0 2 0",
                        "INTRODUCED 1 4711 0",
                        "CLIENT_ATTACHED 1 11 0",
                        "message 1 kind 5 f 5",
                        "TICK 0 9 0",
                        "CLIENT_GONE 1 -5 0",
                        "CLIENT_PROVED_DEAD 1 0 0",
                        "CLIENT_ATTACHED 2 12 0",
                        "CLIENT_GONE 2 -6 1",
                        "SERVER_GONE 0 0 0",
                        "SERVER_PROVED_DEAD 0 0 0",
                        "SERVER_GONE 0 1 0");
    }
}
