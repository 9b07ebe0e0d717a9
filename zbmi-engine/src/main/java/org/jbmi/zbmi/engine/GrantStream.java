package org.jbmi.zbmi.engine;

import org.jspecify.annotations.Nullable;

/**
 * A stream of grants to one client that must be claimed in order, with its window while it has one.
 * {@link Grants} keeps it.
 */
abstract class GrantStream {
    static final int NO_WINDOW = -1;

    final ClientSession client;

    int window = NO_WINDOW;
    int windowGeneration;

    /** Grants offered in the present window. */
    int offered;

    /** Grants of the present window that are not done, oldest first. */
    @Nullable Grant first;

    @Nullable Grant last;
    int inWindow;

    /** Grants of this stream that are not done, of the present window and of closed ones. */
    int outstanding;

    GrantStream(ClientSession client) {
        this.client = client;
    }

    void link(Grant grant) {
        grant.previous = last;
        grant.next = null;
        if (last == null) {
            first = grant;
        } else {
            last.next = grant;
        }
        last = grant;
        inWindow++;
    }

    void unlink(Grant grant) {
        Grant before = grant.previous;
        Grant after = grant.next;
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
        grant.previous = null;
        grant.next = null;
        inWindow--;
    }
}
