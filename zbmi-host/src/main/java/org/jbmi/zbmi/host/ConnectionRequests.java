package org.jbmi.zbmi.host;

/** Takes the engine's requests about connections. */
interface ConnectionRequests {
    /**
     * Requests an action, which another thread or the caller's owner does soon.
     *
     * @param connection the connection
     * @param bit {@link Connection#ANSWER}, {@link Connection#EVICT} or {@link Connection#WAKE}
     */
    void request(Connection connection, int bit);
}
