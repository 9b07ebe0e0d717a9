package org.jbmi.zbmi.engine.state;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * A binary heap of deadlines. Each entry knows its index, so a wait that ends early leaves at once.
 * Deadlines are compared by difference, since the clock may wrap.
 */
public final class DeadlineHeap {
    private @Nullable Timed[] heap = new Timed[64];
    private int size;
    private int operations;

    public boolean isEmpty() {
        return size == 0;
    }

    /** Whether it holds an operation; waits of clients need not be punctual. */
    public boolean hasOperations() {
        return operations > 0;
    }

    public @Nullable Timed first() {
        return size == 0 ? null : heap[0];
    }

    public void schedule(Timed timed, long deadlineNs) {
        cancel(timed);
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, size * 2);
        }
        timed.deadlineNs = deadlineNs;
        operations += timed instanceof Operation.Registration ? 1 : 0;
        siftUp(size++, timed);
    }

    public void cancel(Timed timed) {
        int index = timed.heapIndex;
        if (index == Timed.NOT_SCHEDULED) {
            return;
        }
        timed.heapIndex = Timed.NOT_SCHEDULED;
        operations -= timed instanceof Operation.Registration ? 1 : 0;
        Timed moved = at(--size);
        heap[size] = null;
        if (index == size) {
            return;
        }
        if (index > 0 && isBefore(moved, at((index - 1) / 2))) {
            siftUp(index, moved);
        } else {
            siftDown(index, moved);
        }
    }

    private void siftUp(int from, Timed timed) {
        int index = from;
        while (index > 0) {
            int parent = (index - 1) / 2;
            Timed above = at(parent);
            if (!isBefore(timed, above)) {
                break;
            }
            put(index, above);
            index = parent;
        }
        put(index, timed);
    }

    private void siftDown(int from, Timed timed) {
        int index = from;
        while (2 * index + 1 < size) {
            int child = 2 * index + 1;
            if (child + 1 < size && isBefore(at(child + 1), at(child))) {
                child++;
            }
            if (!isBefore(at(child), timed)) {
                break;
            }
            put(index, at(child));
            index = child;
        }
        put(index, timed);
    }

    private void put(int index, Timed timed) {
        heap[index] = timed;
        timed.heapIndex = index;
    }

    private Timed at(int index) {
        Timed timed = heap[index];
        if (timed == null) {
            throw new IllegalStateException("a hole in the heap");
        }
        return timed;
    }

    private static boolean isBefore(Timed a, Timed b) {
        return a.deadlineNs - b.deadlineNs < 0;
    }
}
