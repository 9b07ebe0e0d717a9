package org.jbmi.core.operation;

import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.spi.SpinLock;
import org.jspecify.annotations.Nullable;

/**
 * The free operations of a context, so that a post and a report take no lock but the context's. The
 * operation that is free for longest is used first, so that its id is not used again soon. The
 * context's lock guards everything here, unless a comment says otherwise. {@link OperationTable}
 * moves operations in and out.
 */
final class OperationStock {
    /** Below this number the next one is fetched from the table, if it has any. */
    private static final int FEW = 64;

    /** Above this number some go back to the table. */
    private static final int MANY = 4 * FEW;

    /** The lock of the context. */
    final SpinLock lock;

    final OperationTable table;
    final DeadlineQueue deadlines;
    private final IntrusiveQueue<CoreOperation> free = new IntrusiveQueue<>();

    /** Whether its context is closed, so that freed operations go back to the table. */
    private boolean closed;

    OperationStock(OperationTable table, DeadlineQueue deadlines, SpinLock lock) {
        this.table = table;
        this.deadlines = deadlines;
        this.lock = lock;
        table.add(this);
    }

    /** Takes a free operation; null if {@link #fetch} must be called. */
    @Nullable CoreOperation take() {
        return free.size() < FEW && table.mayHaveFree() ? null : free.poll();
    }

    /** Takes one from the table, without the lock; null if the limit is reached. */
    @Nullable CoreOperation fetch() {
        return table.fetch(this);
    }

    /**
     * Frees an operation. Its id ends before its deadline is removed. A post that is about to add
     * the deadline sees under the heap's lock that the id has ended. So no deadline outlives its
     * operation.
     */
    void free(CoreOperation operation) {
        operation.endIdentity();
        if (operation.hasDeadline()) {
            deadlines.remove(operation);
        }
        operation.retire();
        free.addLast(operation);
    }

    /** Whether {@link #giveBack} must be called after the lock is released. */
    boolean hasTooMany() {
        return free.size() > MANY || (closed && free.size() > 0);
    }

    /** Returns surplus operations to the table; without the lock. */
    void giveBack() {
        table.takeBack(this);
    }

    /** Returns all operations to the table, now and later; without the lock. */
    void close() {
        lock.lock();
        closed = true;
        lock.unlock();
        table.remove(this);
    }

    boolean isClosed() {
        return closed;
    }

    int size() {
        return free.size();
    }

    /** How many stay when surplus ones are returned. */
    int kept() {
        return closed ? 0 : Math.min(free.size(), MANY / 2);
    }

    /** Called by the table. */
    void add(CoreOperation operation) {
        free.addLast(operation);
    }

    /** Called by the table: takes one, however few there are. */
    @Nullable CoreOperation takeAny() {
        return free.poll();
    }
}
