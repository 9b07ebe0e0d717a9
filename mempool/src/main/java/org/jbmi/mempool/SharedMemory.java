package org.jbmi.mempool;

import java.lang.foreign.MemorySegment;

/**
 * Access to memory that another process may read and write at the same time. The library reads and
 * writes the control words and the payload of a shared segment only through this interface. In
 * production it is {@link SegmentMemory} over a mapping; a simulation replaces it and decides in
 * which order stores become visible.
 *
 * <p>Offsets count bytes from the start of the memory. Numbers are little-endian and naturally
 * aligned: a {@code long} lies at a multiple of 8, an {@code int} at a multiple of 4. With another
 * offset an ordered access throws an {@link IllegalArgumentException}; a plain one does not check
 * that, and may see or store half a number. An access outside of the memory is an {@link
 * IndexOutOfBoundsException}. An access after the memory was closed is an {@link
 * IllegalStateException}.
 *
 * <p>The names carry the access mode: plain, acquire, release, volatile, as in {@link
 * java.lang.invoke.VarHandle}. Every read-modify-write is volatile. The modes hold between
 * processes as they hold between threads. Another process writes this memory: read each number once
 * into a local variable, check it, then use it.
 *
 * <p>All methods may be called by any number of threads. None allocates, except {@link #slice} and
 * {@link #zero}.
 */
public interface SharedMemory {

    /**
     * The length of this memory.
     *
     * @return bytes, fixed for its life
     */
    long sizeBytes();

    /**
     * Reads a {@code long} with no ordering.
     *
     * @param offset of the {@code long}, a multiple of 8
     * @return its value
     */
    long getLongPlain(long offset);

    /**
     * Reads a {@code long}; what its writer did before a release store of this value is visible
     * after.
     *
     * @param offset of the {@code long}, a multiple of 8
     * @return its value
     */
    long getLongAcquire(long offset);

    /**
     * Reads a {@code long} in the one order of all volatile accesses.
     *
     * @param offset of the {@code long}, a multiple of 8
     * @return its value
     */
    long getLongVolatile(long offset);

    /**
     * Writes a {@code long} with no ordering.
     *
     * @param offset of the {@code long}, a multiple of 8
     * @param value to store
     */
    void setLongPlain(long offset, long value);

    /**
     * Reads several {@code long}s with no ordering, each once.
     *
     * @param offset of the first {@code long}, a multiple of 8
     * @param target of the values
     * @param first index in it
     * @param count how many, 0 or more
     */
    default void getLongs(long offset, long[] target, int first, int count) {
        for (int i = 0; i < count; i++) {
            target[first + i] = getLongPlain(offset + (long) i * Long.BYTES);
        }
    }

    /**
     * Writes several {@code long}s with no ordering, each once.
     *
     * @param offset of the first {@code long}, a multiple of 8
     * @param source of the values
     * @param first index in it
     * @param count how many, 0 or more
     */
    default void setLongs(long offset, long[] source, int first, int count) {
        for (int i = 0; i < count; i++) {
            setLongPlain(offset + (long) i * Long.BYTES, source[first + i]);
        }
    }

    /**
     * Publishes: writes a {@code long} after everything this thread wrote before.
     *
     * @param offset of the {@code long}, a multiple of 8
     * @param value to store
     */
    void setLongRelease(long offset, long value);

    /**
     * Writes a {@code long} in the one order of all volatile accesses.
     *
     * @param offset of the {@code long}, a multiple of 8
     * @param value to store
     */
    void setLongVolatile(long offset, long value);

    /**
     * Replaces a {@code long} if it has the value that was expected.
     *
     * @param offset of the {@code long}, a multiple of 8
     * @param expected value that it must have
     * @param value to store
     * @return whether it was replaced
     */
    boolean compareAndSetLong(long offset, long expected, long value);

    /**
     * Adds to a {@code long}.
     *
     * @param offset of the {@code long}, a multiple of 8
     * @param delta to add, modulo 2<sup>64</sup>
     * @return its value before
     */
    long getAndAddLong(long offset, long delta);

    /**
     * Exchanges a {@code long}.
     *
     * @param offset of the {@code long}, a multiple of 8
     * @param value to store
     * @return its value before
     */
    long getAndSetLong(long offset, long value);

    /**
     * Sets bits of a {@code long}.
     *
     * @param offset of the {@code long}, a multiple of 8
     * @param mask bits to set
     * @return its value before
     */
    long getAndOrLong(long offset, long mask);

    /**
     * Reads an {@code int} with no ordering.
     *
     * @param offset of the {@code int}, a multiple of 4
     * @return its value
     */
    int getIntPlain(long offset);

    /**
     * Reads an {@code int} with acquire ordering, see {@link #getLongAcquire}.
     *
     * @param offset of the {@code int}, a multiple of 4
     * @return its value
     */
    int getIntAcquire(long offset);

    /**
     * Reads an {@code int} in the one order of all volatile accesses.
     *
     * @param offset of the {@code int}, a multiple of 4
     * @return its value
     */
    int getIntVolatile(long offset);

    /**
     * Writes an {@code int} with no ordering.
     *
     * @param offset of the {@code int}, a multiple of 4
     * @param value to store
     */
    void setIntPlain(long offset, int value);

    /**
     * Writes an {@code int} with release ordering, see {@link #setLongRelease}.
     *
     * @param offset of the {@code int}, a multiple of 4
     * @param value to store
     */
    void setIntRelease(long offset, int value);

    /**
     * Writes an {@code int} in the one order of all volatile accesses.
     *
     * @param offset of the {@code int}, a multiple of 4
     * @param value to store
     */
    void setIntVolatile(long offset, int value);

    /**
     * Replaces an {@code int} if it has the value that was expected.
     *
     * @param offset of the {@code int}, a multiple of 4
     * @param expected value that it must have
     * @param value to store
     * @return whether it was replaced
     */
    boolean compareAndSetInt(long offset, int expected, int value);

    /**
     * Exchanges an {@code int}.
     *
     * @param offset of the {@code int}, a multiple of 4
     * @param value to store
     * @return its value before
     */
    int getAndSetInt(long offset, int value);

    /**
     * A full fence: a later load cannot pass an earlier store. Call it after the store of a value
     * and before the load that tells whether a thread sleeps.
     */
    void fullFence();

    /**
     * Copies from a buffer of the caller into this memory, at the speed of the platform's own copy.
     * Not atomic and not ordered: publish with a release store afterwards.
     *
     * @param source to read, of any kind and alignment
     * @param sourceOffset of the first byte in it
     * @param offset of the first byte here
     * @param lengthBytes how much, 0 or more
     */
    void copyIn(MemorySegment source, long sourceOffset, long offset, long lengthBytes);

    /**
     * Copies from this memory into a buffer of the caller.
     *
     * @param offset of the first byte here
     * @param target to write, of any kind and alignment
     * @param targetOffset of the first byte in it
     * @param lengthBytes how much, 0 or more
     */
    void copyOut(long offset, MemorySegment target, long targetOffset, long lengthBytes);

    /**
     * Copies within this memory; the two ranges must not overlap.
     *
     * @param fromOffset of the first byte to read
     * @param toOffset of the first byte to write
     * @param lengthBytes how much, 0 or more
     */
    void copyWithin(long fromOffset, long toOffset, long lengthBytes);

    /**
     * Stores zeros.
     *
     * @param offset of the first byte
     * @param lengthBytes how many, 0 or more
     */
    void zero(long offset, long lengthBytes);

    /**
     * A view of a part of this memory, which lives as long as the memory itself.
     *
     * @param offset of its first byte
     * @param lengthBytes of the view, 0 or more
     * @return the view
     */
    MemorySegment slice(long offset, long lengthBytes);

    /**
     * The address of a part of this memory in this process, only for the system calls that sleep
     * and wake on an {@code int}.
     *
     * @param offset of the first byte
     * @param lengthBytes that must lie in this memory from there
     * @return the address
     * @throws UnsupportedOperationException if this memory has no address
     */
    long nativeAddress(long offset, long lengthBytes);
}
