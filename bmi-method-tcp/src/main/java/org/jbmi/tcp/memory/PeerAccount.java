package org.jbmi.tcp.memory;

/**
 * How much of the method's memory one peer holds, by the kind of messages. Guarded by the monitor
 * of the {@link PeerMemory} of each kind.
 */
public final class PeerAccount {
    /** The account of unexpected messages. */
    public static final int UNEXPECTED = 0;

    /** The account of expected messages that came before their receives. */
    public static final int EARLY = 1;

    private static final int KINDS = 2;

    final long[] heldBytes = new long[KINDS];
}
