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
    /** {@return the method's name for reports, such as {@code "loopback"}} */
    String name();

    /**
     * {@return which configuration of the method this is, in one word; {@code "default"} for a
     * method that has only one}
     */
    default String configuration() {
        return "default";
    }

    /**
     * {@return name and configuration in one, such as {@code "loopback"} or {@code "tcp-orangefs"};
     * names the file of exclusions}
     */
    default String fullName() {
        return configuration().equals("default") ? name() : name() + "-" + configuration();
    }

    /** {@return the scheme of the addresses, such as {@code "loopback"}} */
    String scheme();

    /** {@return what the method can do} */
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
     * {@return strings that begin with the scheme and are no addresses: lookup refuses them with
     * {@code ENOPROTOOPT}}
     */
    List<String> malformedAddresses();

    /**
     * {@return the labels of counters that are 0 in an instance which holds nothing, beside the
     * core's own}
     */
    default List<String> restCounters() {
        return List.of();
    }

    /**
     * {@return the label of the counter of payload copies of a server, or null if the method does
     * not count them; not null with {@link Capability#TEMPORARY_BLOCKS}}
     */
    default @Nullable String serverCopiesCounter() {
        return null;
    }

    /**
     * {@return the label of the counter of payload copies of a client, or null if the method does
     * not count them}
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
     * {@return the labels of counters of messages against the protocol} Each instance that uses the
     * method has at least one of them, with 0 at the end of a case that sends no such messages.
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
     * {@return the largest expected message that the method carries with the default knobs, in
     * bytes; 0 if environments have the same limit} Environments may have a smaller limit unless a
     * case asks for more.
     */
    default long largestExpectedBytes() {
        return 0;
    }

    /**
     * {@return the label of the counter of posts with buffers that are not aligned, or null if
     * alignment does not matter to the method}
     */
    default @Nullable String unalignedCounter() {
        return null;
    }

    /**
     * {@return the label of the counter of unexpected messages that were accepted for a receiver,
     * or null if the method does not count them}
     */
    default @Nullable String unexpectedAcceptedCounter() {
        return null;
    }

    /**
     * {@return the label of the counter of the calls that a client forwards, or null if the fixture
     * does not declare {@link Capability#CALL_COUNTER}}
     */
    default @Nullable String forwardedCallsCounter() {
        return null;
    }

    /**
     * {@return the label of the counter of a server's commands to its broker, or null if the method
     * has none}
     */
    default @Nullable String commandsCounter() {
        return null;
    }

    /**
     * {@return the name of the knob that says how long opening and lookup wait for a broker that is
     * not there, or null if the fixture does not declare {@link Capability#BROKER}}
     */
    default @Nullable String brokerWaitKnob() {
        return null;
    }
}
