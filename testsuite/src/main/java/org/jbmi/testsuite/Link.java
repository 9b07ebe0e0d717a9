package org.jbmi.testsuite;

/**
 * A client and a server that know each other.
 *
 * @param client the side that looked the other up
 * @param server the side that listens
 */
public record Link(End client, End server) {
    /** Something to do with a message on its way from one end to the other. */
    @FunctionalInterface
    public interface OneWay {
        /**
         * Does it.
         *
         * @param from the sending end
         * @param to the receiving end
         * @throws Exception if it fails
         */
        void run(End from, End to) throws Exception;
    }

    /**
     * Does something from client to server, then from server to client.
     *
     * @param action what to do
     * @throws Exception if it fails
     */
    public void bothWays(OneWay action) throws Exception {
        action.run(client, server);
        action.run(server, client);
    }
}
