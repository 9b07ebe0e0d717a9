package org.jbmi.shipper.wire;

/**
 * The tags of the shipper. All of them begin with the same eight bits, so that other parts of a
 * program may use all other tags.
 *
 * <pre>
 *    31      24 23 22             8 7        0
 *   +----------+--+----------------+----------+
 *   |  prefix  |0 |      lane      | channel  |  a session: lane of the peer, from 1
 *   +----------+--+----------------+----------+
 *   |  prefix  |1 |     23 random bits        |  the welcome that answers one hello
 *   +----------+--+---------------------------+
 * </pre>
 *
 * Lane 0, channel 0 is what clients send to servers (unexpected messages). In a session channel 0
 * is the client's inbox. On channel 255 the server waits to hear of the client's end. Each of the
 * others carries the bytes of one transfer.
 */
public final class Tags {
    /** Lanes are numbered from 1 to this. */
    public static final int MAX_LANE = (1 << 15) - 1;

    /** The inbox of the client. */
    public static final int INBOX = 0;

    /** Transfers use the channels from 1 to this. */
    public static final int MAX_TRANSFER_CHANNEL = 64;

    /**
     * How many messages one side may leave of the other one, beside two for each call: some for
     * each transfer.
     */
    public static final int MOST_UNTAKEN = 4 * MAX_TRANSFER_CHANNEL + 64;

    /** Never used for a message: its receive fails when the client ends. */
    public static final int WATCH = 255;

    private static final int PREFIX_SHIFT = 24;
    private static final int LANE_SHIFT = 8;
    private static final int WELCOME_BIT = 1 << 23;

    private Tags() {}

    /**
     * The tag of requests from clients to servers.
     *
     * @param prefix 0 to 255
     */
    public static int request(int prefix) {
        return prefix << PREFIX_SHIFT;
    }

    /**
     * One channel of a session.
     *
     * @param prefix 0 to 255
     * @param lane 1 to {@link #MAX_LANE}
     * @param channel 0 to 255
     */
    public static int session(int prefix, int lane, int channel) {
        return prefix << PREFIX_SHIFT | lane << LANE_SHIFT | channel;
    }

    /**
     * The tag of a welcome.
     *
     * @param prefix 0 to 255
     * @param random any number
     */
    public static int welcome(int prefix, int random) {
        return prefix << PREFIX_SHIFT | WELCOME_BIT | (random & (WELCOME_BIT - 1));
    }

    /**
     * Whether a tag is one of {@link #welcome}.
     *
     * @param prefix 0 to 255
     */
    public static boolean isWelcome(int prefix, int tag) {
        return tag >>> PREFIX_SHIFT == prefix && (tag & WELCOME_BIT) != 0;
    }
}
