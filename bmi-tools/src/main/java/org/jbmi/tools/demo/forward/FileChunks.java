package org.jbmi.tools.demo.forward;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Reads pieces of files. */
final class FileChunks {
    private FileChunks() {}

    /**
     * Fills memory from a file.
     *
     * @throws EOFException if the file ends before
     * @throws IOException if it cannot be read
     */
    static void readFully(FileChannel file, MemorySegment target, long offset) throws IOException {
        ByteBuffer bytes = target.asByteBuffer();
        while (bytes.hasRemaining()) {
            if (file.read(bytes, offset + bytes.position()) < 0) {
                throw new EOFException("The file became shorter while it was read");
            }
        }
    }
}
