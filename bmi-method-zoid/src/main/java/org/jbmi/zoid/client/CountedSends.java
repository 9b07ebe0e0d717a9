package org.jbmi.zoid.client;

import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.Operation;
import org.jbmi.spi.SlotTable;
import org.jbmi.zoid.common.SessionGuard;
import org.jbmi.zoid.common.Slot;
import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/**
 * The sends of a session of which the engine counts the acceptance, oldest first: in the order in
 * which they stand in the lane. A send that the engine answers by itself leaves. Guarded by the
 * lock of the half; allocates nothing.
 */
final class CountedSends {
    /** So many are taken at most while the lock is held. */
    private static final int BATCH = 32;

    private final MethodHost host;
    private final SessionGuard guard;
    private final SlotTable<ClientOperation> table;
    private final Consumer<ClientOperation> reporter;

    /** Completed sends between the lock and the core; for the thread that dispatches. */
    private final @Nullable Operation[] accepted = new Operation[BATCH];

    private final IntrusiveList<ClientOperation> sends = new IntrusiveList<>();

    /**
     * None so far.
     *
     * @param reporter reports one that is over, with the lock free
     */
    CountedSends(
            MethodHost host,
            SessionGuard guard,
            SlotTable<ClientOperation> table,
            Consumer<ClientOperation> reporter) {
        this.host = host;
        this.guard = guard;
        this.table = table;
        this.reporter = reporter;
    }

    /**
     * While messages are dispatched, with the lock free: the oldest were accepted.
     *
     * @param count how many; any number
     * @return false if there are not so many
     */
    boolean onAccepted(int count) {
        int left = count;
        while (left != 0) {
            ClientOperation more = null;
            int ended = 0;
            guard.lock();
            try {
                if (left < 0 || left > sends.size()) {
                    return false;
                }
                ClientOperation slot = sends.poll();
                while (slot != null) {
                    left--;
                    if (slot.isBare()) {
                        accepted[ended++] = slot.operation();
                        Slot.release(table, slot);
                    } else {
                        slot.over(0, slot.operation().sizeBytes());
                        more = slot;
                    }
                    boolean goesOn = left > 0 && ended < BATCH && more == null;
                    slot = goesOn ? sends.poll() : null;
                }
            } finally {
                guard.unlock();
            }
            try {
                complete(0, ended);
            } finally {
                if (more != null) {
                    reporter.accept(more);
                }
            }
        }
        return true;
    }

    // Their slots are free, so all must be reported, whatever fails.
    private void complete(int first, int ended) {
        int i = first;
        try {
            while (i < ended) {
                Operation operation = accepted[i];
                accepted[i++] = null;
                if (operation != null) {
                    host.complete(operation, 0, operation.sizeBytes());
                }
            }
        } finally {
            if (i < ended) {
                complete(i, ended);
            }
        }
    }

    /** With the lock held: appends the one that was sent last. */
    void add(ClientOperation slot) {
        sends.addLast(slot);
    }

    /** With the lock held: takes a send out, if it is counted. */
    void remove(ClientOperation slot) {
        sends.remove(slot);
    }
}
