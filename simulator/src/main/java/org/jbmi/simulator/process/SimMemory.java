package org.jbmi.simulator.process;

import org.jbmi.mempool.SharedMemory;

import java.lang.foreign.MemorySegment;

/**
 * The shared memory of one process. At every access the process may end, or other processes may
 * run.
 */
public final class SimMemory implements SharedMemory {
    private final SharedMemory raw;
    private final SimProcess process;

    public SimMemory(SharedMemory raw, SimProcess process) {
        this.raw = raw;
        this.process = process;
    }

    /** The memory behind a process's view. */
    public static SharedMemory raw(SharedMemory memory) {
        return memory instanceof SimMemory view ? view.raw : memory;
    }

    private void touch() {
        process.touch();
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
        touch();
        return raw.getLongAcquire(offset);
    }

    @Override
    public long getLongVolatile(long offset) {
        touch();
        return raw.getLongVolatile(offset);
    }

    @Override
    public void setLongPlain(long offset, long value) {
        touch();
        raw.setLongPlain(offset, value);
    }

    @Override
    public void setLongRelease(long offset, long value) {
        touch();
        raw.setLongRelease(offset, value);
    }

    @Override
    public void setLongVolatile(long offset, long value) {
        touch();
        raw.setLongVolatile(offset, value);
    }

    @Override
    public boolean compareAndSetLong(long offset, long expected, long value) {
        touch();
        return raw.compareAndSetLong(offset, expected, value);
    }

    @Override
    public long getAndAddLong(long offset, long delta) {
        touch();
        return raw.getAndAddLong(offset, delta);
    }

    @Override
    public long getAndSetLong(long offset, long value) {
        touch();
        return raw.getAndSetLong(offset, value);
    }

    @Override
    public long getAndOrLong(long offset, long mask) {
        touch();
        return raw.getAndOrLong(offset, mask);
    }

    @Override
    public int getIntPlain(long offset) {
        touch();
        return raw.getIntPlain(offset);
    }

    @Override
    public int getIntAcquire(long offset) {
        touch();
        return raw.getIntAcquire(offset);
    }

    @Override
    public int getIntVolatile(long offset) {
        touch();
        return raw.getIntVolatile(offset);
    }

    @Override
    public void setIntPlain(long offset, int value) {
        touch();
        raw.setIntPlain(offset, value);
    }

    @Override
    public void setIntRelease(long offset, int value) {
        touch();
        raw.setIntRelease(offset, value);
    }

    @Override
    public void setIntVolatile(long offset, int value) {
        touch();
        raw.setIntVolatile(offset, value);
    }

    @Override
    public boolean compareAndSetInt(long offset, int expected, int value) {
        touch();
        return raw.compareAndSetInt(offset, expected, value);
    }

    @Override
    public int getAndSetInt(long offset, int value) {
        touch();
        return raw.getAndSetInt(offset, value);
    }

    @Override
    public void fullFence() {
        touch();
    }

    @Override
    public void copyIn(MemorySegment source, long sourceOffset, long offset, long lengthBytes) {
        long half = process.beginCopy(lengthBytes);
        raw.copyIn(source, sourceOffset, offset, half);
        process.halfCopied();
        raw.copyIn(source, sourceOffset + half, offset + half, lengthBytes - half);
    }

    @Override
    public void copyOut(long offset, MemorySegment target, long targetOffset, long lengthBytes) {
        long half = process.beginCopy(lengthBytes);
        raw.copyOut(offset, target, targetOffset, half);
        process.halfCopied();
        raw.copyOut(offset + half, target, targetOffset + half, lengthBytes - half);
    }

    @Override
    public void copyWithin(long fromOffset, long toOffset, long lengthBytes) {
        touch();
        raw.copyWithin(fromOffset, toOffset, lengthBytes);
    }

    @Override
    public void zero(long offset, long lengthBytes) {
        touch();
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
