package org.jbmi.zoid.forward.client;

/**
 * Splits a large transfer into calls that fit into a message. This class learns the limit from the
 * first call that is too large. Use one for each function, because the limit depends on the other
 * arguments. Safe for use by any thread.
 */
public final class ChunkLimit {
    private volatile long mostBytes = Long.MAX_VALUE;

    /** One piece of a transfer. */
    @FunctionalInterface
    public interface Piece {
        /**
         * Moves one piece.
         *
         * @param done how many bytes were moved before
         * @param bytes how many to move now
         * @return how many were moved; negative for an error of the function
         * @throws ZoidException if the forwarding layer failed
         */
        long move(long done, long bytes);
    }

    /** A limit that is still unknown. */
    public ChunkLimit() {}

    /**
     * Moves bytes in as few calls as fit. Ends at a piece that moves less than it was asked for.
     *
     * @param bytes how many in all
     * @param piece moves one piece, by a client that throws
     * @return how many were moved; if nothing was, the error of the function
     * @throws ZoidException if the forwarding layer failed in another way than by a size
     */
    public long move(long bytes, Piece piece) {
        long done = 0;
        do {
            long wanted = Math.min(bytes - done, mostBytes);
            long moved;
            try {
                moved = piece.move(done, wanted);
            } catch (ZoidException e) {
                long fits = wanted - e.excessiveSize();
                if (e.error() != ZoidError.E2BIG || fits <= 0 || fits >= wanted) {
                    throw e;
                }
                mostBytes = fits;
                continue;
            }
            if (moved < 0) {
                return done > 0 ? done : moved;
            }
            done += moved;
            if (moved != wanted) {
                break;
            }
        } while (done < bytes);
        return done;
    }
}
