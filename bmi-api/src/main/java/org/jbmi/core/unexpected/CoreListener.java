package org.jbmi.core.unexpected;

import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.core.waiting.Arguments;

/** A listener. */
final class CoreListener implements UnexpectedListener {
    final UnexpectedQueue queue;
    private final UnexpectedStore store;
    private final UnexpectedFilter filter;

    CoreListener(UnexpectedStore store, UnexpectedQueue queue, UnexpectedFilter filter) {
        this.store = store;
        this.queue = queue;
        this.filter = filter;
    }

    @Override
    public UnexpectedFilter filter() {
        return filter;
    }

    @Override
    public int test(UnexpectedMessages messages, long idleMs) {
        if (queue.isClosed()) {
            throw Arguments.invalid("The listener is closed.");
        }
        return queue.test(messages, idleMs);
    }

    @Override
    public void close() {
        queue.close();
        store.closeListener(this);
    }
}
