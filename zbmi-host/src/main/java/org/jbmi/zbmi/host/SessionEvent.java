package org.jbmi.zbmi.host;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.protocol.handshake.Refused;

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

    private static final Refused NO_MEMORY =
            new Refused(
                    ErrorCode.ENOMEM.negativeValue(),
                    "This host has no memory for that at present.");

    /** For the engine's thread: changes the table. */
    void apply(SessionTable table, Connection connection) {
        switch (this) {
            case ATTACH, ASKED -> answer(table, connection);
            case GONE -> table.gone(connection, false);
            case GONE_CLEANLY -> table.gone(connection, true);
            case PROVED_DEAD -> table.provedDead(connection);
        }
    }

    // Without memory for one answer the engine goes on for all others. Only a peer that has its
    // session already cannot be refused: the session would stay half open.
    private void answer(SessionTable table, Connection connection) {
        try {
            if (this == ATTACH) {
                table.attach(connection);
            } else {
                table.asked(connection);
            }
        } catch (OutOfMemoryError | LinkageError e) {
            if (connection.session() >= 0) {
                throw e;
            }
            table.answer(connection, NO_MEMORY, -1);
        }
    }
}
