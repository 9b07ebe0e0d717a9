package org.jbmi.testsuite;

import org.jbmi.BmiBuilder;

import java.util.List;

/**
 * A place in which servers and clients of one method meet and disturb nobody else: a hub, a daemon
 * with its runtime directory, or some free ports. Made for one case and closed after it.
 */
public interface World extends AutoCloseable {
    /**
     * Describes a server.
     *
     * @param number 0 for the server of most cases, more for others beside it
     * @return a builder that listens; the case may change it and opens it
     */
    BmiBuilder serverBuilder(int number);

    /**
     * Describes a client.
     *
     * @return a builder that reaches the servers of this world
     */
    BmiBuilder clientBuilder();

    /**
     * What clients look up.
     *
     * @param number of the server
     * @return an address
     */
    String serverAddress(int number);

    /**
     * Ends everything that is not an instance, such as a daemon. The case has closed its instances.
     */
    @Override
    void close();

    /**
     * What is left of this world after it was closed: files, processes, blocks in use.
     *
     * @return a line for each; empty in a clean world
     */
    default List<String> leftovers() {
        return List.of();
    }
}
