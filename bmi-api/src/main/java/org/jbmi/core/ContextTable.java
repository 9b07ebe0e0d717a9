package org.jbmi.core;

import org.jbmi.core.operation.CoreContext;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** The open contexts, up to a limit. */
final class ContextTable {
    private final int most;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile CoreContext[] open = new CoreContext[0];

    ContextTable(int most) {
        this.most = most;
    }

    int most() {
        return most;
    }

    /** Adds a context; null if the limit is reached. */
    @Nullable CoreContext add(Supplier<CoreContext> opener) {
        lock.lock();
        try {
            CoreContext[] old = open;
            if (old.length == most) {
                return null;
            }
            CoreContext context = opener.get();
            CoreContext[] grown = Arrays.copyOf(old, old.length + 1);
            grown[old.length] = context;
            open = grown;
            return context;
        } finally {
            lock.unlock();
        }
    }

    void remove(CoreContext context) {
        lock.lock();
        try {
            open = Arrays.stream(open).filter(c -> c != context).toArray(CoreContext[]::new);
        } finally {
            lock.unlock();
        }
    }

    CoreContext[] all() {
        return open;
    }

    /** Wakes one blocked caller of each context, because an unexpected message arrived. */
    void nudgeAll() {
        for (CoreContext context : open) {
            context.queue().nudge();
        }
    }
}
