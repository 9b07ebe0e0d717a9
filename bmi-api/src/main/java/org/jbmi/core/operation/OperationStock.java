package org.jbmi.core.operation;

import org.jbmi.spi.SpinLock;
import org.jspecify.annotations.Nullable;

/**
 * The free operations that a context has at hand, so that a post and a report need no lock but that
 * of the context. The one that is free for longest goes first. Everything here is guarded by that
 * lock, unless it says otherwise; {@link OperationTable} moves operations in and out.
 */
final class OperationStock {
    /** With fewer than this the next one is fetched from the table, if it has any. */
    private static final int FEW = 64;

    /** With more than this some go back to the table. */
    private static final int MANY = 4 * FEW;

    /** The lock of the context. */
    final SpinLock lock;

    private final OperationTable table;
    private final DeadlineQueue deadlines;
    private final OperationList free = new OperationList();

    /** Whether its context is closed: what is freed goes back to the table. */
    private boolean closed;

    OperationStock(OperationTable table, DeadlineQueue deadlines, SpinLock lock) {
        this.table = table;
        this.deadlines = deadlines;
        this.lock = lock;
        table.add(this);
    }

    /** Takes one that is at hand; null if {@link #fetch} must be asked. */
    @Nullable CoreOperation take() {
        return free.size() < FEW && table.mayHaveFree() ? null : free.poll();
    }

    /** Takes one from the table, without the lock; null if all that are allowed are in use. */
    @Nullable CoreOperation fetch() {
        return table.fetch(this);
    }

    /**
     * Ends an operation: from here on its id means nothing. Its id dies before its deadline goes: a
     * post that is just about to give it a deadline sees that under the heap's lock, so that no
     * deadline outlives its operation.
     */
    void free(CoreOperation operation) {
        operation.endIdentity();
        if (operation.hasDeadline()) {
            deadlines.remove(operation);
        }
        operation.retire();
        free.add(operation);
    }

    /** Whether {@link #giveBack} should be called as soon as the lock is given back. */
    boolean hasTooMany() {
        return free.size() > MANY || (closed && free.size() > 0);
    }

    /** Hands to the table what is too much; without the lock. */
    void giveBack() {
        table.takeBack(this);
    }

    /** From here on nothing stays here; without the lock. */
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

    /** How many stay when some go back. */
    int kept() {
        return closed ? 0 : Math.min(free.size(), MANY / 2);
    }

    /** For the table. */
    void add(CoreOperation operation) {
        free.add(operation);
    }

    /** For the table: takes one, however few there are. */
    @Nullable CoreOperation takeAny() {
        return free.poll();
    }
}
