package org.jbmi.testsuite;

import org.jbmi.BmiBuilder;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Connects a method to the conformance cases. {@code bmi conform}, and the peer processes of the
 * cases, find a fixture that is named in {@code META-INF/services/org.jbmi.testsuite.MethodFixture}
 * (or {@code provides}) and has a public constructor without arguments. A method with several
 * configurations brings a fixture for each.
 */
public interface MethodFixture {
    /**
     * The method's name for reports.
     *
     * @return for example {@code "loopback"}
     */
    String name();

    /**
     * Which configuration of the method this is.
     *
     * @return one word; {@code "default"} for a method that has only one
     */
    default String configuration() {
        return "default";
    }

    /**
     * Name and configuration in one; names the file of exclusions.
     *
     * @return for example {@code "loopback"} or {@code "tcp-orangefs"}
     */
    default String fullName() {
        return configuration().equals("default") ? name() : name() + "-" + configuration();
    }

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
     * Makes an environment.
     *
     * @param settings the sizes that the case asks for
     * @return an environment of its own
     * @throws Exception if it cannot be made; the case fails then
     */
    Environment open(EnvironmentSettings settings) throws Exception;

    /**
     * Joins an environment that another process opened.
     *
     * @param coordinates the result of its {@link Environment#coordinates}
     * @return a view of that environment; closing it leaves the environment as it is
     */
    default Environment join(Map<String, String> coordinates) {
        throw new UnsupportedOperationException("Environments of " + name() + " cannot be joined.");
    }

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
     * @return a label, or null if the method does not count them; not null with {@link
     *     Capability#TEMPORARY_BLOCKS}
     */
    default @Nullable String serverCopiesCounter() {
        return null;
    }

    /**
     * The counter of payload copies of a client.
     *
     * @return a label, or null if the method does not count them
     */
    default @Nullable String clientCopiesCounter() {
        return null;
    }

    /**
     * The counter of blocks that nobody had freed when their instance closed. Most cases fail
     * unless it is 0 at their end.
     *
     * @param ofServer true for a server's counter, false for a client's
     * @return a label; null only for a client, if the method does not count them
     */
    default @Nullable String leakedBlocksCounter(boolean ofServer) {
        return null;
    }

    /**
     * Counters of messages against the protocol. Each instance that uses the method has at least
     * one of them, with 0 at the end of a case that sends no such messages.
     *
     * @return labels
     */
    default List<String> faultCounters() {
        return List.of();
    }

    /**
     * Gives an instance a name service that knows no host.
     *
     * @param builder of the instance
     */
    default void withoutNames(BmiBuilder builder) {
        throw new UnsupportedOperationException(name() + " asks no name service.");
    }

    /**
     * The largest expected message that the method carries where no knob is turned; environments
     * may have a smaller limit unless a case asks for more.
     *
     * @return bytes, or 0 for what environments have
     */
    default long largestExpectedBytes() {
        return 0;
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

    /**
     * The counter of the calls that a client forwards.
     *
     * @return a label, or null if the fixture does not declare {@link Capability#CALL_COUNTER}
     */
    default @Nullable String forwardedCallsCounter() {
        return null;
    }

    /**
     * The counter of a server's commands to its broker.
     *
     * @return a label, or null if the method has none
     */
    default @Nullable String commandsCounter() {
        return null;
    }

    /**
     * The knob that says how long opening and lookup wait for a broker that is not there.
     *
     * @return its name, or null if the fixture does not declare {@link Capability#BROKER}
     */
    default @Nullable String brokerWaitKnob() {
        return null;
    }
}
