package org.jbmi.testsuite.model;

/**
 * The key of messages that may match: one client, one direction, one tag.
 *
 * @param client which of the clients
 * @param up from the client to the server
 * @param tag of the messages
 */
public record Way(int client, boolean up, int tag) {
    @Override
    public String toString() {
        return (up ? "client " + client + " to server" : "server to client " + client)
                + ", tag "
                + tag;
    }
}
