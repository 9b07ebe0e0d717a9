package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jbmi.zbmi.protocol.SessionArea;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Short messages of the server inside a message, and those that cross a cancel. */
@Timeout(20)
class HandOversTest extends EngineFixture {
    private static final int TAG = 7;
    private static final int ALL = ClientEvents.MAX_DATA_BYTES;

    private void note(long reference, long roomBytes) {
        receive(A, 0, reference, TAG, roomBytes, 0, ALL);
    }

    /** The client has counted cancels that the engine has not heard of. */
    private void counted(long cancels) {
        payload.cancels.put(A, cancels);
    }

    @Test
    void oneEndsItsReceiveAndItself() {
        note(1, 100);
        long post = postSend(70, A, TAG, ALL);
        said("c1 data 1: 88", "s done 70 for " + post + ": 88");
        assertThat(count(EngineCounter.INLINE_MOVES)).isEqualTo(1);
        assertThat(count(EngineCounter.MESSAGES_RECEIVED)).isEqualTo(1);
    }

    @Test
    void aLongerOneThanTheReceiveTakesWithoutAGrantIsGranted() {
        note(1, 100);
        long post = postSend(70, A, TAG, ALL + 1);
        said("s registered 70 for " + post);
    }

    @Test
    void oneThatFindsNoRoomIsGranted() {
        output.hasRoom = false;
        note(1, 100);
        long post = postSend(70, A, TAG, 8);
        said("s registered 70 for " + post);
        test(A, 0);
        assertThat(output.lastGrant().bytes()).isEqualTo(8);
        output.take();
    }

    @Test
    void oneThatIsTooLongForItsReceiveIsNoData() {
        note(1, 10);
        long post = postSend(70, A, TAG, 20);
        said("s registered 70 for " + post);
    }

    @Test
    void aReceiveThatIsACallIsGrantedItsBytes() {
        postSend(70, A, TAG, 8);
        output.take();
        receive(A, 900, 1, TAG, 100, 0, ALL);
        assertThat(output.lastGrant().bytes()).isEqualTo(8);
        assertThat(output.take()).containsExactly("c1 grant 1 for 900: 8");
    }

    @Test
    void oneThatCrossesTheCancelOfAnotherWaitsForItsNews() {
        note(1, 100);
        note(2, 100);
        counted(1);
        long first = postSend(70, A, TAG, 8);
        long second = postSend(71, A, TAG, 16);
        said("c1 data 1: 8", "s registered 70 for " + first, "s registered 71 for " + second);
        cancelled(A, 1, 0);
        said("s completion 70: 8", "c1 data 2: 16", "s completion 71: 16");
        assertThat(count(EngineCounter.DOUBTS)).isEqualTo(1);
    }

    @Test
    void oneThatCrossesItsOwnCancelGoesToTheNextReceive() {
        note(1, 100);
        note(2, 100);
        counted(1);
        postSend(70, A, TAG, 8);
        postSend(71, A, TAG, 16);
        output.take();
        cancelled(A, 1, 1);
        said("c1 data 2: 8", "s completion 70: 8");
        assertThat(payload.sendTags.get(A)).as("the second one waits").isNotZero();
        note(3, 100);
        said("c1 data 3: 16", "s completion 71: 16");
    }

    @Test
    void oneInDoubtIsCancelledWhenItComesBack() {
        note(1, 100);
        counted(1);
        postSend(70, A, TAG, 8);
        output.take();
        long cancel = cancel(70, output.lastZoidId);
        said("s requested 70 for " + cancel);
        cancelled(A, 1, 1);
        said("s completion 70: ECANCEL");
    }

    @Test
    void oneInDoubtThatIsCancelledAndTakenIsDone() {
        note(1, 100);
        counted(1);
        postSend(70, A, TAG, 8);
        cancel(70, output.lastZoidId);
        output.take();
        cancelled(A, 1, 0);
        said("s completion 70: 8");
    }

    @Test
    void oneWhoseTimePassesInDoubtEndsWhenItComesBack() {
        note(1, 100);
        counted(1);
        post(true, 500, 70, A, 10 + A, TAG, 8, EXPECTED, 0, 0, 5, nowNs);
        output.take();
        nowNs += 10 * MS;
        engine.tick(nowNs);
        note(2, 100);
        saidNothing();
        cancelled(A, 1, 1);
        said("s completion 70: ETIMEDOUT");
        assertThat(engine.pendingOperations()).as("the receive that came later").isEqualTo(1);
    }

    /** A hostile client can count a cancel and stay silent about it. */
    @Test
    void noMoreSendsAreInDoubtThanAClientHasWindows() {
        counted(1);
        for (int i = 0; i <= SessionArea.WINDOWS; i++) {
            receive(A, 0, 1 + i, TAG + i, 100, 0, ALL);
            post(true, 500 + i, 70 + i, A, 10 + A, TAG + i, 8, EXPECTED, 0, 0, 5, nowNs);
        }
        receive(A, 0, 99, 99, 100, 0, ALL);
        assertThat(engine.sendAtOnce(A, 10 + A, 99, EXPECTED, 8, nowNs)).isEqualTo(Engine.NOT_SENT);
        assertThat(count(EngineCounter.DOUBTS)).isEqualTo(SessionArea.WINDOWS);
        output.take();
        nowNs += 10 * MS;
        engine.tick(nowNs);
        said("s completion " + (70 + SessionArea.WINDOWS) + ": ETIMEDOUT");
    }

    @Test
    void oneInDoubtEndsWithItsClient() {
        note(1, 100);
        counted(1);
        postSend(70, A, TAG, 8);
        output.take();
        engine.clientGone(A, ErrorCode.EPIPE.negativeValue(), true);
        assertThat(output.take())
                .as("nobody can say whether it was taken")
                .contains("s completion 70: EHOSTDOWN");
    }

    @Test
    void oneInDoubtIsForgottenWithItsServer() {
        note(1, 100);
        counted(1);
        postSend(70, A, TAG, 8);
        engine.serverGone(true);
        output.take();
        cancelled(A, 1, 1);
        saidNothing();
        assertThat(engine.pendingOperations()).isZero();
    }

    private long atOnce(long bytes) {
        return engine.sendAtOnce(A, 10 + A, TAG, EXPECTED + 4480, bytes, nowNs);
    }

    @Test
    void aSendThatIsOverAtOnceIsNoOperation() {
        note(1, 100);
        assertThat(atOnce(ALL)).isEqualTo(Engine.SENT);
        said("c1 data 1: 88");
        assertThat(engine.pendingOperations()).isZero();
        assertThat(count(EngineCounter.POSTS)).isEqualTo(1);
        assertThat(count(EngineCounter.MESSAGES_RECEIVED)).isEqualTo(1);
    }

    @Test
    void nothingIsSentAtOnceWithoutAReceiveThatFits() {
        assertThat(atOnce(8)).as("none").isEqualTo(Engine.NOT_SENT);
        note(1, 10);
        assertThat(atOnce(20)).as("too small").isEqualTo(Engine.NOT_SENT);
        long next = engine.sendAtOnce(A, 11 + A, TAG, EXPECTED, 8, nowNs);
        assertThat(next).as("of another life").isEqualTo(Engine.NOT_SENT);
        long outside = engine.sendAtOnce(A, 10 + A, TAG, EXPECTED - 8, 8, nowNs);
        assertThat(outside).isEqualTo(Engine.NOT_SENT);
        output.hasRoom = false;
        assertThat(atOnce(8)).as("no room").isEqualTo(Engine.NOT_SENT);
        saidNothing();
        assertThat(engine.pendingOperations()).isEqualTo(1);
    }

    @Test
    void nothingIsSentAtOnceBeforeAnOlderSend() {
        note(1, 10);
        note(2, 100);
        postSend(70, A, TAG, 20);
        output.take();
        assertThat(atOnce(8)).isEqualTo(Engine.NOT_SENT);
        saidNothing();
    }

    @Test
    void nothingIsSentAtOnceBehindOneInDoubt() {
        note(1, 100);
        note(2, 100);
        counted(1);
        postSend(70, A, TAG, 8);
        output.take();
        assertThat(atOnce(8)).isEqualTo(Engine.NOT_SENT);
        saidNothing();
    }

    @Test
    void aSendAtOnceThatCrossesItsOwnCancelGoesToTheNextReceive() {
        note(1, 100);
        note(2, 100);
        counted(1);
        long id = atOnce(8);
        assertThat(id).isPositive();
        engine.adopt(id, 75);
        said("c1 data 1: 8");
        cancelled(A, 1, 1);
        said("c1 data 2: 8", "s completion 75: 8");
    }

    @Test
    void aSendAtOnceThatCrossesTheCancelOfAnotherIsDoneWhenThatIsHeard() {
        note(1, 100);
        counted(1);
        engine.adopt(atOnce(8), 75);
        output.take();
        cancelled(A, 1, 0);
        said("s completion 75: 8");
    }

    @Test
    void aSendInDoubtThatTheServerCannotNameIsDroppedIfItComesBack() {
        note(1, 100);
        note(2, 100);
        counted(1);
        engine.adopt(atOnce(8), 0);
        output.take();
        cancelled(A, 1, 1);
        said("s completion 0: ECANCEL");
        assertThat(engine.pendingOperations()).as("the other receive").isEqualTo(1);
    }

    @Test
    void cancelsAreHeardOfInTheirOrder() {
        cancelled(A, 2, 0);
        said("fault " + A + " BAD_CANCEL");
    }

    @Test
    void oneInTheMiddleOfAWordGoesInADataSlot() {
        note(1, 100);
        post(true, 500, 70, A, 10 + A, TAG, 8, EXPECTED + 4, 0, 0, ServerRequests.NEVER, nowNs);
        said("c1 data 1 in 0: 8", "s done 70 for 500: 8");
    }
}
