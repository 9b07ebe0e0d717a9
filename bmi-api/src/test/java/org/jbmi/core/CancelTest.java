package org.jbmi.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.junit.jupiter.api.Test;

/** Cancel in every state of an operation. */
class CancelTest extends ScriptedTest {
    @Test
    void pendingOperationEndsAsCancelledExactlyOnce() {
        Object data = new Object();
        long id = context.postReceive(peer, buffer, 1, data);
        assertThat(context.cancel(id)).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(context.cancel(id)).isEqualTo(CancelOutcome.ALREADY_DONE);
        assertThat(context.testContext(done, LONG_MS)).isEqualTo(1);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.ECANCEL);
        assertThat(done.sizeBytes(0)).isZero();
        assertThat(done.userData(0)).isSameAs(data);
        assertThat(context.testContext(done, 0)).isZero();
        assertThat(context.cancel(id)).isEqualTo(CancelOutcome.UNKNOWN);
    }

    @Test
    void operationThatMovesEndsWithItsRealOutcome() {
        long id = receive();
        method.move(id);
        assertThat(context.cancel(id)).isEqualTo(CancelOutcome.REQUESTED);
        assertThat(context.test(id, done, 0)).isZero();
        method.complete(id, 0, 9);
        assertThat(context.cancel(id)).isEqualTo(CancelOutcome.ALREADY_DONE);
        assertThat(context.test(id, done, 0)).isEqualTo(1);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.SUCCESS);
    }

    @Test
    void doneOperationKeepsItsOutcome() {
        long id = receive();
        method.complete(id, EIO, 0);
        assertThat(context.cancel(id)).isEqualTo(CancelOutcome.ALREADY_DONE);
        assertThat(context.test(id, done, 0)).isEqualTo(1);
        assertThat(done.outcome(0)).isEqualTo(ErrorCode.EIO);
    }

    @Test
    void cancelledAndReadyAreReportedTogether() {
        long[] ids = new long[6];
        for (int i = 0; i < 6; i++) {
            ids[i] = context.postReceive(peer, buffer, i, i);
        }
        context.cancel(ids[1]);
        method.complete(ids[2], 0, 3);
        context.cancel(ids[4]);
        method.complete(ids[5], 0, 6);
        assertThat(context.testSome(ids, 6, done, LONG_MS)).isEqualTo(4);
        int[] indexes = {1, 2, 4, 5};
        ErrorCode cancelled = ErrorCode.ECANCEL;
        ErrorCode[] outcomes = {cancelled, ErrorCode.SUCCESS, cancelled, ErrorCode.SUCCESS};
        for (int k = 0; k < 4; k++) {
            assertThat(done.index(k)).isEqualTo(indexes[k]);
            assertThat(done.outcome(k)).isEqualTo(outcomes[k]);
            assertThat(done.userData(k)).isEqualTo(indexes[k]);
            ids[indexes[k]] = 0;
        }
        assertThat(context.testSome(ids, 6, done, 0)).isZero();
        assertThat(inUse()).isEqualTo(2);
    }

    /** The method has the operation by then. */
    @Test
    void aPostWhoseCancelFailsReturnsItsId() {
        script.rule =
                (m, operation) -> {
                    peer.drop();
                    failCancelOf(operation.id());
                    return m.hold(operation);
                };
        long id = receive();
        assertThat(method.heldIds()).containsExactly(id);
    }

    /** A cancel that comes late meets an operation in its next life and must leave it alone. */
    @Test
    void lateCancelDoesNotHitTheNextLife() {
        for (int round = 0; round < 20_000; round++) {
            long stale = receive();
            method.complete(stale, 0, 1);
            assertThat(context.test(stale, done, 0)).isEqualTo(1);

            long next = receive();
            assertThat(context.cancel(stale)).isEqualTo(CancelOutcome.UNKNOWN);
            assertThat(method.cancel(method.held(next), stale, ECANCEL))
                    .isEqualTo(CancelOutcome.ALREADY_DONE);
            method.complete(next, 0, 1);
            assertThat(context.test(next, done, 0)).isEqualTo(1);
            assertThat(done.outcome(0)).isEqualTo(ErrorCode.SUCCESS);
        }
        assertThat(inUse()).isZero();
    }
}
