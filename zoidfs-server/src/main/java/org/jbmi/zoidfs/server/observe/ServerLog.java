package org.jbmi.zoidfs.server.observe;

/** What the server says of faults of its own; what clients do wrong is counted, not logged. */
public final class ServerLog {
    private static final System.Logger LOGGER = System.getLogger("org.jbmi.zoidfs.server");

    private ServerLog() {}

    /** Something of ours failed; the server goes on. */
    public static void failed(String sentence, Throwable cause) {
        try {
            LOGGER.log(System.Logger.Level.ERROR, sentence, cause);
        } catch (OutOfMemoryError e) {
            // The record is lost. Who writes it has more to do.
        }
    }
}
