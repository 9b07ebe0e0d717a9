package org.jbmi.tcp.io;

import org.jbmi.spi.Operation;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The rest of a send that was cancelled, or whose deadline passed, after its first byte was
 * written. It is a copy, so that the program has its buffers back and the peer still gets a whole
 * message. The writer of the connection owns it, and closes it once, after it is written or the
 * connection is broken.
 */
public final class Rest {
    public final ByteBuffer bytes;
    private final Arena arena;
    private final long sizeBytes;

    private Rest(Arena arena, MemorySegment memory) {
        this.arena = arena;
        this.sizeBytes = memory.byteSize();
        this.bytes = memory.asByteBuffer();
    }

    /**
     * Copies the last bytes of a send. The caller accounts for the space.
     *
     * @return null if there is no memory for it
     * @throws RuntimeException if the program closed the arena of its buffer
     * @throws InternalError if it shortened the file that its buffer maps
     */
    public static @Nullable Rest copyOf(Operation send, long leftBytes) {
        Arena arena = null;
        boolean isWhole = false;
        try {
            arena = Arena.ofShared();
            MemorySegment target = arena.allocate(leftBytes);
            long skip = send.sizeBytes() - leftBytes;
            long at = 0;
            for (int i = 0; i < send.bufferCount(); i++) {
                MemorySegment piece = send.buffer(i);
                long skipped = Math.min(skip, piece.byteSize());
                long length = piece.byteSize() - skipped;
                MemorySegment.copy(piece, skipped, target, at, length);
                skip -= skipped;
                at += length;
            }
            Rest rest = new Rest(arena, target);
            isWhole = true;
            return rest;
        } catch (OutOfMemoryError e) {
            return null; // the connection is closed instead, which needs no memory
        } finally {
            if (arena != null && !isWhole) {
                arena.close();
            }
        }
    }

    /** How many bytes it holds in memory. */
    public long sizeBytes() {
        return sizeBytes;
    }

    /** Frees the memory. */
    public void close() {
        arena.close();
    }
}
