package org.jbmi.zbmi.socket;

import org.jbmi.spi.Operation;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Walks over the buffers of an operation; for a receive only as far as its message goes. */
final class OperationCursor implements PayloadCursor {
    /** The longest view of a buffer, so that lengths fit. */
    private static final long VIEW_BYTES = 1 << 30;

    private @Nullable Operation operation;
    private @Nullable ByteBuffer view;
    private long viewStart;
    private int buffer;
    private long offset;

    /** Starts with an operation. */
    void begin(Operation of) {
        operation = of;
        view = null;
        buffer = 0;
        offset = 0;
    }

    /** Releases the program's memory. */
    void end() {
        operation = null;
        view = null;
    }

    @Override
    public int window(ByteBuffer[] views, int from, long maxBytes) {
        Operation of = operation;
        if (of == null) {
            return 0;
        }
        int count = 0;
        int index = buffer;
        long at = offset;
        long left = maxBytes;
        while (left > 0 && index < of.bufferCount() && from + count < views.length - 1) {
            MemorySegment memory = of.buffer(index);
            long size = Math.min(memory.byteSize() - at, left);
            if (size > 0) {
                ByteBuffer piece = count == 0 ? first(memory, at, size) : slice(memory, at, size);
                views[from + count++] = piece;
                size = piece.remaining();
            }
            left -= size;
            at += size;
            if (at == memory.byteSize()) {
                index++;
                at = 0;
            }
        }
        return count;
    }

    // One view is reused while a large buffer is moved in pieces.
    private ByteBuffer first(MemorySegment memory, long at, long size) {
        ByteBuffer kept = view;
        if (kept == null || at < viewStart || at - viewStart >= kept.capacity()) {
            long length = Math.min(memory.byteSize() - at, VIEW_BYTES);
            kept = memory.asSlice(at, length).asByteBuffer();
            view = kept;
            viewStart = at;
        }
        int position = (int) (at - viewStart);
        int length = (int) Math.min(size, kept.capacity() - position);
        return kept.limit(position + length).position(position);
    }

    private static ByteBuffer slice(MemorySegment memory, long at, long size) {
        return memory.asSlice(at, Math.min(size, VIEW_BYTES)).asByteBuffer();
    }

    @Override
    public void advance(long bytes) {
        Operation of = operation;
        long left = bytes;
        while (of != null && left > 0 && buffer < of.bufferCount()) {
            long size = of.buffer(buffer).byteSize() - offset;
            if (left < size) {
                offset += left;
                return;
            }
            left -= size;
            buffer++;
            offset = 0;
            view = null;
        }
    }
}
