package org.jbmi.tcp.io;

import org.jbmi.spi.Operation;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Byte buffers over the next part of an operation, for a channel. A long list is offered a few
 * buffers at a time. Used by the thread that moves the operation's bytes.
 */
public final class BufferWindow {
    /** The index of the first view; the place before is for a header. */
    public static final int FIRST = 1;

    private static final int VIEWS = 32;

    /** The channel copies heap memory through a temporary buffer as large as what it is offered. */
    private static final long HEAP_BYTES = 128 << 10;

    private static final long NATIVE_BYTES = 1 << 30;

    public final @Nullable ByteBuffer[] buffers = new ByteBuffer[FIRST + VIEWS];
    private @Nullable ViewCache views;
    private int count;
    private int nextBuffer;
    private long nextOffset;
    private long uncoveredBytes;

    /** Starts with an operation, at an offset in its message. */
    public void begin(Operation operation, long skipBytes, long lengthBytes) {
        count = 0;
        uncoveredBytes = lengthBytes;
        nextBuffer = 0;
        nextOffset = skipBytes;
        while (nextBuffer < operation.bufferCount()
                && nextOffset >= operation.buffer(nextBuffer).byteSize()) {
            nextOffset -= operation.buffer(nextBuffer).byteSize();
            nextBuffer++;
        }
    }

    /**
     * Drops the views that are used up and makes new ones.
     *
     * @return how many are in {@link #buffers} from {@link #FIRST} on
     */
    public int prepare(Operation operation) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            ByteBuffer view = buffers[FIRST + i];
            if (view != null && view.hasRemaining()) {
                buffers[FIRST + kept++] = view;
            }
        }
        int before = count;
        count = kept;
        while (count < VIEWS && uncoveredBytes > 0 && nextBuffer < operation.bufferCount()) {
            cover(operation.buffer(nextBuffer), operation.bufferCount() == 1);
        }
        for (int i = count; i < before; i++) {
            buffers[FIRST + i] = null;
        }
        return count;
    }

    private void cover(MemorySegment buffer, boolean isOnly) {
        long most = buffer.isNative() ? NATIVE_BYTES : HEAP_BYTES;
        long rest = buffer.byteSize() - nextOffset;
        long length = Math.min(Math.min(rest, most), uncoveredBytes);
        if (length > 0) {
            // A cached view must not be in a list twice.
            boolean isCached = isOnly && buffer.isNative() && buffer.byteSize() <= NATIVE_BYTES;
            buffers[FIRST + count++] =
                    isCached
                            ? cached(buffer, (int) nextOffset, (int) length)
                            : buffer.asSlice(nextOffset, length).asByteBuffer();
            uncoveredBytes -= length;
        }
        if (length == rest) {
            nextBuffer++;
            nextOffset = 0;
        } else {
            nextOffset += length;
        }
    }

    private ByteBuffer cached(MemorySegment buffer, int offset, int length) {
        ViewCache cache = views;
        if (cache == null) {
            cache = new ViewCache();
            views = cache;
        }
        return cache.of(buffer).limit(offset + length).position(offset);
    }

    /** The only view, if there is just one, else null. */
    public @Nullable ByteBuffer single() {
        return count == 1 ? buffers[FIRST] : null;
    }

    /** Bytes in the present views. */
    public long offeredBytes() {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            ByteBuffer view = buffers[FIRST + i];
            sum += view == null ? 0 : view.remaining();
        }
        return sum;
    }

    /** Releases the program's memory. */
    public void end() {
        for (int i = 0; i < buffers.length; i++) {
            buffers[i] = null;
        }
        count = 0;
        uncoveredBytes = 0;
    }
}
