package org.jbmi.zoid.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerPost;
import org.jbmi.zoid.common.ZoidAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Posts that tell the engine and wait for no answer. */
@Timeout(30)
class PostsWithoutWaitingTest extends OperationsFixture {
    private static final int BYTES = 64;
    private static final long MS = 1_000_000;
    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();

    @Override
    boolean isHost() {
        return true;
    }

    private Operation told() {
        Operation operation = operation(client(1, 1), BYTES).withoutWaiting();
        assertThat(operations.post(operation)).isEqualTo(Method.PENDING);
        assertThat(door.calls).isZero();
        assertThat(door.notes).isEqualTo(1);
        return operation;
    }

    private void registered(ServerPost post) {
        inbox.answered(ServerEvents.REGISTERED, -1, post.reference, 77);
    }

    @Test
    void whatComesOfOneIsReported() {
        door.onNote = this::registered;
        Operation operation = told();
        completed(operation);
        operations.runDeferred();
        assertThat(over).containsExactly(Map.entry(operation, 0));
    }

    @Test
    void oneThatIsOverWhileTheEngineIsToldIsNotReportedAgain() {
        door.onNote =
                post -> inbox.answered(ServerEvents.POST_COMPLETED, -1, post.reference, BYTES);
        Operation operation = operation(client(1, 1), BYTES).withoutWaiting();
        assertThat(operations.post(operation)).isEqualTo(BYTES);
        operations.runDeferred();
        assertThat(over).isEmpty();
        assertThat(operations.pending()).isZero();
    }

    /** As where the engine is in this process: it says at once what it says without a client. */
    @Test
    void oneThatIsAnsweredAtOnceIsOverWithItsPost() {
        door.onNote = post -> post.answer(ServerEvents.POST_COMPLETED, BYTES);
        Operation operation = operation(client(1, 1), BYTES).withoutWaiting();
        assertThat(operations.post(operation)).isEqualTo(BYTES);
        assertThat(over).isEmpty();
        assertThat(operations.pending()).isZero();
    }

    @Test
    void oneThatTheEngineHasCanBeCancelled() {
        door.onNote = this::registered;
        Operation operation = told();
        assertThat(operations.cancel(operation, operation.id(), CANCELLED))
                .isEqualTo(CancelOutcome.CANCELLED);
        assertThat(over).containsExactly(Map.entry(operation, CANCELLED));
    }

    @Test
    void oneThatIsCancelledBeforeTheEngineAnswersIsCancelledThen() {
        Operation operation = told();
        assertThat(operations.cancel(operation, operation.id(), CANCELLED))
                .isEqualTo(CancelOutcome.REQUESTED);
        ServerOperation slot = (ServerOperation) operation.attachment();
        inbox.answered(ServerEvents.REGISTERED, -1, slot.reference(), 77);
        operations.runDeferred();
        assertThat(over).containsExactly(Map.entry(operation, CANCELLED));
    }

    @Test
    void theEngineDoesNotEndAnOperationBeforeItsDeadline() {
        List<Integer> told = new ArrayList<>();
        door.onNote = post -> told.add(post.expiryMs);
        ZoidAddress client = client(1, 1);
        for (long leftNs : new long[] {MS - 5, 2 * MS + 5, -5}) {
            operations.post(operation(client, BYTES).withoutWaiting().expiresIn(leftNs));
        }
        assertThat(told).containsExactly(1, 3, 0);
    }
}
