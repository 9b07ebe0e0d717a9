package org.jbmi.zoid.common;

import org.jbmi.zbmi.link.PeerLine;

/**
 * Ends a session after an Error, mostly because the heap is full, or after an exception that should
 * not be. The state of the code that ran is unknown. So the session ends with a reason, all its
 * operations end, and no thread uses it again. Nothing here allocates before that is done.
 */
public final class SessionFailure {
    private static final String REASON =
            "Something failed in the middle of a call of this process, perhaps for want of memory:"
                    + " see its log.";

    private SessionFailure() {}

    /**
     * Ends a session. The caller has work to finish, so this call throws nothing, even if the heap
     * or the stack is still full.
     *
     * @param error what was thrown; logged if there is memory for that
     */
    public static void end(PeerLine channel, Throwable error) {
        try {
            channel.end(REASON);
        } catch (RuntimeException | Error e) {
            log(e); // its operations end first
        }
        log(error);
    }

    private static void log(Throwable error) {
        try {
            System.getLogger(SessionFailure.class.getName())
                    .log(System.Logger.Level.ERROR, REASON, error);
        } catch (RuntimeException | Error e) {
            // Mostly for want of memory; the operations show that the session is over.
        }
    }

    /** Logs a failure of one operation, if there is memory for that. */
    public static void warn(System.Logger log, String sentence, Throwable cause) {
        try {
            log.log(System.Logger.Level.WARNING, "{0}: {1}", sentence, cause.getMessage());
        } catch (OutOfMemoryError e) {
            // The operation reports it.
        }
    }

    /**
     * As {@link #endOrThrow}, for a thread that is not inside the session. If no thread may enter
     * any more, the close ends the session.
     */
    public static void endFromOutside(SessionGuard guard, PeerLine channel, Error error) {
        if (guard.enter()) {
            try {
                end(channel, error);
            } finally {
                guard.exit();
            }
        }
        if (!(error instanceof VirtualMachineError)) {
            throw error;
        }
    }

    /**
     * Ends a session, and throws the error again if it is a fault in the program rather than a lack
     * of memory.
     */
    public static void endOrThrow(PeerLine channel, Error error) {
        end(channel, error);
        if (!(error instanceof VirtualMachineError)) {
            throw error;
        }
    }
}
