package org.jbmi.shipper.pump;

import org.jbmi.Bmi;
import org.jbmi.PeerAddress;
import org.jbmi.spi.SpinLock;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/** Messages to be encoded, reused, the last one first. Any thread takes and returns them. */
public final class OutgoingPool {
    private static final int MOST_KEPT = 256;
    private static final int LARGEST_KEPT = 64 << 10;

    private final int limit;
    private final SpinLock lock = new SpinLock();
    private final ArrayDeque<Outgoing> free = new ArrayDeque<>(MOST_KEPT);
    private final PoolPieces pieces = new PoolPieces();
    private int inUse;

    /**
     * Makes an empty pool.
     *
     * @param limit the most bytes of a message
     */
    public OutgoingPool(int limit) {
        this.limit = limit;
    }

    /** Takes a message to be encoded. */
    public Outgoing take() {
        Outgoing kept = takeKept();
        if (kept != null) {
            return kept;
        }
        Outgoing made = new Outgoing(this, limit); // it may find no memory, and then none is in use
        lock.lock();
        inUse++;
        lock.unlock();
        return made;
    }

    private @Nullable Outgoing takeKept() {
        lock.lock();
        try {
            Outgoing kept = free.pollLast();
            if (kept != null) {
                inUse++;
            }
            return kept;
        } finally {
            lock.unlock();
        }
    }

    /** Returns a message; called by the message itself after it was sent. */
    public void give(Outgoing message) {
        boolean isKept = message.capacity() <= LARGEST_KEPT;
        lock.lock();
        try {
            inUse--;
            if (isKept && free.size() < MOST_KEPT) {
                free.addLast(message);
                return;
            }
            MemorySegment piece = message.takePiece();
            if (piece != null) {
                pieces.give(piece);
            }
        } finally {
            lock.unlock();
        }
    }

    @Nullable MemorySegment takePiece(PeerAddress peer) {
        lock.lock();
        try {
            return pieces.take(peer);
        } finally {
            lock.unlock();
        }
    }

    /** Frees the shared memory of messages; when none is sent any more. */
    public void close(Bmi bmi) {
        lock.lock();
        try {
            pieces.close(bmi);
        } finally {
            lock.unlock();
        }
    }

    /** How many are in use. */
    public int inUse() {
        lock.lock();
        int count = inUse;
        lock.unlock();
        return count;
    }
}
