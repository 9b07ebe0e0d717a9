package org.jbmi.zbmi.link;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

/**
 * For waits of a thread that an interrupt ends: with its flag set a thread sleeps neither parked
 * nor in a selector, but would look again and again.
 */
public final class Interrupts {
    private Interrupts() {}

    /**
     * Ends the wait of a thread that is interrupted, and stays so.
     *
     * @param whom for whom it waits
     * @throws BmiException with {@link ErrorCode#EINTR} if it is
     */
    public static void endWaitFor(String whom) {
        if (Thread.currentThread().isInterrupted()) {
            throw new BmiException(
                    ErrorCode.EINTR,
                    "The thread was interrupted while it waited for " + whom + ".");
        }
    }
}
