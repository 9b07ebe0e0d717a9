package org.jbmi.tcp.wire;

/**
 * The modes of a message. The mode depends on kind and size only, not on whether a receive is
 * posted. In every mode the payload follows the header at once.
 */
public final class WireMode {
    /** An unexpected message. */
    public static final int UNEXPECTED = 2;

    /** An expected message of up to {@link #EAGER_BYTES}. */
    public static final int EAGER = 4;

    /** A longer expected message. */
    public static final int RENDEZVOUS = 8;

    /** The longest eager message, fixed by the protocol. */
    public static final int EAGER_BYTES = 16_384;

    /** The longest unexpected message that a C program sends. */
    public static final int UNEXPECTED_BYTES = 16_384;

    /** The longest expected message that a C program sends. */
    public static final int EXPECTED_BYTES = 16 << 20;

    private WireMode() {}

    /**
     * The mode of an expected message.
     *
     * @param sizeBytes its length
     * @return {@link #EAGER} or {@link #RENDEZVOUS}
     */
    public static int ofExpected(long sizeBytes) {
        return sizeBytes <= EAGER_BYTES ? EAGER : RENDEZVOUS;
    }

    /**
     * Whether a mode is one that a peer may send.
     *
     * @param mode from a header
     * @return true for the three modes above
     */
    public static boolean isKnown(int mode) {
        return mode == UNEXPECTED || mode == EAGER || mode == RENDEZVOUS;
    }
}
