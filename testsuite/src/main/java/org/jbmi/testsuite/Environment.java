package org.jbmi.testsuite;

import org.jbmi.Bmi;
import org.jbmi.BmiBuilder;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * An isolated place for servers and clients of one method: a hub, a daemon with its runtime
 * directory, or some free ports. Made for one case and closed after it.
 */
public interface Environment extends AutoCloseable {
    /**
     * Describes a server.
     *
     * @param number 0 for the server of most cases, more for others beside it
     * @return a builder that listens; the case may change it and opens it
     */
    default BmiBuilder serverBuilder(int number) {
        return clientBuilder().listen(serverAddress(number));
    }

    /** {@return a new builder for a client that reaches the servers of this environment} */
    default BmiBuilder clientBuilder() {
        return extend(Bmi.builder());
    }

    /**
     * Adds to a builder what an instance needs to reach this environment; with it, an instance can
     * be in several environments of several methods.
     *
     * @param builder any
     * @return the same builder
     */
    BmiBuilder extend(BmiBuilder builder);

    /**
     * The address that clients look up.
     *
     * @param number of the server
     * @return an address
     */
    String serverAddress(int number);

    /**
     * The data that another process needs to join this environment with {@link MethodFixture#join}.
     *
     * @return short texts; empty if the fixture does not declare {@link Capability#PROCESSES}
     */
    default Map<String, String> coordinates() {
        return Map.of();
    }

    /**
     * {@return the configured memory of the pool that the server allocates from, in bytes;
     * meaningful if the fixture declares {@link Capability#TEMPORARY_BLOCKS}}
     */
    default long serverPoolBytes() {
        return 0;
    }

    /**
     * {@return the process between the peers; null if the fixture does not declare {@link
     * Capability#BROKER}}
     */
    default @Nullable Broker broker() {
        return null;
    }

    /**
     * {@return what the peers did against the protocol, as those know who serve them: a line for
     * each; empty if they broke no rule} Asked before the case's instances are closed.
     */
    default List<String> faults() {
        return List.of();
    }

    /**
     * {@return what the environment holds for its peers, such as the memory of messages that nobody
     * has freed: a line for each; becomes empty soon if nothing is lost} Asked before the case's
     * instances are closed, when they are at rest.
     */
    default List<String> held() {
        return List.of();
    }

    /**
     * Ends everything that is not an instance, such as a daemon. The case has closed its instances.
     */
    @Override
    void close();

    /**
     * {@return what is left of this environment after it was closed, such as files, processes,
     * blocks in use: a line for each; empty in a clean environment}
     */
    default List<String> leftovers() {
        return List.of();
    }
}
