package org.jbmi.mempool;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * {@link SharedMemory} over a {@link MemorySegment}, commonly one that is mapped. The segment
 * itself checks bounds and lifetime of every access. Its maker still owns it.
 */
public final class SegmentMemory implements SharedMemory {
    private static final VarHandle LONGS =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final VarHandle INTS =
            ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    // For plain accesses: the check of the alignment would cost more than the access.
    private static final ValueLayout.OfLong PLAIN_LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle PLAIN_LONGS = PLAIN_LONG.varHandle();
    private static final VarHandle PLAIN_INTS =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    private final MemorySegment segment;

    /**
     * Wraps a segment.
     *
     * @param segment to access; for the ordered accesses it must allow aligned words (memory
     *     outside of the heap does, and so does an array of longs)
     */
    public SegmentMemory(MemorySegment segment) {
        this.segment = segment;
    }

    @Override
    public long sizeBytes() {
        return segment.byteSize();
    }

    @Override
    public long getLongPlain(long offset) {
        return (long) PLAIN_LONGS.get(segment, offset);
    }

    @Override
    public long getLongAcquire(long offset) {
        return (long) LONGS.getAcquire(segment, offset);
    }

    @Override
    public long getLongVolatile(long offset) {
        return (long) LONGS.getVolatile(segment, offset);
    }

    @Override
    public void setLongPlain(long offset, long value) {
        PLAIN_LONGS.set(segment, offset, value);
    }

    // A bulk copy checks bounds and lifetime once, and takes a third of the time of a loop.
    @Override
    public void getLongs(long offset, long[] target, int first, int count) {
        MemorySegment.copy(segment, PLAIN_LONG, offset, target, first, count);
    }

    @Override
    public void setLongs(long offset, long[] source, int first, int count) {
        MemorySegment.copy(source, first, segment, PLAIN_LONG, offset, count);
    }

    @Override
    public void setLongRelease(long offset, long value) {
        LONGS.setRelease(segment, offset, value);
    }

    @Override
    public void setLongVolatile(long offset, long value) {
        LONGS.setVolatile(segment, offset, value);
    }

    @Override
    public boolean compareAndSetLong(long offset, long expected, long value) {
        return LONGS.compareAndSet(segment, offset, expected, value);
    }

    @Override
    public long getAndAddLong(long offset, long delta) {
        return (long) LONGS.getAndAdd(segment, offset, delta);
    }

    @Override
    public long getAndSetLong(long offset, long value) {
        return (long) LONGS.getAndSet(segment, offset, value);
    }

    @Override
    public long getAndOrLong(long offset, long mask) {
        return (long) LONGS.getAndBitwiseOr(segment, offset, mask);
    }

    @Override
    public int getIntPlain(long offset) {
        return (int) PLAIN_INTS.get(segment, offset);
    }

    @Override
    public int getIntAcquire(long offset) {
        return (int) INTS.getAcquire(segment, offset);
    }

    @Override
    public int getIntVolatile(long offset) {
        return (int) INTS.getVolatile(segment, offset);
    }

    @Override
    public void setIntPlain(long offset, int value) {
        PLAIN_INTS.set(segment, offset, value);
    }

    @Override
    public void setIntRelease(long offset, int value) {
        INTS.setRelease(segment, offset, value);
    }

    @Override
    public void setIntVolatile(long offset, int value) {
        INTS.setVolatile(segment, offset, value);
    }

    @Override
    public boolean compareAndSetInt(long offset, int expected, int value) {
        return INTS.compareAndSet(segment, offset, expected, value);
    }

    @Override
    public int getAndSetInt(long offset, int value) {
        return (int) INTS.getAndSet(segment, offset, value);
    }

    @Override
    public void fullFence() {
        VarHandle.fullFence();
    }

    @Override
    public void copyIn(MemorySegment source, long sourceOffset, long offset, long lengthBytes) {
        MemorySegment.copy(source, sourceOffset, segment, offset, lengthBytes);
    }

    @Override
    public void copyOut(long offset, MemorySegment target, long targetOffset, long lengthBytes) {
        MemorySegment.copy(segment, offset, target, targetOffset, lengthBytes);
    }

    @Override
    public void copyWithin(long fromOffset, long toOffset, long lengthBytes) {
        MemorySegment.copy(segment, fromOffset, segment, toOffset, lengthBytes);
    }

    @Override
    public void zero(long offset, long lengthBytes) {
        segment.asSlice(offset, lengthBytes).fill((byte) 0);
    }

    @Override
    public MemorySegment slice(long offset, long lengthBytes) {
        return segment.asSlice(offset, lengthBytes);
    }

    @Override
    public long nativeAddress(long offset, long lengthBytes) {
        if (!segment.isNative()) {
            throw new UnsupportedOperationException("memory on the heap has no address");
        }
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the memory is closed");
        }
        Objects.checkFromIndexSize(offset, lengthBytes, segment.byteSize());
        return segment.address() + offset;
    }
}
