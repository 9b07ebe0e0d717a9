package org.jbmi.zbmi.engine.state;

import org.jbmi.spi.LinkedNode;

/** An entry of the {@link DeadlineHeap}, which may be in a list too. */
public abstract class Timed extends LinkedNode {
    public static final int NOT_SCHEDULED = -1;

    public int heapIndex = NOT_SCHEDULED;
    public long deadlineNs;
}
