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
     * Waits until it is over: all bytes have moved, or none moves any more.
     *
     * @throws BmiException if it failed: {@link ErrorCode#ENOENT} memory that is not exposed any
     *     more, {@link ErrorCode#EACCES} a wrong key, {@link ErrorCode#EPERM} a missing permission,
     *     {@link ErrorCode#EFAULT} a range outside, {@link ErrorCode#ECANCEL} a call that nobody
     *     waits for, {@link ErrorCode#ETIMEDOUT} a client that stands still, or how the client was
     *     lost
     */
    public void await() {
        memory.await(transfer);
    }

    /** Ends it early, if it is not over; it is still to be waited for. */
    public void cancel() {
        if (transfer != null) {
            memory.cancel(transfer);
        }
    }
}
