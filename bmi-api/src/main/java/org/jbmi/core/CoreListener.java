package org.jbmi.core;

import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;

/** A listener: its queue belongs to the store, the waiting to the instance. */
final class CoreListener implements UnexpectedListener {
    final UnexpectedQueue queue = new UnexpectedQueue();
    private final CoreBmi owner;
    private final UnexpectedFilter filter;
    private volatile boolean closed;

    CoreListener(CoreBmi owner, UnexpectedFilter filter) {
        this.owner = owner;
        this.filter = filter;
    }

    @Override
    public UnexpectedFilter filter() {
        return filter;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public int test(UnexpectedMessages messages, long idleMs) {
        if (closed) {
            throw CoreBmi.invalid("The listener is closed.");
        }
        return owner.unexpectedTests().test(queue, messages, idleMs, this);
    }

    @Override
    public void close() {
        closed = true;
        owner.store().closeListener(this);
    }
}
