package org.jbmi.spi;

import org.jspecify.annotations.Nullable;

/**
 * What stands in an {@link IntrusiveList} or an {@link IntrusiveQueue} by links of its own: in one
 * of them at a time. A record that is in two at once has a second node for the other one.
 */
public abstract class LinkedNode {
    @Nullable LinkedNode nextNode;
    @Nullable LinkedNode previousNode;

    /** The list that it stands in; null in a queue and in none. */
    @Nullable IntrusiveList<?> inList;

    /** Makes a node that stands in no list. */
    protected LinkedNode() {}

    /**
     * Whether it stands in a list.
     *
     * @return false in no list, and in a queue
     */
    public final boolean isListed() {
        return inList != null;
    }
}
