package org.jbmi.zoidfs.server.files;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds what replies hold until their clients have taken them. A list of a directory may be cut
 * anywhere, so it is as long as its share of what is free: a client that takes nothing leaves
 * shorter lists to others, and never none. Safe for use by any thread.
 */
public final class ReplyRoom {
    /** So that many lists at a time get about the same. */
    private static final long SHARES = 32;

    /** What each list may have, whatever is free. */
    private static final long LEAST_BYTES = 4 << 10;

    private final long sizeBytes;
    private final AtomicLong heldBytes = new AtomicLong();

    /** Room that nobody has taken yet. */
    public ReplyRoom(long sizeBytes) {
        this.sizeBytes = sizeBytes;
    }

    /** Takes the share of a list, in bytes; {@link #give} ends that when the list is there. */
    public long reserve() {
        long share = Math.max(LEAST_BYTES, (sizeBytes - heldBytes.get()) / SHARES);
        take(share);
        return share;
    }

    /** A reply of so many bytes waits for its client from now on. */
    public void take(long bytes) {
        heldBytes.addAndGet(bytes);
    }

    /** A reply of so many bytes is through, or its client is gone. */
    public void give(long bytes) {
        heldBytes.addAndGet(-bytes);
    }

    /** What replies hold now. */
    public long heldBytes() {
        return heldBytes.get();
    }
}
