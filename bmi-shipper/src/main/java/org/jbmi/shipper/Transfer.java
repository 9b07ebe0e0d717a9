package org.jbmi.shipper;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.server.Memory;
import org.jbmi.shipper.server.ServerTransfer;
import org.jspecify.annotations.Nullable;

/** A transfer that was started. The server's memory belongs to it until {@link #await} returns. */
public final class Transfer {
    private final Memory memory;
    private final @Nullable ServerTransfer transfer;

    Transfer(Memory memory, @Nullable ServerTransfer transfer) {
        this.memory = memory;
        this.transfer = transfer;
    }

    /**
     * Whether it is over.
     *
     * @return true if {@link #await} would return at once
     */
    public boolean isDone() {
        return transfer == null || transfer.isFinished();
    }

    /**
     * Waits until it is over: all bytes have moved, or it has failed.
     *
     * @throws BmiException if it failed: {@link ErrorCode#ENOENT} memory that is not exposed any
     *     more, {@link ErrorCode#EACCES} a wrong key, {@link ErrorCode#EPERM} a missing permission,
     *     {@link ErrorCode#EFAULT} a range outside, or memory that was freed before, {@link
     *     ErrorCode#ECANCEL} an abandoned call, a cancelled transfer or an interrupted thread,
     *     which stays interrupted, {@link ErrorCode#ETIMEDOUT} a client that does not move or a
     *     deadline that has passed, {@link ErrorCode#EDEADLK} a wait in a short handler, {@link
     *     ErrorCode#EPIPE} a closed server, or how the client was lost
     */
    public void await() {
        memory.await(transfer);
    }

    /** Cancels it; the caller must still await it. */
    public void cancel() {
        if (transfer != null) {
            memory.cancel(transfer);
        }
    }
}
