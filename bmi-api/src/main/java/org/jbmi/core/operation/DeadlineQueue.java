package org.jbmi.core.operation;

import org.jbmi.spi.SpinLock;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * A heap of the operations that have a deadline. Each operation knows its index, so it leaves in
 * logarithmic time when it completes. An idle deadline that has moved is re-sorted when its old
 * time comes.
 */
public final class DeadlineQueue {
    private final SpinLock lock = new SpinLock();
    private @Nullable CoreOperation[] heap = new CoreOperation[16];
    private long[] times = new long[16];
    private long[] ids = new long[16];
    private long expiredId;
    private int size;

    /** Places for operations that will be added; the arrays have room for them. */
    private int reserved;

    private volatile long nextNs = Long.MAX_VALUE;
    private volatile boolean empty = true;

    boolean isEmpty() {
        return empty;
    }

    /** Nanoseconds until the first one may expire; a large number if there is none. */
    long untilNextNs(long nowNs) {
        return empty ? Long.MAX_VALUE : nextNs - nowNs;
    }

    /**
     * Makes room for one operation. {@link #add} or {@link #unreserve} follows, and neither can run
     * out of memory. So a post with a deadline takes the lock of the instance's deadlines twice.
     */
    void reserve() {
        lock.lock();
        try {
            if (size + reserved == heap.length) {
                grow();
            }
            reserved++;
        } finally {
            lock.unlock();
        }
    }

    /** Gives up a place. */
    void unreserve() {
        lock.lock();
        reserved--;
        lock.unlock();
    }

    /**
     * Adds an operation in a reserved place, unless it has completed and lost the id.
     *
     * @return whether it is now the first to expire, so that a sleeping lead must compute its
     *     timeout anew
     */
    boolean add(CoreOperation operation, long id) {
        return add(operation, id, operation.deadlineNs());
    }

    /** The same for an operation that is looked at when a time has passed. */
    boolean add(CoreOperation operation, long id, long timeNs) {
        lock.lock();
        try {
            reserved--;
            if (operation.id() != id) {
                return false;
            }
            place(size, operation, timeNs, id);
            size++;
            up(size - 1);
            publish();
            return operation.deadlineIndex == 0;
        } finally {
            lock.unlock();
        }
    }

    // If the JVM runs out of memory here, no array has changed.
    private void grow() {
        int length = heap.length * 2;
        @Nullable CoreOperation[] newHeap = Arrays.copyOf(heap, length);
        long[] newTimes = Arrays.copyOf(times, length);
        ids = Arrays.copyOf(ids, length);
        heap = newHeap;
        times = newTimes;
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

    /** The id of the operation that {@link #pollExpired} returned last; for the lead. */
    long expiredId() {
        return expiredId;
    }

    /**
     * Removes an expired operation; its place stays reserved. It may complete and be reused at any
     * moment: the caller must pass {@link #expiredId} with it.
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
                    reserved++;
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
