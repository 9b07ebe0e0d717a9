package org.jbmi.tcp.peer;

import org.jbmi.testsuite.support.FullHeap;
import org.jspecify.annotations.Nullable;

/** Keeps the heap full, and frees it piece by piece. */
final class Filler {
    private @Nullable Object @Nullable [] large;
    private @Nullable Object @Nullable [] pieces;

    /** Takes all memory. The collector finds a few more pieces after each time. */
    void fill() {
        large = FullHeap.fill(1 << 12, 1 << 12);
        fillUp();
    }

    /** Takes what is free now, in pieces. */
    void fillUp() {
        for (Object[] more = FullHeap.fill(2, 2); more != null; more = FullHeap.fill(2, 2)) {
            Object[] oldest = more;
            while (oldest[0] != null) {
                oldest = (Object[]) oldest[0];
            }
            oldest[0] = pieces;
            pieces = more;
        }
    }

    /** Frees a small piece; false if none is left. */
    boolean freeOne() {
        if (pieces != null) {
            pieces = (Object[]) pieces[0];
        }
        return pieces != null;
    }

    /** Frees all. */
    void free() {
        large = null;
        pieces = null;
    }
}
