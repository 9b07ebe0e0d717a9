package org.jbmi;

import org.jbmi.spi.UnexpectedBuffer;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * Room for unexpected messages. Made once and filled by each test call from index 0. The memory of
 * a message belongs to the caller until it is freed, here or with {@link Bmi#unexpectedFree}; a
 * later test call with the same room does not free what is still held. Free the message before the
 * reference to its peer is dropped. Not thread-safe: each thread has its own.
 */
public final class UnexpectedMessages {
    private final @Nullable UnexpectedBuffer[] buffers;
    private final long[] serials;
    private int count;

    private UnexpectedMessages(int capacity) {
        buffers = new UnexpectedBuffer[capacity];
        serials = new long[capacity];
    }

    /**
     * Makes room for a number of messages.
     *
     * @param capacity the most messages that one call may deliver, 0 or more
     * @return an empty set
     */
    public static UnexpectedMessages ofCapacity(int capacity) {
        if (capacity < 0) {
            throw new BmiException(
                    ErrorCode.EINVAL, "A capacity is 0 or more, not " + capacity + ".");
        }
        return new UnexpectedMessages(capacity);
    }

    /**
     * The most messages that fit.
     *
     * @return 0 or more
     */
    public int capacity() {
        return buffers.length;
    }

    /**
     * How many messages the last call delivered.
     *
     * @return 0 to {@link #capacity()}
     */
    public int count() {
        return count;
    }

    /**
     * Who sent message {@code i}.
     *
     * @param i 0 to {@code count() - 1}
     * @return the peer, to be answered with expected messages
     */
    public PeerAddress peer(int i) {
        return held(i).peer();
    }

    /**
     * Its tag.
     *
     * @param i 0 to {@code count() - 1}
     * @return any 32-bit value
     */
    public int tag(int i) {
        return held(i).tag();
    }

    /**
     * Its class.
     *
     * @param i 0 to {@code count() - 1}
     * @return 0 to 255
     */
    public int messageClass(int i) {
        return held(i).messageClass();
    }

    /**
     * Whether it arrived whole.
     *
     * @param i 0 to {@code count() - 1}
     * @return 0, or a negative {@link ErrorCode}: then its content means nothing, but it must be
     *     freed
     */
    public int error(int i) {
        return held(i).error();
    }

    /**
     * Its length.
     *
     * @param i 0 to {@code count() - 1}
     * @return bytes, 0 or more
     */
    public long sizeBytes(int i) {
        return held(i).sizeBytes();
    }

    /**
     * Its bytes, as a view that makes a small object. Where not even that is wanted: {@link
     * #memory(int)}, {@link #offset(int)} and {@link #sizeBytes(int)}.
     *
     * @param i 0 to {@code count() - 1}
     * @return a view of {@code sizeBytes(i)} bytes, valid until the message is freed
     */
    public MemorySegment payload(int i) {
        return held(i).payload();
    }

    /**
     * The memory in which its bytes lie, together with other messages; allocates nothing.
     *
     * @param i 0 to {@code count() - 1}
     * @return a segment; this message's bytes begin at {@link #offset(int)}
     */
    public MemorySegment memory(int i) {
        return held(i).memory();
    }

    /**
     * Where its bytes begin in {@link #memory(int)}.
     *
     * @param i 0 to {@code count() - 1}
     * @return bytes
     */
    public long offset(int i) {
        return held(i).offset();
    }

    /**
     * Gives the memory of a message back.
     *
     * @param i 0 to {@code count() - 1}
     * @throws BmiException with {@link ErrorCode#EINVAL} if it was freed before
     */
    public void free(int i) {
        checkIndex(i);
        UnexpectedBuffer buffer = buffers[i];
        if (buffer == null || !buffer.free(serials[i])) {
            throw alreadyFreed(i);
        }
        buffers[i] = null;
    }

    /** Forgets all messages without freeing them; every test call does so first. */
    public void clear() {
        for (int i = 0; i < count; i++) {
            buffers[i] = null;
        }
        count = 0;
    }

    /**
     * Adds a message. For the library; a program only reads.
     *
     * @param buffer a delivered message
     * @throws BmiException with {@link ErrorCode#ENOBUFS} if there is no room
     */
    public void add(UnexpectedBuffer buffer) {
        if (count == buffers.length) {
            throw new BmiException(ErrorCode.ENOBUFS, "No room for another message.");
        }
        serials[count] = buffer.serial();
        buffers[count++] = buffer;
    }

    private UnexpectedBuffer held(int i) {
        checkIndex(i);
        UnexpectedBuffer buffer = buffers[i];
        if (buffer == null || buffer.serial() != serials[i]) {
            throw alreadyFreed(i);
        }
        return buffer;
    }

    private void checkIndex(int i) {
        if (i < 0 || i >= count) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "Message " + i + " was asked for, but there are " + count + ".");
        }
    }

    private static BmiException alreadyFreed(int i) {
        return new BmiException(ErrorCode.EINVAL, "Message " + i + " has been freed before.");
    }
}
