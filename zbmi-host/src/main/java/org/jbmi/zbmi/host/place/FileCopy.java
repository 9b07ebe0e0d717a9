package org.jbmi.zbmi.host.place;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * A copy of a file of another process: a mapped file could be cut short while it is read, which
 * would be a fault.
 */
final class FileCopy {
    private FileCopy() {}

    /**
     * Reads the beginning of a file.
     *
     * @return aligned to 8 bytes; zero where the file has become shorter meanwhile
     * @throws IOException if it cannot be read
     */
    static MemorySegment of(Path file, long maxBytes, Arena arena) throws IOException {
        try (FileChannel channel =
                FileChannel.open(
                        file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
            MemorySegment copy = arena.allocate(Math.min(channel.size(), maxBytes), Long.BYTES);
            ByteBuffer bytes = copy.asByteBuffer();
            int count = 0;
            while (bytes.hasRemaining() && count >= 0) {
                count = channel.read(bytes);
            }
            return copy;
        }
    }
}
