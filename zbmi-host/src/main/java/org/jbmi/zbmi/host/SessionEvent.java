package org.jbmi.zbmi.host;

/**
 * What {@link Sessions} tells the engine about a peer, in the order in which that happens to one.
 */
enum SessionEvent {
    /** A process that is no peer asks {@link Connection#question}. */
    ASKED,

    /** A peer has sent its hello and waits for the answer. */
    ATTACH,

    /** A peer's socket is closed, and it has not said goodbye. */
    GONE,

    /** A peer's socket is closed, after a goodbye. */
    GONE_CLEANLY,

    /**
     * A peer without a session can no longer touch memory: its process has ended, or its late
     * goodbye has come.
     */
    PROVED_DEAD;

    /** Takes events to the engine. */
    interface Taker {
        /**
         * Takes an event. Returns at once.
         *
         * @return false if there is no room; the caller tries again later
         */
        boolean tell(SessionEvent event, Connection connection);
    }

    /** For the engine's thread: changes the table. */
    void apply(SessionTable table, Connection connection) {
        switch (this) {
            case ATTACH -> table.attach(connection);
            case ASKED -> table.asked(connection);
            case GONE -> table.gone(connection, false);
            case GONE_CLEANLY -> table.gone(connection, true);
            case PROVED_DEAD -> table.provedDead(connection);
        }
    }
}
