package org.jbmi.demo;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;

/**
 * The plan of a demo.
 *
 * @param file an existing, readable file
 * @param sizeBytes how many of its bytes to copy, 0 to its size
 * @param clients how many clients
 * @param through what carries the messages
 * @param channel the command channel between server and daemon; null for the default
 * @param journal the folder of a journal of the engine; null for none
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

    /** The smallest chunk, for a small pool. */
    private static final int MIN_CHUNK_BYTES = 64 << 10;

    /**
     * {@return the size of chunks, a power of two, with which all chunks under way take at most
     * half of the server's pool}
     */
    int chunkBytes(long poolBytes) {
        int chunk = MAX_CHUNK_BYTES;
        while (chunk > MIN_CHUNK_BYTES && 2L * chunk * DEPTH * clients > poolBytes) {
            chunk /= 2;
        }
        return chunk;
    }
}
