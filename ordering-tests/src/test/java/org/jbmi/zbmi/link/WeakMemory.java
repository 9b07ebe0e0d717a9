package org.jbmi.zbmi.link;

import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.SharedMemory;

import java.lang.foreign.MemorySegment;

/**
 * Shared memory that promises less than it should: what the structures would run on if an access
 * mode, a fence or an atomic swap were missing.
 */
final class WeakMemory implements SharedMemory {
    /** What is missing. */
    enum Lack {
        /** Fences do nothing, and volatile accesses are release and acquire only. */
        FENCES,
        /** A compare-and-set looks, and then sets. */
        ATOMICITY,
        /** Plain stores may be seen after a release store that comes later in the program. */
        RELEASE
    }

    private final SharedMemory raw;
    private final Lack lack;
    private final long[] lateAt = new long[32];
    private final long[] lateValue = new long[32];
    private int late;

    private WeakMemory(SharedMemory raw, Lack lack) {
        this.raw = raw;
        this.lack = lack;
    }

    /** Sound memory. */
    static SharedMemory sound(int bytes) {
        return new SegmentMemory(MemorySegment.ofArray(new long[bytes / Long.BYTES]));
    }

    static SharedMemory lacking(Lack lack, SharedMemory raw) {
        return new WeakMemory(raw, lack);
    }

    @Override
    public long sizeBytes() {
        return raw.sizeBytes();
    }

    @Override
    public long getLongPlain(long offset) {
        return raw.getLongPlain(offset);
    }

    @Override
    public long getLongAcquire(long offset) {
        return raw.getLongAcquire(offset);
    }

    @Override
    public long getLongVolatile(long offset) {
        return lack == Lack.FENCES ? raw.getLongAcquire(offset) : raw.getLongVolatile(offset);
    }

    @Override
    public void setLongPlain(long offset, long value) {
        if (lack == Lack.RELEASE) {
            lateAt[late] = offset;
            lateValue[late++] = value;
        } else {
            raw.setLongPlain(offset, value);
        }
    }

    @Override
    public void setLongRelease(long offset, long value) {
        raw.setLongRelease(offset, value);
        for (int i = 0; i < late; i++) {
            raw.setLongPlain(lateAt[i], lateValue[i]);
        }
        late = 0;
    }

    @Override
    public void setLongVolatile(long offset, long value) {
        if (lack == Lack.FENCES) {
            raw.setLongRelease(offset, value);
        } else {
            raw.setLongVolatile(offset, value);
        }
    }

    @Override
    public boolean compareAndSetLong(long offset, long expected, long value) {
        if (lack != Lack.ATOMICITY) {
            return raw.compareAndSetLong(offset, expected, value);
        }
        if (raw.getLongAcquire(offset) != expected) {
            return false;
        }
        raw.setLongRelease(offset, value);
        return true;
    }

    @Override
    public long getAndAddLong(long offset, long delta) {
        return raw.getAndAddLong(offset, delta);
    }

    @Override
    public long getAndSetLong(long offset, long value) {
        return raw.getAndSetLong(offset, value);
    }

    @Override
    public long getAndOrLong(long offset, long mask) {
        return raw.getAndOrLong(offset, mask);
    }

    @Override
    public int getIntPlain(long offset) {
        return raw.getIntPlain(offset);
    }

    @Override
    public int getIntAcquire(long offset) {
        return raw.getIntAcquire(offset);
    }

    @Override
    public int getIntVolatile(long offset) {
        return lack == Lack.FENCES ? raw.getIntAcquire(offset) : raw.getIntVolatile(offset);
    }

    @Override
    public void setIntPlain(long offset, int value) {
        raw.setIntPlain(offset, value);
    }

    @Override
    public void setIntRelease(long offset, int value) {
        raw.setIntRelease(offset, value);
    }

    @Override
    public void setIntVolatile(long offset, int value) {
        if (lack == Lack.FENCES) {
            raw.setIntRelease(offset, value);
        } else {
            raw.setIntVolatile(offset, value);
        }
    }

    @Override
    public boolean compareAndSetInt(long offset, int expected, int value) {
        return raw.compareAndSetInt(offset, expected, value);
    }

    @Override
    public int getAndSetInt(long offset, int value) {
        return raw.getAndSetInt(offset, value);
    }

    @Override
    public void fullFence() {
        if (lack != Lack.FENCES) {
            raw.fullFence();
        }
    }

    @Override
    public void copyIn(MemorySegment source, long sourceOffset, long offset, long lengthBytes) {
        raw.copyIn(source, sourceOffset, offset, lengthBytes);
    }

    @Override
    public void copyOut(long offset, MemorySegment target, long targetOffset, long lengthBytes) {
        raw.copyOut(offset, target, targetOffset, lengthBytes);
    }

    @Override
    public void copyWithin(long fromOffset, long toOffset, long lengthBytes) {
        raw.copyWithin(fromOffset, toOffset, lengthBytes);
    }

    @Override
    public void zero(long offset, long lengthBytes) {
        raw.zero(offset, lengthBytes);
    }

    @Override
    public MemorySegment slice(long offset, long lengthBytes) {
        return raw.slice(offset, lengthBytes);
    }

    @Override
    public long nativeAddress(long offset, long lengthBytes) {
        return raw.nativeAddress(offset, lengthBytes);
    }
}
