package org.jbmi.shipper.pump;

import java.util.ArrayDeque;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Threads that wait and may drive when no other thread drives; the longest waiting first. */
final class Followers {
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Thread> threads = new ArrayDeque<>();
    private volatile int count;

    /** Whether there are some; read without the lock. */
    boolean areThere() {
        return count > 0;
    }

    void add(Thread thread) {
        lock.lock();
        try {
            threads.addLast(thread);
            count = threads.size();
        } finally {
            lock.unlock();
        }
    }

    void remove(Thread thread) {
        lock.lock();
        try {
            threads.remove(thread);
            count = threads.size();
        } finally {
            lock.unlock();
        }
    }

    /** Wakes the first one, which checks whether it may drive. */
    void wakeFirst() {
        lock.lock();
        try {
            LockSupport.unpark(threads.peekFirst());
        } finally {
            lock.unlock();
        }
    }
}
