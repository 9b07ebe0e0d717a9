package org.jbmi.shipper.pump;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.PeerAddress;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * A block of memory that suits messages with some peers best. It is cut into pieces for one short
 * message each, so posts from there need no other memory. Guarded by its owner.
 */
final class PoolPieces {
    /** The longest message for which a piece has room; a multiple of 8. */
    static final int PIECE_BYTES = 128;

    /** How many there are: 32 KiB in all. */
    private static final int PIECES = 256;

    private static final System.Logger LOG = System.getLogger(PoolPieces.class.getName());

    private final ArrayDeque<MemorySegment> free =
            new ArrayDeque<>(PIECES); // one that cannot grow would lose some
    private @Nullable MemorySegment block;
    private boolean closed;

    /** Takes one; null if there is none, or no memory. */
    @Nullable MemorySegment take(PeerAddress peer) {
        if (block == null && !closed) {
            block = peer.allocate((long) PIECES * PIECE_BYTES);
            for (int i = 0; block != null && i < PIECES; i++) {
                free.add(block.asSlice((long) i * PIECE_BYTES, PIECE_BYTES));
            }
        }
        return free.poll();
    }

    /** Returns one. */
    void give(MemorySegment piece) {
        if (!closed) {
            free.push(piece);
        }
    }

    /** Frees the block; a block in use is freed with the instance. */
    void close(Bmi bmi) {
        closed = true;
        free.clear();
        MemorySegment whole = block;
        block = null;
        if (whole != null && !bmi.isClosed()) {
            try {
                bmi.free(whole);
            } catch (BmiException e) {
                LOG.log(System.Logger.Level.DEBUG, "A block is left to its instance.", e);
            }
        }
    }
}
