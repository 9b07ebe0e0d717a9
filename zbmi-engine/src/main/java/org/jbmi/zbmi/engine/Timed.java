package org.jbmi.zbmi.engine;

import org.jbmi.spi.LinkedNode;

/** An entry of the {@link DeadlineHeap}, which may be in a list too. */
abstract class Timed extends LinkedNode {
    static final int NOT_SCHEDULED = -1;

    int heapIndex = NOT_SCHEDULED;
    long deadlineNs;
}
