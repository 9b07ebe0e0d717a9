package org.jbmi.zoidfs.server.files;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the memory of replies until their clients have received them. A directory list may end
 * after any entry, so each reply gets a share of the free memory. If some clients receive nothing,
 * the lists of others become shorter, but never empty. Safe for use by any thread.
 */
public final class ReplyRoom {
    /** A list gets this part of the free memory. */
    private static final long SHARES = 32;

    /** The share of a list when nothing is free. */
    private static final long LEAST_BYTES = 4 << 10;

    private final long sizeBytes;
    private final AtomicLong heldBytes = new AtomicLong();

    /** Makes room for so many bytes of replies. */
    public ReplyRoom(long sizeBytes) {
        this.sizeBytes = sizeBytes;
    }

    /** Takes the share of a list, in bytes; {@link #give} returns it when the list is made. */
    public long reserve() {
        long share = Math.max(LEAST_BYTES, (sizeBytes - heldBytes.get()) / SHARES);
        take(share);
        return share;
    }

    /** Takes the bytes of a reply that waits for its client. */
    public void take(long bytes) {
        heldBytes.addAndGet(bytes);
    }

    /** Returns bytes: the client has received the reply, or is gone. */
    public void give(long bytes) {
        heldBytes.addAndGet(-bytes);
    }

    /** How many bytes replies hold now. */
    public long heldBytes() {
        return heldBytes.get();
    }
}
