package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

/** What a cancel leaves behind: nothing of the operation, and everybody else where they were. */
@Timeout(30)
class CancelTest extends EngineFixture {

    @Test
    void nothingIsLeftOfAReceiveThatTheServerCancels() {
        postReceive(70, A, 5, 100);
        long zoidId = output.lastZoidId;
        cancel(70, zoidId);
        said("s registered 70 for 1", "s cancelled 70 for 2");
        assertThat(engine.pendingOperations()).isZero();
        assertThat(engine.state().server.operations.size()).isZero();
        cancel(70, zoidId);
        said("s unknown 70 for 3");
        assertThat(count(EngineCounter.CANCELS)).isEqualTo(2);
    }

    @Test
    void theServerCancelsOnlyWhatItMeans() {
        send(A, 1, 5, 10);
        long ofClient = output.lastOperationId;
        postReceive(70, B, 5, 10);
        long ofServer = output.lastZoidId;
        output.take();
        cancel(1, ofClient);
        cancel(71, ofServer);
        cancel(70, ofServer + 1);
        cancel(70, -1);
        said("s unknown 1 for 3", "s unknown 71 for 4", "s unknown 70 for 5", "s unknown 70 for 6");
        assertThat(engine.pendingOperations()).isEqualTo(2);
    }

    @Test
    void aCancelOfAPostThatIsBeingMovedAnswersThePostFirst() {
        send(A, 1, 5, 500);
        test(A, 60_000);
        postReceive(70, A, 5, 1000);
        claim(output.lastGrant());
        output.take();
        cancel(70, engine.state().server.operations.first().operation.id());
        said("s registered 70 for 3", "s requested 70 for 4");
        done(output.lastGrant());
        said("s completion 70: 500");
    }

    @Test
    void aCancelFromTheMiddleLeavesTheOrderOfTheOthers() {
        long[] ids = new long[4];
        for (int i = 0; i < 4; i++) {
            postReceive(70 + i, A, 5, 100);
            ids[i] = output.lastZoidId;
        }
        cancel(71, ids[1]);
        cancel(73, ids[3]);
        postReceive(74, A, 5, 100);
        output.take();
        test(A, 60_000);
        for (int i = 0; i < 3; i++) {
            send(A, i, 5, 10);
            move(output.lastGrant());
        }
        assertThat(output.grants)
                .extracting(grant -> (grant.offset() - EXPECTED) / 64)
                .containsExactly(70L, 72L, 74L);
    }

    @Test
    void noMessageIsMeasuredAgainstACancelledReceive() {
        receive(A, 1, 5, 100);
        long cancelled = output.lastOperationId;
        test(A, 60_000);
        output.take();
        postSend(70, A, 5, 101);
        said("c1 grant 1 for 0: 101");
        withdraw(A, cancelled, 1);
        said("s registered 70 for 3");
        receive(A, 2, 5, 101);
        said("c1 grant 2 for 4: 101");
        move(output.lastGrant());
        said("s completion 70: 101");
    }

    @Test
    void aCancelledMessageIsNotMeasuredAgainstTheNextReceive() {
        send(A, 1, 5, 500);
        long tooLong = output.lastOperationId;
        send(A, 2, 5, 50);
        assertThat(engine.isMisfit(A, 5, 499)).isTrue();
        assertThat(engine.isMisfit(A, 5, 500)).isFalse();
        assertThat(engine.isMisfit(A, 6, 0)).isFalse();
        assertThat(engine.isMisfit(0, 5, 0)).isFalse();
        assertThat(engine.isMisfit(5, 5, 0)).isFalse();
        output.take();
        withdraw(A, tooLong, 1);
        saidNothing();
        assertThat(engine.isMisfit(A, 5, 50)).isFalse();
        assertThat(count(EngineCounter.WITHDRAWN)).isEqualTo(1);
        postReceive(70, A, 5, 50);
        said("s registered 70 for 3");
        test(A, 0);
        said("c1 grant 2 for 0: 50", "c1 tested 4: 1");
    }

    @Test
    void aPostThatIsWithdrawnWhileItWaitsIsAnswered() {
        long post = send(A, 1, 5, 10, 60_000);
        long id = engine.state().client(A).operations.first().operation.id();
        withdraw(A, id, 1);
        said("c1 failed 1 for " + post + ": ECANCEL");
        assertThat(engine.pendingOperations()).isZero();
        assertThat(engine.nanosToNextDeadline(nowNs)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void nothingIsLeftOfAnUnexpectedMessageThatIsWithdrawn() {
        fillRegion();
        unexpectedEager(B, 1, 1, 10, 0, 9);
        long id = output.lastOperationId;
        said("c2 pending 1 for " + (CHUNKS + 1));
        withdraw(B, id, 1);
        saidNothing();
        assertThat(engine.pendingOperations()).isZero();
        assertThat(engine.unexpected().waiting()).isZero();
    }

    @Test
    void theMessageBehindOneThatIsWithdrawnIsAccepted() {
        unexpected(A, 1, 1, 500);
        RecordingOutput.Granted grant = output.lastGrant();
        unexpectedEager(A, 2, 2, 10, 0, 9);
        said("c1 grant 1 for 1: 500", "c1 pending 2 for 2");
        withdraw(A, grant.operationId(), 1);
        said("c1 completed 2 for 0: 10", "s unexpected from c1 tag 2: 10");
        assertThat(claim(grant)).isFalse();
    }

    @Test
    void theMemoryOfAMessageThatIsWithdrawnGoesToWhoWaits() {
        List<RecordingOutput.Arrived> full = fillRegion();
        test(B, 60_000);
        unexpected(B, 1, 1, MAX_UNEXPECTED);
        test(C, 60_000);
        unexpected(C, 2, 2, MAX_UNEXPECTED);
        free(full.getFirst().offset());
        RecordingOutput.Granted ofB = output.lastGrant();
        assertThat(ofB.client()).isEqualTo(B);
        output.take();
        withdraw(B, ofB.operationId(), 1);
        said("c3 grant 2 for 0: 1024");
        move(output.lastGrant());
    }

    @Test
    void anUnexpectedMessageOfferedBehindOneThatIsWithdrawnKeepsItsTurn() {
        test(A, 60_000);
        unexpected(A, 1, 1, 500);
        unexpected(A, 2, 2, 500);
        unexpected(A, 3, 3, 500);
        RecordingOutput.Granted second = output.grants.get(1);
        output.take();
        withdraw(A, second.operationId(), 2);
        said("c1 grant 1 for 0: 500", "c1 grant 3 for 0: 500");
        move(output.grants.get(3));
        move(output.grants.get(4));
        said("s unexpected from c1 tag 1: 500", "s unexpected from c1 tag 3: 500");
    }

    @Test
    void anEagerMessageTakenBackByItsOwnerLeavesNothingWhenItsTurnComes() {
        List<RecordingOutput.Arrived> full = fillRegion();
        long sequence = unexpectedEager(B, 1, 1, 10, 0, 9);
        unexpectedEager(B, 2, 2, 20, 1, 8);
        output.take();
        assertThat(payload.withdraw(B, 0, sequence)).isTrue();
        free(full.getFirst().offset());
        said("c2 completed 2 for 0: 20", "s unexpected from c2 tag 2: 20");
        assertThat(engine.pendingOperations()).isZero();
        assertThat(count(EngineCounter.WITHDRAWN)).isEqualTo(1);
    }

    @Test
    void aReceiveThatIsWithdrawnGivesItsMessageToTheNextOne() {
        test(A, 60_000);
        receive(A, 1, 5, 100);
        long first = output.lastOperationId;
        receive(A, 2, 5, 100);
        postSend(70, A, 5, 50);
        RecordingOutput.Granted grant = output.lastGrant();
        assertThat(grant.reference()).isEqualTo(1);
        output.take();
        withdraw(A, first, 1);
        said("s registered 70 for 4", "c1 grant 2 for 0: 50");
        assertThat(claim(grant)).isFalse();
        move(output.lastGrant());
        said("s completion 70: 50");
    }

    @Test
    void aTransferThatItsClientBreaksOffAnswersAPostThatIsHeld() {
        send(A, 1, 5, 500);
        test(A, 60_000);
        long post = postReceive(70, A, 5, 1000);
        claim(output.lastGrant());
        output.take();
        // Of either sign, as a C program may send it.
        int code = -ErrorCode.EFAULT.negativeValue();
        done(A, output.lastGrant().grantId(), 0, code);
        said("s refused 70 for " + post + ": EFAULT");
    }

    @Test
    void whatIsKnownToBeClaimedStaysSoWhenItsWindowIsClosed() {
        postReceive(70, A, 5, 1000);
        long first = output.lastZoidId;
        send(A, 1, 5, 500);
        RecordingOutput.Granted claimed = output.lastGrant();
        claim(claimed);
        postReceive(71, A, 5, 1000);
        long second = output.lastZoidId;
        send(A, 2, 5, 500);
        output.take();
        cancel(71, second);
        cancel(70, first);
        said("s cancelled 71 for 5", "s requested 70 for 6");
        done(claimed);
        said("s completion 70: 500");
    }
}
