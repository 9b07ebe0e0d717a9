package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.jbmi.zbmi.protocol.SegmentMap.SERVER_SESSION;

import org.jbmi.zbmi.engine.port.EngineHost;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.engine.state.EngineOutbox;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an engine says is read as it was said, by the session that it is for. */
@Timeout(30)
class EngineOutboxTest {
    private static final int NOBODY = -1;

    private final Message heard = new Message();
    private int session = NOBODY;
    private Fault fault = Fault.NONE;

    private final EngineOutbox outbox =
            new EngineOutbox(
                    new EngineHost() {
                        @Override
                        public void send(int to, Message message) {
                            session = to;
                            heard.copyFrom(message);
                        }

                        @Override
                        public boolean mayPublish(int client) {
                            return true;
                        }

                        @Override
                        public boolean sendData(int to, Message head, long offset, long bytes) {
                            for (long at = offset; at < offset + bytes; at += Long.BYTES) {
                                head.put(at);
                            }
                            send(to, head);
                            return true;
                        }

                        @Override
                        public void fault(int of, Fault what) {
                            session = of;
                            fault = what;
                        }
                    });

    private void clientHeard(int kind) {
        assertThat(session).isEqualTo(3);
        assertThat(heard.kind()).isEqualTo(kind);
        assertThat(ClientEvents.isWellFormed(heard)).isTrue();
        session = NOBODY;
    }

    private void serverHeard(int kind, boolean isReply) {
        assertThat(session).isEqualTo(SERVER_SESSION);
        assertThat(heard.kind()).isEqualTo(kind);
        assertThat(ServerEvents.isWellFormed(heard)).isTrue();
        assertThat(ServerEvents.isReply(heard)).isEqualTo(isReply);
        session = NOBODY;
    }

    @Test
    void whatAClientIsTold() {
        outbox.pending(3, 1, 2, 4);
        clientHeard(ClientEvents.PENDING);
        assertThat(ClientEvents.correlation(heard)).isEqualTo(1);
        assertThat(ClientEvents.reference(heard)).isEqualTo(2);
        assertThat(ClientEvents.operationId(heard)).isEqualTo(4);
        outbox.grant(3, 1, 2, 4, 5, 6, 7, 8, 9, 10, 12, 11);
        clientHeard(ClientEvents.GRANT);
        assertThat(ClientEvents.grantId(heard)).isEqualTo(5);
        assertThat(ClientEvents.claimWord(heard)).isEqualTo(11);
        assertThat(ClientEvents.partner(heard)).isEqualTo(12);
        outbox.completed(3, 1, 2, 12);
        clientHeard(ClientEvents.COMPLETED);
        assertThat(ClientEvents.completedBytes(heard)).isEqualTo(12);
        assertThat(outbox.data(3, 2, 12, 4096)).isTrue();
        clientHeard(ClientEvents.DATA);
        assertThat(ClientEvents.dataBytes(heard)).isEqualTo(12);
        assertThat(heard.word(ClientEvents.dataWord() + 1)).isEqualTo(4104);
        outbox.failed(3, 1, 2, -13);
        clientHeard(ClientEvents.FAILED);
        assertThat(ClientEvents.failedCode(heard)).isEqualTo(-13);
        outbox.testReply(3, 1, 14);
        clientHeard(ClientEvents.TEST_REPLY);
        assertThat(ClientEvents.pushed(heard)).isEqualTo(14);
    }

    @Test
    void whatTheServerIsAnswered() {
        outbox.answered(ServerEvents.REGISTERED, 1, 2, 3);
        serverHeard(ServerEvents.REGISTERED, true);
        assertThat(ServerEvents.correlation(heard)).isEqualTo(1);
        assertThat(ServerEvents.operationId(heard)).isEqualTo(2);
        assertThat(ServerEvents.answer(heard)).isEqualTo(3);
        outbox.answered(ServerEvents.POST_COMPLETED, 1, 2, 4);
        serverHeard(ServerEvents.POST_COMPLETED, true);
        assertThat(ServerEvents.answer(heard)).isEqualTo(4);
        outbox.answered(ServerEvents.POST_REFUSED, 1, 2, -5);
        serverHeard(ServerEvents.POST_REFUSED, true);
        assertThat(ServerEvents.answer(heard)).isEqualTo(-5);
        outbox.answered(ServerEvents.CANCEL_REPLY, 1, 2, ServerEvents.REQUESTED);
        serverHeard(ServerEvents.CANCEL_REPLY, true);
        assertThat(ServerEvents.cancelOutcome(heard)).isEqualTo(ServerEvents.REQUESTED);
        outbox.finishReply(1, 6);
        serverHeard(ServerEvents.FINISH_REPLY, true);
        assertThat(ServerEvents.moversLeft(heard)).isEqualTo(6);
    }

    @Test
    void whatTheServerIsTold() {
        outbox.completion(1, -2, 3, 4, 5);
        serverHeard(ServerEvents.COMPLETION, false);
        assertThat(ServerEvents.completedOperation(heard)).isEqualTo(1);
        assertThat(ServerEvents.completionCode(heard)).isEqualTo(-2);
        assertThat(ServerEvents.completionBytes(heard)).isEqualTo(3);
        outbox.unexpected(1, 2, -3, 4, 5, 6, 7);
        serverHeard(ServerEvents.UNEXPECTED, false);
        assertThat(ServerEvents.session(heard)).isEqualTo(1);
        assertThat(ServerEvents.generation(heard)).isEqualTo(2);
        assertThat(ServerEvents.tag(heard)).isEqualTo(-3);
        assertThat(ServerEvents.messageClass(heard)).isEqualTo(4);
        assertThat(ServerEvents.offset(heard)).isEqualTo(5);
        assertThat(ServerEvents.bytes(heard)).isEqualTo(6);
        assertThat(ServerEvents.messageId(heard)).isEqualTo(7);
        outbox.clientAttached(1, 2);
        serverHeard(ServerEvents.CLIENT_ATTACHED, false);
        assertThat(ServerEvents.session(heard)).isEqualTo(1);
        outbox.clientGone(1, 2, -3);
        serverHeard(ServerEvents.CLIENT_GONE, false);
        assertThat(ServerEvents.goneCode(heard)).isEqualTo(-3);
    }

    @Test
    void aFaultGoesToTheHost() {
        outbox.fault(3, Fault.BAD_DONE);
        assertThat(session).isEqualTo(3);
        assertThat(fault).isEqualTo(Fault.BAD_DONE);
    }
}
