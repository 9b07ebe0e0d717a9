package org.jbmi.zbmi.link;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.jetbrains.lincheck.datastructures.Operation;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Each of several threads of a peer sleeps if and only if nothing was sent since it looked, however
 * they come and go on the one word.
 */
public final class SleepHistories {
    private static final long WORD = 0;
    private static final long MESSAGES = 128;
    private static final int BYTES = 256;
    private static final int SLEEPERS = 2;

    private SleepHistories() {}

    /** As it is, in arrays. */
    public static class Sound implements Waiting {
        private final SharedMemory memory;
        private final PeerSleep sleep;
        private final long[] seen = new long[SLEEPERS];
        private final boolean[] isResting = new boolean[SLEEPERS];
        private final boolean[] isInKernel = new boolean[SLEEPERS];
        private final Lock sending = new ReentrantLock();
        private long sent;

        /** For Lincheck. */
        public Sound() {
            this(new ArrayMemory(BYTES));
        }

        Sound(SharedMemory memory) {
            this.memory = memory;
            sleep = new PeerSleep(memory, WORD, this);
        }

        /** The engine sends something to all. */
        @Operation(nonParallelGroup = "engine")
        public void send() {
            sending.lock();
            try {
                memory.setLongRelease(MESSAGES, ++sent);
                PeerSleep.signal(memory, WORD, this);
                LateMemory.settle(memory);
            } finally {
                sending.unlock();
            }
        }

        /** The first thread has nothing to do, or is asleep and may have been woken. */
        @Operation(nonParallelGroup = "first")
        public String restFirst() {
            return rest(0);
        }

        /** The second one. */
        @Operation(nonParallelGroup = "second")
        public String restSecond() {
            return rest(1);
        }

        private String rest(int me) {
            String result = goOn(me);
            LateMemory.settle(memory);
            return result;
        }

        private String goOn(int me) {
            if (isResting[me]) {
                if (isInKernel(me)) {
                    // A send may have been seen by the other thread and be about to wake this one.
                    awaitSend();
                }
                if (isInKernel(me)) {
                    return "asleep";
                }
                isResting[me] = false;
                sleep.leave(PeerSleep.ON_WORD);
            }
            while (true) {
                int value = sleep.enter(PeerSleep.ON_WORD);
                long now = memory.getLongAcquire(MESSAGES);
                if (now != seen[me]) {
                    seen[me] = now;
                    sleep.leave(PeerSleep.ON_WORD);
                    return "event";
                }
                if (enterKernel(me, value)) {
                    isResting[me] = true;
                    return "asleep";
                }
                sleep.leave(PeerSleep.ON_WORD);
            }
        }

        private void awaitSend() {
            sending.lock();
            sending.unlock();
        }

        // The kernel looks at the word and puts the thread to sleep in one step.
        private synchronized boolean enterKernel(int me, int value) {
            isInKernel[me] = memory.getIntVolatile(WORD) == value;
            return isInKernel[me];
        }

        private synchronized boolean isInKernel(int me) {
            return isInKernel[me];
        }

        @Override
        public boolean await(SharedMemory in, long at, int expected, long timeoutNs) {
            throw new IllegalStateException("nobody sleeps in earnest");
        }

        @Override
        public synchronized void wakeAll(SharedMemory in, long at) {
            isInKernel[0] = false;
            isInKernel[1] = false;
        }
    }

    /** As it is, where stores are seen as late as may be. */
    public static class Late extends Sound {
        /** For Lincheck. */
        public Late() {
            super(new LateMemory(BYTES, true));
        }
    }

    /** As it is, in a segment. */
    public static class Real extends Sound {
        /** For Lincheck. */
        public Real() {
            super(WeakMemory.sound(BYTES));
        }
    }

    /** What must be found: without fences. */
    public static class Weak extends Sound {
        /** For Lincheck. */
        public Weak() {
            super(new LateMemory(BYTES, false));
        }
    }

    /** What it is to those who use it. */
    public static class Spec {
        private final int[] seen = new int[SLEEPERS];
        private int sent;

        /** To all. */
        public void send() {
            sent++;
        }

        /** Until something was sent. */
        public String restFirst() {
            return rest(0);
        }

        /** Until something was sent. */
        public String restSecond() {
            return rest(1);
        }

        private String rest(int me) {
            if (seen[me] == sent) {
                return "asleep";
            }
            seen[me] = sent;
            return "event";
        }
    }
}
