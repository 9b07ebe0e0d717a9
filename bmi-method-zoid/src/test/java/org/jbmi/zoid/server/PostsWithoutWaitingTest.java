package org.jbmi.zoid.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.zbmi.protocol.HostKind;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Map;

/** Posts that tell the engine and wait for no answer. */
@Timeout(30)
class PostsWithoutWaitingTest extends OperationsFixture {
    private static final int BYTES = 64;
    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();

    @Override
    HostKind hostKind() {
        return HostKind.EMBEDDED;
    }

    private Operation told() {
        Operation operation = operation(client(1, 1), BYTES).withoutWaiting();
        assertThat(operations.post(operation)).isEqualTo(Method.PENDING);
        assertThat(channel.calls).isZero();
        assertThat(channel.notes).isEqualTo(1);
        return operation;
    }

    private void registered(Message post) {
        inbox.onEvent(
                ServerEvents.registered(new Message(), -1, ServerRequests.operationId(post), 77));
    }

    @Test
    void whatComesOfOneIsReported() {
        channel.onNote = this::registered;
        Operation operation = told();
        completed(operation);
        operations.runDeferred();
        assertThat(over).containsExactly(Map.entry(operation, 0));
    }

    @Test
    void oneThatIsOverWhileTheEngineIsToldIsNotReportedAgain() {
        channel.onNote =
                post ->
                        inbox.onEvent(
                                ServerEvents.postCompleted(
                                        new Message(),
                                        -1,
                                        ServerRequests.operationId(post),
                                        BYTES));
        Operation operation = operation(client(1, 1), BYTES).withoutWaiting();
        assertThat(operations.post(operation)).isEqualTo(BYTES);
        operations.runDeferred();
        assertThat(over).isEmpty();
        assertThat(operations.pending()).isZero();
    }

    @Test
    void oneThatTheEngineHasCanBeCancelled() {
        channel.onNote = this::registered;
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
        inbox.onEvent(ServerEvents.registered(new Message(), -1, slot.reference(), 77));
        operations.runDeferred();
        assertThat(over).containsExactly(Map.entry(operation, CANCELLED));
    }
}
