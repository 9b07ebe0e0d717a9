package org.jbmi.shipper.pump;

import java.util.ArrayDeque;
import java.util.concurrent.locks.LockSupport;

/** Threads that wait and may drive when no other thread drives; the longest waiting first. */
final class Followers {
    private final ArrayDeque<Thread> threads = new ArrayDeque<>();
    private volatile int count;

    /** Whether there are some; read without the lock. */
    boolean areThere() {
        return count > 0;
    }

    synchronized void add(Thread thread) {
        threads.addLast(thread);
        count = threads.size();
    }

    synchronized void remove(Thread thread) {
        threads.remove(thread);
        count = threads.size();
    }

    /** Wakes the first one, which checks whether it may drive. */
    synchronized void wakeFirst() {
        LockSupport.unpark(threads.peekFirst());
    }
}
