package org.jbmi;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The options of the Buffered Message Interface. Their numbers differ between the standalone
 * library and OrangeFS from 16 on, so a program names the option; {@link #byNumber} serves programs
 * that carry numbers.
 */
public final class Options {
    /** The two numberings in use. */
    public enum Numbering {
        /** The standalone library, as the I/O forwarders use it. */
        STANDALONE,
        /** The copy in OrangeFS. */
        ORANGEFS
    }

    /** Forgets an address at once, whatever its reference count. Value: ignored, true. */
    public static final Option<Boolean> DROP_ADDRESS = action("BMI_DROP_ADDR", 1);

    /** Whether any method is active. */
    public static final Option<Boolean> CHECK_INITIALIZED =
            query("BMI_CHECK_INIT", Boolean.class, 2);

    /**
     * The largest expected message in bytes; without an address the least over all active methods.
     */
    public static final Option<Long> MAX_EXPECTED_BYTES = query("BMI_CHECK_MAXSIZE", Long.class, 3);

    /** The method's own object behind an address. */
    public static final Option<Object> METHOD_ADDRESS = query("BMI_GET_METH_ADDR", Object.class, 4);

    /** Adds a reference to an address. Value: ignored, true. */
    public static final Option<Boolean> INCREMENT_REFERENCE = action("BMI_INC_ADDR_REF", 5);

    /** Drops a reference; the last one may drop the address. Value: ignored, true. */
    public static final Option<Boolean> DECREMENT_REFERENCE = action("BMI_DEC_ADDR_REF", 6);

    /** Whether the method would let an address go that nobody refers to. */
    public static final Option<Boolean> DROP_ADDRESS_QUERY =
            query("BMI_DROP_ADDR_QUERY", Boolean.class, 7);

    /** Whether every cancel closes the connection (tcp). */
    public static final Option<Boolean> FORCEFUL_CANCEL =
            setting("BMI_FORCEFUL_CANCEL_MODE", Boolean.class, 8, 8);

    /** The networks and ports that may connect (tcp), as text. */
    public static final Option<String> TRUSTED_CONNECTIONS =
            setting("BMI_TRUSTED_CONNECTION", String.class, 9, 9);

    /** The largest unexpected message in bytes to an address. */
    public static final Option<Long> MAX_UNEXPECTED_BYTES =
            query("BMI_GET_UNEXP_SIZE", Long.class, 10);

    /** Send buffer of sockets connected later, in bytes (tcp); 0 leaves the system's. */
    public static final Option<Integer> TCP_SEND_BUFFER_BYTES =
            setting("BMI_TCP_BUFFER_SEND_SIZE", Integer.class, 11, 11);

    /** Receive buffer of sockets connected later, in bytes (tcp); 0 leaves the system's. */
    public static final Option<Integer> TCP_RECEIVE_BUFFER_BYTES =
            setting("BMI_TCP_BUFFER_RECEIVE_SIZE", Integer.class, 12, 12);

    /**
     * Closes the connection to an address (tcp); its operations end with {@link ErrorCode#ECANCEL}.
     */
    public static final Option<Boolean> TCP_CLOSE_SOCKET = action("BMI_TCP_CLOSE_SOCKET", 13);

    /** Tells that a buffer will be used soon; accepted and ignored by every method here. */
    public static final Option<Object> OPTIMISTIC_REGISTRATION =
            setting("BMI_OPTIMISTIC_BUFFER_REG", Object.class, 14, 14);

    /**
     * Whether a waiting testContext returns early when an unexpected message arrives; default true.
     */
    public static final Option<Boolean> CHECK_UNEXPECTED =
            new Option<>("BMI_TCP_CHECK_UNEXPECTED", Boolean.class, 15, 15, true, true);

    /** How long a post of a zoid client may wait for its immediate completion, in ms; default 0. */
    public static final Option<Integer> ZOID_POST_TIMEOUT_MS =
            new Option<>("BMI_ZOID_POST_TIMEOUT", Integer.class, 16, -1, true, true);

    /** The names of the methods found, for example {@code [loopback, zoid]}. */
    @SuppressWarnings("unchecked")
    public static final Option<List<String>> TRANSPORT_METHODS =
            new Option<>(
                    "BMI_TRANSPORT_METHODS_STRING",
                    (Class<List<String>>) (Class<?>) List.class,
                    17,
                    16,
                    false,
                    true);

    /** The port that a tcp server is bound to, -1 for a client. */
    public static final Option<Integer> TCP_PORT =
            new Option<>("BMI_TCP_GET_PORT", Integer.class, 18, -1, false, true);

    private static final List<Option<?>> ALL =
            List.of(
                    DROP_ADDRESS,
                    CHECK_INITIALIZED,
                    MAX_EXPECTED_BYTES,
                    METHOD_ADDRESS,
                    INCREMENT_REFERENCE,
                    DECREMENT_REFERENCE,
                    DROP_ADDRESS_QUERY,
                    FORCEFUL_CANCEL,
                    TRUSTED_CONNECTIONS,
                    MAX_UNEXPECTED_BYTES,
                    TCP_SEND_BUFFER_BYTES,
                    TCP_RECEIVE_BUFFER_BYTES,
                    TCP_CLOSE_SOCKET,
                    OPTIMISTIC_REGISTRATION,
                    CHECK_UNEXPECTED,
                    ZOID_POST_TIMEOUT_MS,
                    TRANSPORT_METHODS,
                    TCP_PORT);

    private Options() {}

    /**
     * All of them, in the order of the standalone numbering.
     *
     * @return an immutable list
     */
    public static List<Option<?>> all() {
        return ALL;
    }

    /**
     * Finds an option by the number that a C program uses.
     *
     * @param numbering whose numbers
     * @param number the number
     * @return the option, or null if that numbering has none with this number
     */
    public static @Nullable Option<?> byNumber(Numbering numbering, int number) {
        for (Option<?> option : ALL) {
            int candidate =
                    numbering == Numbering.STANDALONE
                            ? option.standaloneNumber()
                            : option.orangeFsNumber();
            if (candidate == number && number > 0) {
                return option;
            }
        }
        return null;
    }

    private static Option<Boolean> action(String name, int number) {
        return new Option<>(name, Boolean.class, number, number, true, false);
    }

    private static <T> Option<T> query(String name, Class<T> type, int number) {
        return new Option<>(name, type, number, number, false, true);
    }

    private static <T> Option<T> setting(String name, Class<T> type, int standalone, int orangeFs) {
        return new Option<>(name, type, standalone, orangeFs, true, false);
    }
}
