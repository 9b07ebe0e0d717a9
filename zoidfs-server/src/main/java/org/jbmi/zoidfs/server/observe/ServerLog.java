package org.jbmi.zoidfs.server.observe;

/** What the server says of faults of its own; what clients do wrong is counted, not logged. */
public final class ServerLog {
    private static final System.Logger LOGGER = System.getLogger("org.jbmi.zoidfs.server");

    private ServerLog() {}

    /**
     * Loads the logger and the faults, since that takes memory; to be called before the first
     * entry. An entry may load more, and is lost if there is no memory for that.
     */
    public static void load() {
        for (Fault fault : Fault.values()) {
            LOGGER.log(System.Logger.Level.TRACE, fault.sentence());
        }
    }

    /** Something of ours failed; the server goes on. Throws nothing if memory lacks. */
    public static void failed(Fault fault, Throwable cause) {
        try {
            LOGGER.log(System.Logger.Level.ERROR, fault.sentence(), cause);
        } catch (OutOfMemoryError | LinkageError e) {
            // The record is lost: there is no memory for it, or for a class that it needs. Who
            // writes it has more to do.
        }
    }
}
