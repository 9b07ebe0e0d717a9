package org.jbmi;

import org.jbmi.core.unexpected.UnexpectedSlots;

import java.lang.foreign.MemorySegment;

/**
 * Room for unexpected messages. Made once and filled by each test call from index 0. The memory of
 * a message belongs to the caller until it is freed, here or with {@link Bmi#unexpectedFree}, or
 * until the {@link Bmi} is closed. A later test call with the same object does not free messages
 * that are still held.
 *
 * <p>Each held message uses bounded memory of its method: a program that frees none gets no more
 * messages. Not thread-safe: each thread has its own. Each method with an index throws a {@link
 * BmiException} with {@link ErrorCode#EINVAL} if there is no such message, or if it was freed.
 *
 * <p>The program may overwrite the bytes of a held message. It may post the payload as the buffer
 * of a send. It must not free the message before that send is over; the library does not check
 * this.
 */
public sealed interface UnexpectedMessages permits UnexpectedSlots {
    /**
     * Makes room for a number of messages.
     *
     * @param capacity the most messages that one call may deliver, 0 or more
     * @return an empty set
     * @throws BmiException with {@link ErrorCode#EINVAL} for a negative capacity
     */
    static UnexpectedMessages ofCapacity(int capacity) {
        return new UnexpectedSlots(capacity);
    }

    /**
     * The most messages that fit.
     *
     * @return 0 or more
     */
    int capacity();

    /**
     * How many messages the last call delivered.
     *
     * @return 0 to {@link #capacity()}
     */
    int count();

    /**
     * The sender of message {@code i}.
     *
     * @param i 0 to {@code count() - 1}
     * @return the peer, which can be answered with expected messages
     */
    PeerAddress peer(int i);

    /**
     * The tag of message {@code i}.
     *
     * @param i 0 to {@code count() - 1}
     * @return any 32-bit value
     */
    int tag(int i);

    /**
     * The class of message {@code i}.
     *
     * @param i 0 to {@code count() - 1}
     * @return 0 to 255
     */
    int messageClass(int i);

    /**
     * Whether message {@code i} arrived complete.
     *
     * @param i 0 to {@code count() - 1}
     * @return {@link ErrorCode#SUCCESS}, or why it is incomplete: then its content is undefined,
     *     but it must be freed
     */
    ErrorCode outcome(int i);

    /**
     * The length of message {@code i}.
     *
     * @param i 0 to {@code count() - 1}
     * @return bytes, 0 or more
     */
    long sizeBytes(int i);

    /**
     * The bytes of message {@code i}, as a view; allocates a small object. Without that allocation:
     * {@link #memory(int)}, {@link #offset(int)} and {@link #sizeBytes(int)}.
     *
     * @param i 0 to {@code count() - 1}
     * @return a view of {@code sizeBytes(i)} bytes, valid until the message is freed
     */
    MemorySegment payload(int i);

    /**
     * The memory in which the bytes of message {@code i} lie; other messages may lie in it too.
     * Allocates nothing.
     *
     * @param i 0 to {@code count() - 1}
     * @return a segment, valid until the message is freed; the bytes of this message begin at
     *     {@link #offset(int)}
     */
    MemorySegment memory(int i);

    /**
     * Where the bytes of message {@code i} begin in {@link #memory(int)}.
     *
     * @param i 0 to {@code count() - 1}
     * @return bytes
     */
    long offset(int i);

    /**
     * Frees the memory of message {@code i}.
     *
     * @param i 0 to {@code count() - 1}
     * @throws BmiException with {@link ErrorCode#EINVAL} if it was freed before
     */
    void free(int i);

    /**
     * Frees the memory of all messages that the last call delivered, except those that were freed
     * before. It costs less than freeing each: all are freed under one lock.
     */
    void freeAll();

    /** Removes all messages without freeing them; every test call does so first. */
    void clear();
}
