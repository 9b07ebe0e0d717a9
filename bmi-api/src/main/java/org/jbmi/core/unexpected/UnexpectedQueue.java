package org.jbmi.core.unexpected;

import org.jbmi.core.waiting.WaiterQueue;
import org.jbmi.spi.IntrusiveQueue;
import org.jspecify.annotations.Nullable;

/**
 * Messages of one class or one listener, and the callers blocked on them. Guarded by the store's
 * lock.
 */
final class UnexpectedQueue {
    final WaiterQueue waiters = new WaiterQueue();
    private final IntrusiveQueue<UnexpectedBuffer> messages = new IntrusiveQueue<>();

    /** Messages on their way into this queue. */
    private final IntrusiveQueue<UnexpectedBuffer> staged = new IntrusiveQueue<>();

    boolean isEmpty() {
        return messages.isEmpty();
    }

    void add(UnexpectedBuffer buffer) {
        messages.addLast(buffer);
    }

    @Nullable UnexpectedBuffer poll() {
        return messages.poll();
    }

    /** Stages a message, in the order of arrival; {@link #mergeStaged} adds it to the queue. */
    void stage(UnexpectedBuffer buffer) {
        staged.addLast(buffer);
    }

    /** Stages a message that is older than all that are staged. */
    void stageFirst(UnexpectedBuffer buffer) {
        staged.addFirst(buffer);
    }

    /**
     * Merges the staged messages into the queue by their order of arrival, since a listener that
     * closes gives its messages back.
     *
     * @return whether there was anything
     */
    boolean mergeStaged() {
        if (staged.isEmpty()) {
            return false;
        }
        for (int here = messages.size(); here > 0 || !staged.isEmpty(); ) {
            UnexpectedBuffer a = here > 0 ? messages.first() : null;
            UnexpectedBuffer b = staged.first();
            boolean isStaged = a == null || (b != null && b.arrival < a.arrival);
            UnexpectedBuffer next = isStaged ? staged.poll() : messages.poll();
            here -= isStaged ? 0 : 1;
            if (next != null) {
                messages.addLast(next); // behind those that have not been looked at
            }
        }
        return true;
    }
}
