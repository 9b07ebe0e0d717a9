package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Shared memory in arrays: Lincheck decides what happens between two accesses of an array, and
 * knows nothing of those of a segment. Words of four bytes lie in an array of their own, so no word
 * may be used in both sizes, which none of the structures does.
 */
class ArrayMemory implements SharedMemory {
    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle INTS = MethodHandles.arrayElementVarHandle(int[].class);
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private final long[] longs;
    private final int[] ints;

    ArrayMemory(int bytes) {
        longs = new long[bytes / Long.BYTES];
        ints = new int[bytes / Integer.BYTES];
    }

    private static int longAt(long offset) {
        return index(offset, Long.BYTES);
    }

    private static int intAt(long offset) {
        return index(offset, Integer.BYTES);
    }

    private static int index(long offset, int unit) {
        if (offset % unit != 0) {
            throw new IllegalArgumentException(offset + " is no multiple of " + unit);
        }
        return (int) (offset / unit);
    }

    @Override
    public long sizeBytes() {
        return (long) longs.length * Long.BYTES;
    }

    @Override
    public long getLongPlain(long offset) {
        return longs[longAt(offset)];
    }

    @Override
    public long getLongAcquire(long offset) {
        return (long) LONGS.getAcquire(longs, longAt(offset));
    }

    @Override
    public long getLongVolatile(long offset) {
        return (long) LONGS.getVolatile(longs, longAt(offset));
    }

    @Override
    public void setLongPlain(long offset, long value) {
        longs[longAt(offset)] = value;
    }

    @Override
    public void setLongRelease(long offset, long value) {
        LONGS.setRelease(longs, longAt(offset), value);
    }

    @Override
    public void setLongVolatile(long offset, long value) {
        LONGS.setVolatile(longs, longAt(offset), value);
    }

    @Override
    public boolean compareAndSetLong(long offset, long expected, long value) {
        return LONGS.compareAndSet(longs, longAt(offset), expected, value);
    }

    @Override
    public long getAndAddLong(long offset, long delta) {
        return (long) LONGS.getAndAdd(longs, longAt(offset), delta);
    }

    @Override
    public long getAndSetLong(long offset, long value) {
        return (long) LONGS.getAndSet(longs, longAt(offset), value);
    }

    @Override
    public long getAndOrLong(long offset, long mask) {
        return (long) LONGS.getAndBitwiseOr(longs, longAt(offset), mask);
    }

    @Override
    public int getIntPlain(long offset) {
        return ints[intAt(offset)];
    }

    @Override
    public int getIntAcquire(long offset) {
        return (int) INTS.getAcquire(ints, intAt(offset));
    }

    @Override
    public int getIntVolatile(long offset) {
        return (int) INTS.getVolatile(ints, intAt(offset));
    }

    @Override
    public void setIntPlain(long offset, int value) {
        ints[intAt(offset)] = value;
    }

    @Override
    public void setIntRelease(long offset, int value) {
        INTS.setRelease(ints, intAt(offset), value);
    }

    @Override
    public void setIntVolatile(long offset, int value) {
        INTS.setVolatile(ints, intAt(offset), value);
    }

    @Override
    public boolean compareAndSetInt(long offset, int expected, int value) {
        return INTS.compareAndSet(ints, intAt(offset), expected, value);
    }

    @Override
    public int getAndSetInt(long offset, int value) {
        return (int) INTS.getAndSet(ints, intAt(offset), value);
    }

    @Override
    public void fullFence() {
        VarHandle.fullFence();
    }

    // Payload goes word by word, so that others may come in between.
    @Override
    public void copyIn(MemorySegment source, long sourceOffset, long offset, long lengthBytes) {
        for (int i = 0; i < lengthBytes; i += Long.BYTES) {
            setLongPlain(offset + i, source.get(WORD, sourceOffset + i));
        }
    }

    @Override
    public void copyOut(long offset, MemorySegment target, long targetOffset, long lengthBytes) {
        for (int i = 0; i < lengthBytes; i += Long.BYTES) {
            target.set(WORD, targetOffset + i, getLongPlain(offset + i));
        }
    }

    @Override
    public void zero(long offset, long lengthBytes) {
        Arrays.fill(longs, longAt(offset), longAt(offset + lengthBytes), 0);
        Arrays.fill(ints, intAt(offset), intAt(offset + lengthBytes), 0);
    }

    @Override
    public MemorySegment slice(long offset, long lengthBytes) {
        return MemorySegment.ofArray(longs).asSlice(offset, lengthBytes);
    }

    @Override
    public void copyWithin(long fromOffset, long toOffset, long lengthBytes) {
        throw notHere();
    }

    @Override
    public long nativeAddress(long offset, long lengthBytes) {
        throw notHere();
    }

    private static UnsupportedOperationException notHere() {
        return new UnsupportedOperationException("not in arrays");
    }
}
