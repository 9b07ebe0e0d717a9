package org.jbmi.zbmi.engine;

/** Something that may stand in the {@link DeadlineHeap}. */
abstract class Timed {
    static final int NOT_SCHEDULED = -1;

    int heapIndex = NOT_SCHEDULED;
    long deadlineNs;
}
