package org.jbmi.zoid.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.QuietHost;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.FutureTask;

/** The deadline of a receive passes while the program's cancel hears the engine. */
@Timeout(30)
class CancelCodeTest {
    private static final int CANCELLED = ErrorCode.ECANCEL.negativeValue();
    private static final int LATE = ErrorCode.ETIMEDOUT.negativeValue();

    private final Map<Operation, Integer> over = new HashMap<>();
    private final ServerReceive receive = new ServerReceive(Long.BYTES);
    private final ClientOperations operations =
            new ClientHalf(new Host(), new Link(), 0, () -> 1).operations;
    private final FutureTask<CancelOutcome> deadline = new FutureTask<>(() -> cancel(LATE));

    @Test
    void whatIsCalledCancelledEndsWithTheCodeOfThatCall() throws Exception {
        assertThat(operations.post(receive, 0)).isEqualTo(Method.PENDING);
        assertThat(cancel(CANCELLED)).isEqualTo(CancelOutcome.CANCELLED);
        assertThat(deadline.get()).isEqualTo(CancelOutcome.ALREADY_DONE);
        assertThat(over).containsExactly(Map.entry(receive, CANCELLED));
    }

    private CancelOutcome cancel(int code) {
        ClientOperation slot = (ClientOperation) Objects.requireNonNull(receive.attachment());
        return operations.cancels().cancel(slot, receive, receive.id(), code);
    }

    private final class Host extends QuietHost {
        @Override
        public void complete(Operation operation, int error, long sizeBytes) {
            assertThat(over.put(operation, error)).as("reported before").isNull();
        }
    }

    private final class Link implements QuietLink {
        /** The other cancel waits for the end of this one, and has said its code by then. */
        @Override
        public long countCancel() {
            Thread other = Thread.ofPlatform().daemon().name("deadline").start(deadline);
            while (other.isAlive() && other.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
            return 1;
        }

        @Override
        public boolean mayHaveSend(int tag) {
            return false;
        }

        @Override
        public int tryNote(Message note) {
            return OK;
        }

        @Override
        public void end(String reason) {
            throw new AssertionError("the session ends: " + reason);
        }

        @Override
        public int call(Message request, Message reply, long timeoutNs) {
            throw new AssertionError("everything here is a note");
        }

        @Override
        public int note(Message note, long timeoutNs) {
            return OK;
        }

        @Override
        public boolean claim(Message grant) {
            throw new AssertionError("nothing here is granted");
        }
    }
}
