package org.jbmi.core.operation;

import org.jbmi.spi.SpinLock;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * The operations that can expire, the next one on top of a heap. An operation knows its place, so
 * taking it out when it completes costs a logarithm and leaves nothing behind. Deadlines that slide
 * are looked at again when their old time comes.
 */
public final class DeadlineQueue {
    private final SpinLock lock = new SpinLock();
    private @Nullable CoreOperation[] heap = new CoreOperation[16];
    private long[] times = new long[16];
    private long[] ids = new long[16];
    private long expiredId;
    private int size;
    private volatile long nextNs = Long.MAX_VALUE;
    private volatile boolean empty = true;

    boolean isEmpty() {
        return empty;
    }

    /** How long until the first one may expire; a large number if there is none. */
    long untilNextNs(long nowNs) {
        return empty ? Long.MAX_VALUE : nextNs - nowNs;
    }

    /**
     * Adds an operation if it still has the id; otherwise it is over and needs no deadline.
     *
     * @return whether it is now the first to expire, so that a sleeper must look again
     */
    boolean add(CoreOperation operation, long id) {
        lock.lock();
        try {
            if (operation.id() != id) {
                return false;
            }
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, size * 2);
                times = Arrays.copyOf(times, size * 2);
                ids = Arrays.copyOf(ids, size * 2);
            }
            place(size, operation, operation.deadlineNs(), id);
            size++;
            up(size - 1);
            publish();
            return operation.deadlineIndex == 0;
        } finally {
            lock.unlock();
        }
    }

    void remove(CoreOperation operation) {
        lock.lock();
        try {
            int index = operation.deadlineIndex;
            if (index >= 0) {
                removeAt(index);
                publish();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The id that the operation had which {@link #pollExpired} returned last; the lead's own. */
    long expiredId() {
        return expiredId;
    }

    /**
     * Takes out one operation whose time is over. By the time the caller looks at it, it may be
     * over and in use again: only together with {@link #expiredId} does it mean anything.
     *
     * @return null if there is none
     */
    @Nullable CoreOperation pollExpired(long nowNs) {
        if (empty || nextNs - nowNs > 0) {
            return null;
        }
        lock.lock();
        try {
            while (size > 0 && times[0] - nowNs <= 0) {
                CoreOperation top = at(0);
                long slid = top.deadlineNs();
                if (slid - nowNs <= 0) {
                    expiredId = ids[0];
                    removeAt(0);
                    return top;
                }
                times[0] = slid;
                down(0);
            }
            return null;
        } finally {
            publish();
            lock.unlock();
        }
    }

    private void publish() {
        nextNs = size == 0 ? Long.MAX_VALUE : times[0];
        empty = size == 0;
    }

    private void removeAt(int index) {
        at(index).deadlineIndex = -1;
        size--;
        if (index < size) {
            place(index, at(size), times[size], ids[size]);
            heap[size] = null;
            down(index);
            up(index);
        } else {
            heap[size] = null;
        }
    }

    private CoreOperation at(int index) {
        CoreOperation operation = heap[index];
        if (operation == null) {
            throw new IllegalStateException("The deadline heap has a hole at " + index + ".");
        }
        return operation;
    }

    private void place(int index, CoreOperation operation, long time, long id) {
        heap[index] = operation;
        times[index] = time;
        ids[index] = id;
        operation.deadlineIndex = index;
    }

    private void swap(int a, int b) {
        CoreOperation operation = at(a);
        long time = times[a];
        long id = ids[a];
        place(a, at(b), times[b], ids[b]);
        place(b, operation, time, id);
    }

    private void up(int start) {
        int index = start;
        while (index > 0) {
            int parent = (index - 1) >>> 1;
            if (times[parent] - times[index] <= 0) {
                return;
            }
            swap(parent, index);
            index = parent;
        }
    }

    private void down(int start) {
        int index = start;
        while (true) {
            int child = 2 * index + 1;
            if (child >= size) {
                return;
            }
            if (child + 1 < size && times[child + 1] - times[child] < 0) {
                child++;
            }
            if (times[index] - times[child] <= 0) {
                return;
            }
            swap(index, child);
            index = child;
        }
    }
}
