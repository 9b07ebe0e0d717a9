package org.jbmi.core;

import org.jbmi.core.operation.CoreContext;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.function.Supplier;

/** The open contexts, up to a limit. */
final class ContextTable {
    private final int most;

    /** Null where a context was closed; so a close needs no memory. */
    private volatile @Nullable CoreContext[] open = new CoreContext[0];

    ContextTable(int most) {
        this.most = most;
    }

    int most() {
        return most;
    }

    /** Adds a context; null if the limit is reached. */
    synchronized @Nullable CoreContext add(Supplier<CoreContext> opener) {
        @Nullable CoreContext[] slots = open;
        int free = indexOf(null);
        if (free == most) {
            return null;
        }
        if (free == slots.length) {
            slots = Arrays.copyOf(slots, free + 1);
        }
        CoreContext context = opener.get(); // last: what it makes is in other tables too
        slots[free] = context;
        open = slots; // also shows the element to other threads
        return context;
    }

    synchronized void remove(CoreContext context) {
        @Nullable CoreContext[] slots = open;
        int its = indexOf(context);
        if (its < slots.length) {
            slots[its] = null;
            open = slots;
        }
    }

    /** The slot of a context, or the first that is free; the number of slots if there is none. */
    private int indexOf(@Nullable CoreContext context) {
        @Nullable CoreContext[] slots = open;
        int i = 0;
        while (i < slots.length && slots[i] != context) {
            i++;
        }
        return i;
    }

    /** The open contexts, and null between them. */
    @Nullable CoreContext[] all() {
        return open;
    }

    /** Wakes one blocked caller of each context, because an unexpected message arrived. */
    void nudgeAll() {
        for (CoreContext context : open) {
            if (context != null) {
                context.queue().nudge();
            }
        }
    }
}
