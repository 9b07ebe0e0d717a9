package org.jbmi.zoid.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.spi.Operation;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Map;
import java.util.Objects;

/** An operation is cancelled again, by its deadline, while the first cancel is still to be sent. */
@Timeout(30)
class SecondCancelTest extends OperationsFixture {
    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();
    private static final int LATE = ErrorCode.ETIMEDOUT.negativeValue();

    @Override
    boolean isHost() {
        return true;
    }

    /** Both reported it, and the later one found its slot given away. */
    @Test
    void itIsReportedOnce() {
        door.isLate = true;
        Operation operation = posted(client(1, 1), 64);
        assertThat(operations.cancel(operation, operation.id(), CANCELLED))
                .isEqualTo(CancelOutcome.REQUESTED);
        ServerOperation slot = (ServerOperation) Objects.requireNonNull(operation.attachment());
        inbox.answered(ServerEvents.REGISTERED, -1, slot.reference(), 77);
        assertThat(operations.cancel(operation, operation.id(), LATE))
                .isEqualTo(CancelOutcome.CANCELLED);
        assertThat(over).as("it is left to whoever runs what was deferred").isEmpty();
        operations.runDeferred();
        assertThat(over).containsExactly(Map.entry(operation, LATE));
    }
}
