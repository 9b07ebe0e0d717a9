package org.jbmi.zbmi.host;

/**
 * What the sessions thread tells the engine's thread. Each call returns at once; false means that
 * there is no room now, and the same call is made again a little later.
 */
interface SessionEvents {
    /** A peer introduced itself and waits for its answer. */
    boolean attach(Connection connection);

    /** Somebody who is no peer asks for {@link Connection#question}. */
    boolean asked(Connection connection);

    /**
     * A peer's socket is closed.
     *
     * @param clean whether it promised to touch nothing any more
     */
    boolean gone(Connection connection, boolean clean);

    /**
     * A peer that was gone touches nothing any more: its process has ended, or the farewell has
     * come of one that was sent away.
     */
    boolean provedDead(Connection connection);
}
