package org.jbmi.zbmi.attach;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

/**
 * Ends waits of an interrupted thread: with its flag set a thread sleeps neither parked nor in a
 * selector, but would spin.
 */
public final class Interrupts {
    private Interrupts() {}

    /**
     * Throws if the thread is interrupted; it stays interrupted.
     *
     * @param whom the party it waits for
     * @throws BmiException with {@link ErrorCode#EINTR} if so
     */
    public static void endWaitFor(String whom) {
        if (Thread.currentThread().isInterrupted()) {
            throw new BmiException(
                    ErrorCode.EINTR,
                    "The thread was interrupted while it waited for " + whom + ".");
        }
    }
}
