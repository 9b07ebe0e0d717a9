package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.engine.port.EngineCounter;
import org.junit.jupiter.api.Test;

/** An operation whose time is over is not matched, although nobody who posted it is there. */
class ExpiryTest extends EngineFixture {
    private static final String ETIMEDOUT = "ETIMEDOUT";

    private void postExpiring(boolean isSend, long reference, int expiryMs) {
        long at = EXPECTED + reference * 64;
        post(isSend, reference, reference, A, 11, 5, 10, at, 0, 0, expiryMs, nowNs);
    }

    private void pass(long milliseconds) {
        nowNs += milliseconds * MS;
        engine.tick(nowNs);
    }

    private String last() {
        var lines = output.take();
        return lines.isEmpty() ? "" : lines.getLast();
    }

    @Test
    void aReceiveOfTheServerExpiresOnceAndIsNotMatchedLater() {
        postExpiring(false, 70, 200);
        output.take();
        pass(199);
        saidNothing();
        pass(1);
        assertThat(last()).contains("70").contains(ETIMEDOUT);
        send(A, 1, 5, 10);
        assertThat(last()).doesNotContain("70");
        assertThat(engine.pendingOperations()).isEqualTo(1);
    }

    @Test
    void anExpiredSendOfTheServerLeavesTheNextOneToTheClient() {
        postExpiring(true, 70, 100);
        postSend(71, A, 5, 10);
        pass(100);
        output.take();
        test(A, 1000);
        receive(A, 1, 5, 10);
        move(output.lastGrant());
        assertThat(last()).contains("71");
    }

    @Test
    void anOfferThatIsNotClaimedExpiresAndTheClientKeepsItsOperation() {
        test(A, 1000);
        send(A, 1, 5, 10);
        postExpiring(false, 70, 100);
        RecordingOutput.Granted late = output.lastGrant();
        pass(1000); // answers the post that was held, then its time is over as well
        pass(1);
        assertThat(claim(late)).isFalse();
        assertThat(engine.pendingOperations()).isEqualTo(1);
    }

    @Test
    void aClaimedTransferEndsAsItEndsWhateverTheTime() {
        test(A, 5000);
        send(A, 1, 5, 10);
        postExpiring(false, 70, 100);
        RecordingOutput.Granted grant = output.lastGrant();
        assertThat(claim(grant)).isTrue();
        pass(2000);
        output.take();
        done(grant);
        assertThat(last()).contains("70").doesNotContain(ETIMEDOUT);
    }

    @Test
    void anEagerSendOfAClientExpires() {
        sendEager(A, 1, 5, 10, 0, 42);
        long id = output.lastOperationId;
        expires(A, id, 1, 50);
        output.take();
        pass(50);
        assertThat(last()).contains(ETIMEDOUT);
        postReceive(70, A, 5, 10);
        pass(0);
        assertThat(engine.pendingOperations()).isEqualTo(1);
    }

    @Test
    void anExpiredReceiveGivesTheMessageOfferedForItToTheNext() {
        test(A, 60_000);
        postExpiring(false, 70, 100);
        postReceive(71, A, 5, 10);
        send(A, 1, 5, 10);
        RecordingOutput.Granted late = output.lastGrant();
        output.take();
        pass(100);
        assertThat(output.take())
                .containsExactly("s completion 70: ETIMEDOUT", "c1 grant 1 for 0: 10");
        assertThat(claim(late)).isFalse();
        move(output.lastGrant());
        said("s completion 71: 10");
    }

    @Test
    void anExpiredEagerSendLetsThoseBehindItGoOn() {
        test(A, 60_000);
        postReceive(70, A, 5, 10);
        postReceive(71, A, 5, 10);
        send(A, 1, 5, 10);
        RecordingOutput.Granted first = output.lastGrant();
        sendEager(A, 2, 5, 10, 0, 42);
        long eager = output.lastOperationId;
        send(A, 3, 5, 10);
        expires(A, eager, 2, 50);
        output.take();
        pass(50);
        said("c1 failed 2 for 0: ETIMEDOUT", "c1 grant 3 for 0: 10");
        move(first);
        move(output.lastGrant());
        said("s completion 70: 10", "s completion 71: 10");
    }

    @Test
    void anUnexpectedMessageExpiresAndTheNextTakesItsPlace() {
        var full = fillRegion();
        unexpectedEager(A, 1, 1, 10, 0, 42);
        expires(A, output.lastOperationId, 1, 50);
        unexpectedEager(A, 2, 2, 20, 1, 43);
        output.take();
        pass(50);
        said("c1 failed 1 for 0: ETIMEDOUT");
        free(full.getFirst().offset());
        said("c1 completed 2 for 0: 20", "s unexpected from c1 tag 2: 20");
    }

    @Test
    void anExpiredUnexpectedMessageLetsThoseBehindItGoOn() {
        unexpected(A, 1, 1, 10);
        RecordingOutput.Granted offered = output.lastGrant();
        unexpectedEager(A, 2, 2, 10, 0, 42);
        expires(A, output.lastOperationId, 2, 50);
        test(A, 60_000);
        unexpected(A, 3, 3, 10);
        output.take();
        pass(50);
        said("c1 failed 2 for 0: ETIMEDOUT", "c1 grant 3 for 0: 10");
        move(offered);
        move(output.lastGrant());
        said("s unexpected from c1 tag 1: 10", "s unexpected from c1 tag 3: 10");
    }

    @Test
    void whatItsOwnerIsTakingBackDoesNotExpire() {
        long sequence = sendEager(A, 1, 5, 10, 0, 42);
        expires(A, output.lastOperationId, 1, 50);
        assertThat(payload.withdraw(A, 0, sequence)).isTrue();
        output.take();
        pass(50);
        saidNothing();
        assertThat(engine.pendingOperations()).isZero();
        assertThat(count(EngineCounter.WITHDRAWN)).isEqualTo(1);
    }

    @Test
    void whatItsClientMustMoveIsNotExpiredByTheEngine() {
        send(A, 1, 5, 10);
        expires(A, output.lastOperationId, 1, 50);
        output.take();
        pass(50);
        saidNothing();
        assertThat(engine.pendingOperations()).isEqualTo(1);
        assertThat(engine.nanosToNextDeadline(nowNs)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void nobodySetsTheTimeOfOthers() {
        sendEager(A, 1, 5, 10, 0, 42);
        long id = output.lastOperationId;
        expires(B, id, 1, 0);
        expires(A, id, 2, 0);
        expires(A, id + 1, 1, 0);
        output.take();
        pass(10);
        saidNothing();
    }
}
