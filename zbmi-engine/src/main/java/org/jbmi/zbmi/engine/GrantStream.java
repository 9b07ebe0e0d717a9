package org.jbmi.zbmi.engine;

import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.LinkedNode;

/**
 * A stream of grants to one client that must be claimed in order, with its window while it has one.
 * {@link Grants} keeps it.
 */
abstract class GrantStream extends LinkedNode {
    static final int NO_WINDOW = -1;

    final ClientSession client;

    int window = NO_WINDOW;
    int windowGeneration;

    /** Grants offered in the present window. */
    int offered;

    /** Grants of the present window that are not done, oldest first. */
    final IntrusiveList<Grant> inWindow = new IntrusiveList<>();

    /** Grants of this stream that are not done, of the present window and of closed ones. */
    int outstanding;

    GrantStream(ClientSession client) {
        this.client = client;
    }
}
