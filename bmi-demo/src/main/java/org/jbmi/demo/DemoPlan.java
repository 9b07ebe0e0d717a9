package org.jbmi.demo;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;

/**
 * What a demo is to do.
 *
 * @param file an existing, readable file
 * @param sizeBytes how many of its bytes to ship, 0 to its size
 * @param clients how many clients
 * @param through what carries the messages
 * @param channel how the server's commands travel to the daemon; null for the usual one
 * @param journal where the host of the engine keeps a journal; null for none
 */
record DemoPlan(
        Path file,
        long sizeBytes,
        int clients,
        Through through,
        @Nullable String channel,
        @Nullable Path journal) {
    /** How many chunks of one file are under way on each side. */
    static final int DEPTH = 4;

    /** The largest chunk. */
    private static final int MAX_CHUNK_BYTES = 4 << 20;

    /** The smallest chunk that a small pool leads to. */
    private static final int MIN_CHUNK_BYTES = 64 << 10;

    /**
     * A size of chunks such that all that can be under way takes at most half of the server's pool.
     *
     * @param poolBytes size of the pool
     * @return a power of two
     */
    int chunkBytes(long poolBytes) {
        int chunk = MAX_CHUNK_BYTES;
        while (chunk > MIN_CHUNK_BYTES && 2L * chunk * DEPTH * clients > poolBytes) {
            chunk /= 2;
        }
        return chunk;
    }
}
