package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jbmi.zbmi.protocol.ClientRequests.NOT_EAGER;

import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Random;

/** Peers that send what they may not. */
@Timeout(60)
class FaultsTest extends EngineFixture {
    private final Message m = new Message();

    private void from(int session) {
        engine.receive(session, m, nowNs);
    }

    private void faultOf(Fault fault) {
        from(A);
        said("fault 1 " + fault);
        ClientRequests.test(m, 5, 0);
        from(A);
        saidNothing();
        engine.clientGone(A, -1, true);
        engine.clientAttached(A, 10 + A);
        output.take();
    }

    @Test
    void nonsenseFromAClientIsAFaultAndNothingMoreIsHeardOfIt() {
        m.start(99);
        faultOf(Fault.MALFORMED);
        m.start(ClientRequests.SEND).put(1);
        faultOf(Fault.MALFORMED);
        ClientRequests.send(m, 0, 1, 5, 10, 1, NOT_EAGER, 0);
        faultOf(Fault.NO_CORRELATION);
        ClientRequests.test(m, 0, 10);
        faultOf(Fault.NO_CORRELATION);
        ClientRequests.send(m, 1, 1, 5, -1, 0, NOT_EAGER, 0);
        faultOf(Fault.BAD_VALUE);
        ClientRequests.receive(m, 1, 1, 5, 10, -1, ClientRequests.NO_DATA_ROOM);
        faultOf(Fault.BAD_VALUE);
        ClientRequests.test(m, 1, -1);
        faultOf(Fault.BAD_VALUE);
        ClientRequests.sendUnexpected(m, 1, 1, 5, 256, 10, 0, NOT_EAGER, 0);
        faultOf(Fault.BAD_VALUE);
        ClientRequests.send(m, 1, 1, 5, 10, 0, 4, 0);
        faultOf(Fault.BAD_EAGER_SLOT);
        ClientRequests.send(m, 1, 1, 5, 101, 0, 0, 0);
        faultOf(Fault.BAD_EAGER_SLOT);
        ClientRequests.send(m, 1, 1, 5, 10, 0, ClientRequests.INLINE, 0);
        faultOf(Fault.BAD_EAGER_SLOT);
        ClientRequests.done(m, 64, 0, 0);
        faultOf(Fault.BAD_DONE);
    }

    @Test
    void aTransferMustEndAsItWasGranted() {
        postReceive(70, A, 5, 1000);
        send(A, 1, 5, 500);
        RecordingOutput.Granted grant = output.lastGrant();
        claim(grant);
        output.take();
        done(B, grant.grantId(), 500, 0);
        said("fault 2 BAD_DONE");
        done(A, grant.grantId(), 499, 0);
        said("fault 1 BAD_DONE");
        engine.clientGone(A, -1, true);
        engine.clientAttached(A, 10 + A);
        postReceive(71, A, 5, 1000);
        send(A, 1, 5, 500);
        output.take();
        done(A, output.lastGrant().grantId(), 500, 12345);
        said("fault 1 BAD_DONE");
    }

    /** The server would take for a message whatever its memory held. */
    @Test
    void aTransferThatWasNotClaimedCannotHaveEnded() {
        postReceive(70, A, 5, 1000);
        send(A, 1, 5, 500);
        output.take();
        done(output.lastGrant());
        said("fault 1 BAD_DONE");
    }

    @Test
    void nonsenseFromTheServerIsAFault() {
        m.start(ServerRequests.POST_SEND).put(1);
        from(0);
        said("fault 0 MALFORMED");
        ServerRequests.cancel(m, 0, 1, 1);
        from(0);
        said("fault 0 NO_CORRELATION");
        ServerRequests.post(
                m, ServerRequests.POST_RECEIVE, 0, 70, A, 11, 5, ServerRequests.NEVER, 10);
        ServerRequests.place(m, EXPECTED, 0, 0);
        from(0);
        said("fault 0 NO_CORRELATION");
    }

    @Test
    void placesOutsideOfTheExpectedRegionAreRefused() {
        long end = EXPECTED + (1 << 20);
        long[][] bad = {
            {EXPECTED - 1, 0, 0, 10},
            {end - 9, 0, 0, 10},
            {UNEXPECTED, 0, 0, 10},
            {Long.MAX_VALUE, 0, 0, 10},
            {-1, 0, 0, 10},
            {EXPECTED, 0, 0, -10},
            {EXPECTED, EXPECTED, -1, 10},
            {EXPECTED, EXPECTED, 17, 10},
            {EXPECTED, EXPECTED + 4, 1, 10},
            {EXPECTED, end - 8, 1, 10},
            {EXPECTED, UNEXPECTED, 1, 10},
        };
        for (long[] b : bad) {
            post(false, 1, 70, A, 11, 5, b[3], b[0], b[1], (int) b[2], ServerRequests.NEVER, nowNs);
            said("s refused 70 for 1: EINVAL");
        }
        payload.areListsSound = false;
        post(false, 1, 70, A, 11, 5, 10, 0, EXPECTED, 1, ServerRequests.NEVER, nowNs);
        said("s refused 70 for 1: EINVAL");
        payload.areListsSound = true;
        post(false, 1, 70, A, 11, 5, 10, 0, EXPECTED, 1, ServerRequests.NEVER, nowNs);
        post(false, 2, 71, A, 11, 5, 0, end, 0, 0, ServerRequests.NEVER, nowNs);
        said("s registered 70 for 1", "s registered 71 for 2");
    }

    @Test
    void aListThatIsChangedWhileInUseEndsItsOperationAndIsReported() {
        post(false, 1, 70, A, 11, 5, 10, 0, EXPECTED, 1, ServerRequests.NEVER, nowNs);
        output.take();
        payload.areListsSound = false;
        sendEager(A, 1, 5, 10, 0, 9);
        said("fault 0 BAD_LIST", "c1 completed 1 for 1: 10", "s completion 70: EFAULT");
    }

    @Test
    void operationsAreBoundedForClientsAndTheServer() {
        for (int i = 0; i < 100; i++) {
            send(A, i, 5, 10);
            postReceive(i, B, 5, 10);
        }
        output.take();
        send(A, 100, 5, 10);
        receive(A, 101, 77, 10);
        unexpected(A, 102, 5, 10);
        postReceive(100, B, 5, 10);
        said(
                "c1 failed 100 for 201: ENOBUFS",
                "c1 failed 101 for 202: ENOBUFS",
                "c1 failed 102 for 203: ENOBUFS",
                "s refused 100 for 204: ENOBUFS");
        send(C, 1, 5, 10);
        said("c3 pending 1 for 205");
    }

    @Test
    void randomMessagesBreakNothingOfAnybodyElse() {
        long seed = Long.getLong("jbmi.seed", System.nanoTime());
        System.out.println("FaultsTest seed " + seed);
        Random random = new Random(seed);
        EngineAudit invariants = new EngineAudit(engine);
        send(B, 1, 5, 10);
        postReceive(70, C, 5, 10);
        int lent = 0;
        for (int i = 0; i < 200_000; i++) {
            int kind = 1 + random.nextInt(10);
            m.start(kind >= ClientRequests.CANCELLED ? kind + 1 : kind);
            int words = random.nextInt(10) == 0 ? random.nextInt(15) : wordsOf(m.kind());
            for (int w = 0; w < words; w++) {
                int dice = random.nextInt(4);
                m.put(
                        dice == 0
                                ? random.nextLong()
                                : dice == 1 ? random.nextInt(3) - 1 : random.nextInt(300));
            }
            from(A);
            if (i % 16 == 0) {
                invariants.check();
            }
            output.take();
            output.grants.clear();
            if (engine.state().client(A).isFaulty) {
                engine.clientGone(A, -1, true);
                output.arrived.removeIf(each -> each.offset() < PLACES.firstOffset());
                output.arrived.forEach(each -> engine.unexpectedFree(each.offset()));
                lent += output.arrived.size();
                output.arrived.clear();
                output.take();
                engine.clientAttached(A, 10 + A);
            }
        }
        output.arrived.removeIf(each -> each.offset() < PLACES.firstOffset());
        output.arrived.forEach(each -> engine.unexpectedFree(each.offset()));
        output.take();
        assertThat(lent).isPositive();
        postReceive(71, B, 5, 10);
        test(B, 0);
        assertThat(output.lastGrant().reference()).isEqualTo(1);
        move(output.lastGrant());
        output.take();
        send(C, 2, 5, 10); // for which receive 70 has waited all the time
        move(output.lastGrant());
        said("c3 grant 2 for 5: 10", "s completion 70: 10");
    }

    private static int wordsOf(int kind) {
        return switch (kind) {
            case ClientRequests.SEND, ClientRequests.SEND_UNEXPECTED -> 6;
            case ClientRequests.RECEIVE -> 5;
            case ClientRequests.DONE, ClientRequests.SEND_SHORT -> 3;
            case ClientRequests.DISARM -> 1;
            default -> 2;
        };
    }

    @Test
    void limitsThatDoNotGoTogetherAreRefusedInWords() {
        assertThatThrownBy(
                        () ->
                                new EngineLimits(
                                        1, 1, 1, 1, 4097, 1, 1, PLACES, 1, 0, 4096, 4096, 4096, 0))
                .hasMessageContaining("smaller than one of them");
        assertThatThrownBy(
                        () ->
                                new EngineLimits(
                                        0, 1, 1, 1, 4096, 1, 1, PLACES, 1, 0, 4096, 4096, 4096, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
