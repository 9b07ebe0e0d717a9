package org.jbmi.zbmi.engine.state;

import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.LinkedNode;

/**
 * A stream of grants to one client that must be claimed in order, with its window while it has one.
 * {@code Grants} keeps it.
 */
public abstract class GrantStream extends LinkedNode {
    public static final int NO_WINDOW = -1;

    public final ClientSession client;

    public int window = NO_WINDOW;
    public int windowGeneration;

    /** Grants offered in the present window. */
    public int offered;

    /** Grants of the present window that are not done, oldest first. */
    public final IntrusiveList<Grant> inWindow = new IntrusiveList<>();

    /** Grants of this stream that are not done, of the present window and of closed ones. */
    public int outstanding;

    public GrantStream(ClientSession client) {
        this.client = client;
    }
}
