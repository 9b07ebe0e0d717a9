package org.jbmi.zbmi.engine;

/** An entry of the {@link DeadlineHeap}. */
abstract class Timed {
    static final int NOT_SCHEDULED = -1;

    int heapIndex = NOT_SCHEDULED;
    long deadlineNs;
}
