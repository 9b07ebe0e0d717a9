package org.jbmi.zbmi.host;

/** Takes what the engine's thread wants to be done with connections. */
interface ConnectionRequests {
    /**
     * Asks for something; it is done soon, by another thread or by the caller's owner.
     *
     * @param connection with which
     * @param bit {@link Connection#ANSWER}, {@link Connection#EVICT} or {@link Connection#WAKE}
     */
    void request(Connection connection, int bit);
}
