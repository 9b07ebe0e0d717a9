package org.jbmi;

import org.jbmi.core.operation.CompletionSlots;
import org.jspecify.annotations.Nullable;

/**
 * Room for the results of test calls. Made once, filled by each call from index 0, and read until
 * the next call with it. Not thread-safe: each thread has its own. Each method with an index throws
 * a {@link BmiException} with {@link ErrorCode#EINVAL} if there is no such result.
 */
public sealed interface Completions permits CompletionSlots {
    /**
     * Makes room for a number of results.
     *
     * @param capacity the most results one call may deliver, 0 or more
     * @return an empty set
     * @throws BmiException with {@link ErrorCode#EINVAL} for a negative capacity
     */
    static Completions ofCapacity(int capacity) {
        return new CompletionSlots(capacity);
    }

    /**
     * The most results that fit.
     *
     * @return 0 or more
     */
    int capacity();

    /**
     * How many results the last call delivered.
     *
     * @return 0 to {@link #capacity()}
     */
    int count();

    /**
     * The operation that result {@code k} is about.
     *
     * @param k 0 to {@code count() - 1}
     * @return the id that the post returned
     */
    long id(int k);

    /**
     * The outcome of the operation of result {@code k}.
     *
     * @param k 0 to {@code count() - 1}
     * @return {@link ErrorCode#SUCCESS}, or why it failed; {@link ErrorCode#EINVAL} for an id that
     *     is not that of an operation of the context
     */
    ErrorCode outcome(int k);

    /**
     * The size of result {@code k}: for a receive the size of the message, for a send what was
     * posted, 0 on failure.
     *
     * @param k 0 to {@code count() - 1}
     * @return bytes
     */
    long sizeBytes(int k);

    /**
     * The object that was given to the post.
     *
     * @param k 0 to {@code count() - 1}
     * @return the same object, or null if none was given
     */
    @Nullable Object userData(int k);

    /**
     * After {@link CompletionContext#testSome}: the index of the id in the caller's array.
     *
     * @param k 0 to {@code count() - 1}
     * @return an index into the array of ids; 0 after other calls
     */
    int index(int k);

    /** Removes all results; every test call does so first. */
    void clear();
}
