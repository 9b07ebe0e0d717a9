package org.jbmi.tcp;

import org.jbmi.Option;

import java.util.List;

/** The options of the tcp method, for {@link org.jbmi.Bmi#setOption} without an address. */
public final class TcpOptions {
    /**
     * Whether a cancel closes all connections with the peer of the operation; all operations of
     * that peer end then. A deadline that passes closes none. Default false.
     */
    public static final Option<Boolean> FORCEFUL_CANCEL =
            setting("BMI_FORCEFUL_CANCEL_MODE", Boolean.class, 8);

    /**
     * The networks and ports that may connect, as text in the form of {@code tcp.trusted}; empty
     * text allows all. No effect on a client.
     */
    public static final Option<String> TRUSTED_CONNECTIONS =
            setting("BMI_TRUSTED_CONNECTION", String.class, 9);

    /** Send buffer of sockets connected later, in bytes; 0 leaves the system's. */
    public static final Option<Integer> SEND_BUFFER_BYTES =
            setting("BMI_TCP_BUFFER_SEND_SIZE", Integer.class, 11);

    /** Receive buffer of sockets connected later, in bytes; 0 leaves the system's. */
    public static final Option<Integer> RECEIVE_BUFFER_BYTES =
            setting("BMI_TCP_BUFFER_RECEIVE_SIZE", Integer.class, 12);

    /** The port that a server is bound to by its first listen address; -1 for a client. */
    public static final Option<Integer> PORT =
            new Option<>("BMI_TCP_GET_PORT", Integer.class, 18, -1, false, true);

    private static final List<Option<?>> ALL =
            List.of(
                    FORCEFUL_CANCEL,
                    TRUSTED_CONNECTIONS,
                    SEND_BUFFER_BYTES,
                    RECEIVE_BUFFER_BYTES,
                    PORT);

    private TcpOptions() {}

    /**
     * All of them, in the order of their numbers.
     *
     * @return an immutable list
     */
    public static List<Option<?>> all() {
        return ALL;
    }

    private static <T> Option<T> setting(String name, Class<T> type, int number) {
        return new Option<>(name, type, number, number, true, false);
    }
}
