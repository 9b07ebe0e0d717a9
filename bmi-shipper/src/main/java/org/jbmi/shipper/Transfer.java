package org.jbmi.shipper;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.server.Memory;
import org.jbmi.shipper.server.ServerTransfer;
import org.jspecify.annotations.Nullable;

/**
 * A transfer that was started. The server's memory belongs to the transfer until {@link #await}
 * returns.
 */
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
     * Waits until it is over: all bytes have moved, or it has failed. The code of a failure is that
     * by which the client was lost, or one of these:
     *
     * <ul>
     *   <li>{@link ErrorCode#ENOENT}: memory that is not exposed any more
     *   <li>{@link ErrorCode#EACCES}: a wrong key
     *   <li>{@link ErrorCode#EPERM}: a missing permission
     *   <li>{@link ErrorCode#EFAULT}: a range outside, or memory that was freed before
     *   <li>{@link ErrorCode#ECANCEL}: an abandoned call, a cancelled transfer or an interrupted
     *       thread, which stays interrupted
     *   <li>{@link ErrorCode#ETIMEDOUT}: a client that does not move, or a deadline that has passed
     *   <li>{@link ErrorCode#EDEADLK}: a wait in a short handler
     *   <li>{@link ErrorCode#EPIPE}: a closed server
     * </ul>
     *
     * @throws BmiException if it failed
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
