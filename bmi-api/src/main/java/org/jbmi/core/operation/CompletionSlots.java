package org.jbmi.core.operation;

import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.core.waiting.Arguments;
import org.jspecify.annotations.Nullable;

/** The arrays that test calls fill. */
public final class CompletionSlots implements Completions {
    private final long[] ids;
    private final long[] sizes;
    private final ErrorCode[] outcomes;
    private final int[] indexes;
    private final @Nullable Object[] userData;
    private int count;

    /**
     * Makes arrays of one size.
     *
     * @param capacity 0 or more, else an exception with {@link ErrorCode#EINVAL}
     */
    public CompletionSlots(int capacity) {
        if (capacity < 0) {
            throw Arguments.invalid("A capacity is 0 or more, not " + capacity + ".");
        }
        ids = new long[capacity];
        sizes = new long[capacity];
        outcomes = new ErrorCode[capacity];
        indexes = new int[capacity];
        userData = new Object[capacity];
    }

    @Override
    public int capacity() {
        return ids.length;
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public long id(int k) {
        return ids[check(k)];
    }

    @Override
    public ErrorCode outcome(int k) {
        return outcomes[check(k)];
    }

    @Override
    public long sizeBytes(int k) {
        return sizes[check(k)];
    }

    @Override
    public @Nullable Object userData(int k) {
        return userData[check(k)];
    }

    @Override
    public int index(int k) {
        return indexes[check(k)];
    }

    @Override
    public void clear() {
        for (int i = 0; i < count; i++) {
            userData[i] = null;
        }
        count = 0;
    }

    boolean isFull() {
        return count == ids.length;
    }

    /** Adds a result; there must be room. */
    void add(long id, ErrorCode outcome, long sizeBytes, @Nullable Object data, int index) {
        ids[count] = id;
        outcomes[count] = outcome;
        sizes[count] = sizeBytes;
        userData[count] = data;
        indexes[count] = index;
        count++;
    }

    /** Adds a result for an id that no operation of the context has. */
    void addUnknown(long id, int index) {
        add(id, ErrorCode.EINVAL, 0, null, index);
    }

    private int check(int k) {
        if (k < 0 || k >= count) {
            throw Arguments.invalid("Result " + k + " was asked for, but there are " + count + ".");
        }
        return k;
    }
}
