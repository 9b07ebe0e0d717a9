package org.jbmi.testsuite;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Set;

/** What a method's tests provide so that the conformance cases can run on it. */
public interface MethodFixture {
    /**
     * A name for reports; also names the file of exclusions.
     *
     * @return for example {@code "loopback"}
     */
    String name();

    /**
     * The scheme of the addresses.
     *
     * @return for example {@code "loopback"}
     */
    String scheme();

    /**
     * What the method can do.
     *
     * @return capabilities
     */
    Set<Capability> capabilities();

    /**
     * Makes a world.
     *
     * @param settings the sizes that the case asks for
     * @return a world of its own
     * @throws Exception if it cannot be made; the case fails then
     */
    World open(WorldSettings settings) throws Exception;

    /**
     * Strings that begin with the scheme and are no addresses.
     *
     * @return malformed addresses, refused by lookup with {@code ENOPROTOOPT}
     */
    List<String> malformedAddresses();

    /**
     * Counters that are 0 in an instance which holds nothing, beside the core's own.
     *
     * @return labels
     */
    default List<String> restCounters() {
        return List.of();
    }

    /**
     * The counter of payload copies of a server.
     *
     * @return a label, or null if the method does not count them
     */
    default @Nullable String serverCopiesCounter() {
        return null;
    }

    /**
     * The counter of posts with buffers that are not aligned.
     *
     * @return a label, or null if alignment does not matter to the method
     */
    default @Nullable String unalignedCounter() {
        return null;
    }

    /**
     * The counter of unexpected messages that were accepted for a receiver.
     *
     * @return a label, or null if the method does not count them
     */
    default @Nullable String unexpectedAcceptedCounter() {
        return null;
    }
}
