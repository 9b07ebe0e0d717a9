package org.jbmi.tcp.io;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;

/**
 * Byte buffers over the program's buffers, for buffers that are used repeatedly, so that a large
 * message makes no garbage. A buffer is found by its identity. References are weak: the cache keeps
 * neither a buffer nor its arena.
 */
public final class ViewCache {
    private static final int SIZE = 16;

    /** A buffer and its view. */
    private record Entry(WeakReference<MemorySegment> buffer, WeakReference<ByteBuffer> view) {}

    private final @Nullable Entry[] entries = new Entry[SIZE];
    private int next;

    /**
     * A view of a whole buffer.
     *
     * @return the cached one, or a new one; its position and limit are undefined
     */
    public ByteBuffer of(MemorySegment buffer) {
        int place = -1;
        for (int i = 0; i < SIZE && place < 0; i++) {
            Entry entry = entries[i];
            if (entry != null && entry.buffer().refersTo(buffer)) {
                ByteBuffer view = entry.view().get();
                if (view != null) {
                    return view;
                }
                place = i;
            }
        }
        if (place < 0) {
            place = next;
            next = (next + 1) % SIZE;
        }
        ByteBuffer view = buffer.asByteBuffer();
        entries[place] = new Entry(new WeakReference<>(buffer), new WeakReference<>(view));
        return view;
    }
}
