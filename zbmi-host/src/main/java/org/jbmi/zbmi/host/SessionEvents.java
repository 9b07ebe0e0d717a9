package org.jbmi.zbmi.host;

/**
 * Events from {@link Sessions} to the engine. Each call returns at once; false means that there is
 * no room, and the caller tries again later.
 */
interface SessionEvents {
    /** A peer has sent its hello and waits for the answer. */
    boolean attach(Connection connection);

    /** A process that is no peer asks {@link Connection#question}. */
    boolean asked(Connection connection);

    /**
     * A peer's socket is closed.
     *
     * @param clean whether it said goodbye
     */
    boolean gone(Connection connection, boolean clean);

    /**
     * A peer that had gone can touch no memory any more: its process has ended, or the goodbye of a
     * peer whose session was ended has come.
     */
    boolean provedDead(Connection connection);
}
