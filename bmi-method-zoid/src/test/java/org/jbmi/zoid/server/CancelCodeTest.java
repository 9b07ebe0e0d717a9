package org.jbmi.zoid.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.spi.Operation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Map;

/** The deadline of an operation passes while the program's cancel waits for a remote engine. */
@Timeout(30)
class CancelCodeTest extends OperationsFixture {
    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();
    private static final int LATE = ErrorCode.ETIMEDOUT.negativeValue();

    @Test
    void whatIsCalledCancelledEndsWithTheCodeOfThatCall() {
        Operation operation = posted(client(1, 1), 64);
        door.whileCancelled =
                () ->
                        assertThat(operations.cancel(operation, operation.id(), LATE))
                                .isEqualTo(CancelOutcome.REQUESTED);
        assertThat(operations.cancel(operation, operation.id(), CANCELLED))
                .isEqualTo(CancelOutcome.CANCELLED);
        assertThat(over).containsExactly(Map.entry(operation, CANCELLED));
    }
}
