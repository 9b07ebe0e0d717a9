package org.jbmi.tools.demo.forward;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Where chunks come from or go to: a file, a digest. Called in the order of the file, never twice
 * at once.
 */
@FunctionalInterface
interface ChunkEnd {
    /**
     * Fills a chunk that is to be sent, or empties one that was received.
     *
     * @param chunk exactly the chunk
     * @param offset where it stands in the file
     * @throws IOException if the file cannot be read or written
     */
    void move(MemorySegment chunk, long offset) throws IOException;
}
