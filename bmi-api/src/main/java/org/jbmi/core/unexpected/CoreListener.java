package org.jbmi.core.unexpected;

import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.core.waiting.Arguments;

/** A listener. The store owns its queue; {@link UnexpectedTests} does the waiting. */
final class CoreListener implements UnexpectedListener {
    final UnexpectedQueue queue = new UnexpectedQueue();
    private final UnexpectedTests tests;
    private final UnexpectedFilter filter;
    private volatile boolean closed;

    CoreListener(UnexpectedTests tests, UnexpectedFilter filter) {
        this.tests = tests;
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
            throw Arguments.invalid("The listener is closed.");
        }
        return tests.test(queue, messages, idleMs, this);
    }

    @Override
    public void close() {
        closed = true;
        tests.closeListener(this);
    }
}
