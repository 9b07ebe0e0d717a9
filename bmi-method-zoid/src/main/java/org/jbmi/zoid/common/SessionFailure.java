package org.jbmi.zoid.common;

import org.jbmi.zbmi.link.PeerLine;

/**
 * What becomes of a session in the middle of which an Error was thrown, above all because the heap
 * is full. What was in hand then is not known, so the session ends in words, and every operation
 * with it; nobody uses it again. Nothing here makes an object before all that is done.
 */
public final class SessionFailure {
    private static final String REASON =
            "Something failed in the middle of a call of this process, perhaps for want of memory:"
                    + " see its log.";

    private SessionFailure() {}

    /**
     * Ends a session. Whoever calls has something to finish afterwards, so a heap that is still
     * full does not end this call.
     *
     * @param channel of it
     * @param error what was thrown; logged if there is memory for that
     */
    public static void end(PeerLine channel, Error error) {
        try {
            channel.end(REASON);
        } catch (OutOfMemoryError e) {
            // It has ended its operations first, and had no room for the words about it.
        } finally {
            log(error);
        }
    }

    private static void log(Error error) {
        try {
            System.getLogger(SessionFailure.class.getName())
                    .log(System.Logger.Level.ERROR, REASON, error);
        } catch (OutOfMemoryError e) {
            // There is no room for words either; the operations say that the session is over.
        }
    }

    /**
     * Warns of what went wrong with one operation alone, if there is memory for that.
     *
     * @param log where to
     * @param sentence what
     * @param cause why
     */
    public static void warn(System.Logger log, String sentence, Throwable cause) {
        try {
            log.log(System.Logger.Level.WARNING, "{0}: {1}", sentence, cause.getMessage());
        } catch (OutOfMemoryError e) {
            // The operation says it.
        }
    }

    /**
     * Ends a session, and throws what is a fault of the program's rather than a want of the
     * machine's: its caller shall see it.
     *
     * @param channel of the session
     * @param error what was thrown
     */
    public static void endOrThrow(PeerLine channel, Error error) {
        end(channel, error);
        if (!(error instanceof VirtualMachineError)) {
            throw error;
        }
    }
}
