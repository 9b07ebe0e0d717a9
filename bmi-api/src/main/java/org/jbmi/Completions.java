package org.jbmi;

import org.jspecify.annotations.Nullable;

/**
 * Room for the results of test calls. Made once, filled by each call from index 0, and read until
 * the next call with it. Not thread-safe: each thread has its own.
 */
public final class Completions {
    private final long[] ids;
    private final long[] sizes;
    private final int[] errors;
    private final int[] indexes;
    private final @Nullable Object[] userData;
    private int count;

    private Completions(int capacity) {
        ids = new long[capacity];
        sizes = new long[capacity];
        errors = new int[capacity];
        indexes = new int[capacity];
        userData = new Object[capacity];
    }

    /**
     * Makes room for a number of results.
     *
     * @param capacity the most results one call may deliver, 0 or more
     * @return an empty set
     */
    public static Completions ofCapacity(int capacity) {
        if (capacity < 0) {
            throw new BmiException(
                    ErrorCode.EINVAL, "A capacity is 0 or more, not " + capacity + ".");
        }
        return new Completions(capacity);
    }

    /**
     * The most results that fit.
     *
     * @return 0 or more
     */
    public int capacity() {
        return ids.length;
    }

    /**
     * How many results the last call delivered.
     *
     * @return 0 to {@link #capacity()}
     */
    public int count() {
        return count;
    }

    /**
     * The operation that result {@code k} is about.
     *
     * @param k 0 to {@code count() - 1}
     * @return the id that the post returned
     */
    public long id(int k) {
        return ids[check(k)];
    }

    /**
     * Its outcome.
     *
     * @param k 0 to {@code count() - 1}
     * @return 0 for success, else a negative {@link ErrorCode}
     */
    public int error(int k) {
        return errors[check(k)];
    }

    /**
     * Its size: for a receive the size of the message, for a send what was posted, 0 on failure.
     *
     * @param k 0 to {@code count() - 1}
     * @return bytes
     */
    public long sizeBytes(int k) {
        return sizes[check(k)];
    }

    /**
     * The object that was given to the post.
     *
     * @param k 0 to {@code count() - 1}
     * @return the very object, or null if none was given
     */
    public @Nullable Object userData(int k) {
        return userData[check(k)];
    }

    /**
     * After {@link CompletionContext#testSome}: where in the caller's array the id stands.
     *
     * @param k 0 to {@code count() - 1}
     * @return an index into the array of ids; 0 after other calls
     */
    public int index(int k) {
        return indexes[check(k)];
    }

    /** Forgets all results; every test call does so first. */
    public void clear() {
        for (int i = 0; i < count; i++) {
            userData[i] = null;
        }
        count = 0;
    }

    /**
     * Adds a result. For the library and for methods' tests; a program only reads.
     *
     * @param id the operation
     * @param error 0 or a negative code
     * @param sizeBytes its size
     * @param data the program's object
     * @param index where it stands in the caller's array
     * @throws BmiException with {@link ErrorCode#ENOBUFS} if there is no room
     */
    public void add(long id, int error, long sizeBytes, @Nullable Object data, int index) {
        if (count == ids.length) {
            throw new BmiException(ErrorCode.ENOBUFS, "No room for another completion.");
        }
        ids[count] = id;
        errors[count] = error;
        sizes[count] = sizeBytes;
        userData[count] = data;
        indexes[count] = index;
        count++;
    }

    private int check(int k) {
        if (k < 0 || k >= count) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "Result " + k + " was asked for, but there are " + count + ".");
        }
        return k;
    }
}
