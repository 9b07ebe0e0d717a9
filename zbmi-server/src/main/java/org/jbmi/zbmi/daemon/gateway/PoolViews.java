package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.mempool.SharedMemory;

import java.nio.ByteBuffer;

/** Byte buffers over a mapped segment, of at most 1 GiB each, made once. */
final class PoolViews {
    private static final int SHIFT = 30;
    private static final long VIEW_BYTES = 1L << SHIFT;

    private final ByteBuffer[] views;

    PoolViews(SharedMemory memory) {
        long size = memory.sizeBytes();
        views = new ByteBuffer[(int) ((size + VIEW_BYTES - 1) >>> SHIFT)];
        for (int i = 0; i < views.length; i++) {
            long start = (long) i << SHIFT;
            views[i] = memory.slice(start, Math.min(VIEW_BYTES, size - start)).asByteBuffer();
        }
    }

    /**
     * Bytes of the segment, or the first of them if they lie in two views.
     *
     * @param offset in the segment
     * @param lengthBytes more than 0, inside the segment
     * @return valid until the next call
     */
    ByteBuffer view(long offset, long lengthBytes) {
        ByteBuffer view = views[(int) (offset >>> SHIFT)];
        int start = (int) (offset & (VIEW_BYTES - 1));
        int length = (int) Math.min(lengthBytes, view.capacity() - start);
        return view.limit(start + length).position(start);
    }
}
