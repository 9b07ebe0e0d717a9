package org.jbmi.tools.demo;

import java.nio.file.Path;

/**
 * What a demo is to do.
 *
 * @param file an existing, readable file
 * @param sizeBytes how many of its bytes to ship, 0 to its size
 * @param clients how many clients
 * @param through what carries the messages
 */
record DemoPlan(Path file, long sizeBytes, int clients, Through through) {
    /** How many chunks of one file are under way on each side. */
    static final int DEPTH = 4;

    /** The largest chunk. */
    static final int CHUNK_BYTES = 1 << 20;

    /** The smallest chunk that a small pool leads to. */
    static final int MIN_CHUNK_BYTES = 64 << 10;
}
