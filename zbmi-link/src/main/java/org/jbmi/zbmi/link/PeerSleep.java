package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;

import java.util.concurrent.locks.ReentrantLock;

/**
 * The word on which the threads of a peer sleep until the engine has sent something.
 *
 * <pre>
 *   31                                          2   1   0
 *   +-------------------------------------------+---+---+
 *   | number of the last thread that went to it | S | W |   W: a thread sleeps on the word itself
 *   +-------------------------------------------+---+---+   S: a thread sleeps in a selector
 *
 *   peer:   enter (takes a number, sets a bit), full fence, look again, sleep while the word has the
 *           value that enter gave it, leave
 *   engine: publish, full fence, if a bit is set: swap the word to 0 and wake as the bits say
 * </pre>
 *
 * <p>Several threads may sleep at a time; one that leaves keeps the bits of the others. A thread
 * polls again and then goes to sleep. In between, the engine may take the bits and another thread
 * may set them anew. The number makes the new value different, so the kernel does not let the
 * thread sleep.
 */
public final class PeerSleep {
    static final int ON_WORD = 1;
    static final int IN_SELECTOR = 2;
    private static final int BITS = ON_WORD | IN_SELECTOR;
    private static final int ONE = 4;

    private final SharedMemory memory;
    private final long word;
    private final Waiting waiting;
    private final ReentrantLock lock = new ReentrantLock();
    private int number;
    private int onWord;
    private int inSelector;

    PeerSleep(SharedMemory memory, long word, Waiting waiting) {
        this.memory = memory;
        this.word = word;
        this.waiting = waiting;
    }

    /**
     * Announces that a thread is about to sleep.
     *
     * @param how {@link #ON_WORD} or {@link #IN_SELECTOR}
     * @return the value while which it may sleep
     */
    int enter(int how) {
        lock.lock();
        try {
            count(how, 1);
            number += ONE;
            int value = number | bits();
            memory.setIntVolatile(word, value);
            memory.fullFence();
            return value;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether the engine would still wake threads that sleep so; it clears the bits when it does.
     */
    boolean isAnnounced(int how) {
        return (memory.getIntVolatile(word) & how) != 0;
    }

    /** Whether a thread is between {@link #enter} and {@link #leave} to sleep in a selector. */
    boolean isInSelector() {
        lock.lock();
        try {
            return inSelector > 0;
        } finally {
            lock.unlock();
        }
    }

    void leave(int how) {
        lock.lock();
        try {
            count(how, -1);
            int now = memory.getIntVolatile(word);
            int left = (now & ~BITS) | (now & bits());
            // If the word has changed, the engine or a wake was here. At worst a bit stays that is
            // not needed, and the engine wakes once for nothing.
            if (left != now) {
                memory.compareAndSetInt(word, now, left);
            }
        } finally {
            lock.unlock();
        }
    }

    private void count(int how, int delta) {
        if (how == ON_WORD) {
            onWord += delta;
        } else {
            inSelector += delta;
        }
    }

    private int bits() {
        return (onWord > 0 ? ON_WORD : 0) | (inSelector > 0 ? IN_SELECTOR : 0);
    }

    /** Sleeps, between {@link #enter} and {@link #leave}; not at all if the word has changed. */
    void await(int value, long timeoutNs) {
        waiting.await(memory, word, value, timeoutNs);
    }

    /** Wakes the threads of this process that sleep on the word. */
    void wake() {
        int now = memory.getIntVolatile(word);
        while ((now & ON_WORD) != 0) {
            if (memory.compareAndSetInt(word, now, now & ~ON_WORD)) {
                waiting.wakeAll(memory, word);
                return;
            }
            now = memory.getIntVolatile(word);
        }
    }

    /**
     * The engine's part: wakes the threads that sleep.
     *
     * @return whether a thread sleeps in a selector
     */
    public static boolean signal(SharedMemory memory, long word, Waiting waiting) {
        memory.fullFence();
        return signalAfterFence(memory, word, waiting);
    }

    /** The same where a full fence stands behind what was published already. */
    public static boolean signalAfterFence(SharedMemory memory, long word, Waiting waiting) {
        if ((memory.getIntVolatile(word) & BITS) == 0) {
            return false;
        }
        int was = memory.getAndSetInt(word, 0);
        if ((was & ON_WORD) != 0) {
            waiting.wakeAll(memory, word);
        }
        return (was & IN_SELECTOR) != 0;
    }
}
