package org.jbmi.zbmi.host;

/** Takes the engine's requests about connections. */
interface ConnectionRequests {
    /**
     * Requests an action. The thread that runs {@link Sessions#turn} does it soon.
     *
     * @param connection the connection
     * @param bit {@link Connection#ANSWER}, {@link Connection#EVICT}, {@link Connection#WAKE} or
     *     {@link Connection#SEND_AWAY}
     */
    void request(Connection connection, int bit);
}
