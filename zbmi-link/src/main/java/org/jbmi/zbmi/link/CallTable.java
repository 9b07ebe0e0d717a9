package org.jbmi.zbmi.link;

import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.spi.LinkedNode;
import org.jbmi.spi.SpinLock;
import org.jbmi.zbmi.attach.Interrupts;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * The calls that wait for replies. Any thread takes and releases a call; the thread that dispatches
 * answers it, and only one thread dispatches at a time.
 *
 * <p>A correlation is the slot of a call, with a generation in its upper bits; it is always
 * positive. By the generation the dispatcher recognises a reply that comes too late.
 *
 * <p>Correlation and state are one atomic word because of a race. The dispatcher finds the slot,
 * the caller gives up, and the next caller takes the slot. The dispatcher must not answer that
 * caller. {@code SlotTable} does not fit, because it keeps the generation in a word of its own.
 */
public final class CallTable {
    static final int MAX_CALLS = 4096;
    private static final int SLOT_BITS = 12;
    private static final long CROWD_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final SpinLock lock = new SpinLock();
    private volatile Call[] calls = new Call[0];
    private final IntrusiveQueue<Call> free = new IntrusiveQueue<>();

    /** An empty table. */
    public CallTable() {}

    /**
     * Takes a free call, without waiting.
     *
     * @return the call, to be released; null if too many threads are inside, or the channel is
     *     closed
     */
    public @Nullable Call takeNow(BooleanSupplier isOver) {
        return isOver.getAsBoolean() ? null : takeFree();
    }

    /**
     * Takes a free call; waits while too many threads are inside.
     *
     * @return the call, to be released; null if there was none in time
     */
    public @Nullable Call take(NanoClock clock, long timeoutNs, BooleanSupplier isOver) {
        Call call = takeNow(isOver);
        if (call != null || isOver.getAsBoolean()) {
            return call;
        }
        long endNs = clock.nanoTime() + timeoutNs;
        while (call == null && !isOver.getAsBoolean() && clock.nanoTime() - endNs < 0) {
            Interrupts.park(CROWD_NS);
            call = takeFree();
        }
        return call;
    }

    private @Nullable Call takeFree() {
        lock.lock();
        try {
            if (free.isEmpty()) {
                grow();
            }
            Call call = free.poll();
            if (call != null) {
                call.begin();
            }
            return call;
        } finally {
            lock.unlock();
        }
    }

    /** Ends a call, in whatever state. Waits while another thread is about to answer it. */
    public void release(Call call) {
        call.end();
        lock.lock();
        try {
            free.addFirst(call);
        } finally {
            lock.unlock();
        }
    }

    private void grow() {
        Call[] old = calls;
        int size = Math.min(MAX_CALLS, Math.max(16, old.length * 2));
        if (size == old.length) {
            return;
        }
        Call[] grown = Arrays.copyOf(old, size);
        for (int i = old.length; i < size; i++) {
            grown[i] = new Call(i);
            free.addLast(grown[i]);
        }
        calls = grown;
    }

    /**
     * The call that a reply is for; null if its caller waits no more. Otherwise it must be answered
     * or given back. For one thread at a time.
     */
    public @Nullable Call claim(long correlation) {
        int slot = (int) correlation & (MAX_CALLS - 1);
        Call[] known = calls;
        if (correlation <= 0 || correlation > Call.MOST || slot >= known.length) {
            return null;
        }
        Call call = known[slot];
        return call.pass(correlation, Call.WAITING, Call.BEING_ANSWERED) ? call : null;
    }

    /** One call, as its thread waits for it. */
    public static final class Call extends LinkedNode implements BooleanSupplier {
        static final int FREE = 0;
        static final int WAITING = 1;
        static final int BEING_ANSWERED = 2;
        static final int ANSWERED = 3;

        private static final int STATE_BITS = 2;
        private static final long STATE_MASK = (1L << STATE_BITS) - 1;
        private static final long MOST = Long.MAX_VALUE >> STATE_BITS;

        private final Message reply = new Message();

        /** The correlation, and below it the state. */
        private final AtomicLong word = new AtomicLong();

        private volatile @Nullable Thread sleeper;

        Call(int slot) {
            word.set(word(slot, FREE));
        }

        private static long word(long correlation, int state) {
            return correlation << STATE_BITS | state;
        }

        private void begin() {
            // The request is published later, so a thread that claims the answer sees this.
            word.setRelease(word((correlation() + (1L << SLOT_BITS)) & MOST, WAITING));
        }

        private void end() {
            if (isAnswerable()) {
                giveUp();
            }
            word.setRelease(word(correlation(), FREE));
        }

        private boolean isAnswerable() {
            long state = word.get() & STATE_MASK;
            return state == WAITING || state == BEING_ANSWERED;
        }

        // For the one of the two threads that holds the call.
        private void become(int state) {
            word.set(word(correlation(), state));
        }

        private boolean pass(long correlation, int from, int to) {
            return word.compareAndSet(word(correlation, from), word(correlation, to));
        }

        /** The correlation that its reply must have. */
        public long correlation() {
            return word.get() >> STATE_BITS;
        }

        /** Its reply. */
        public Message reply() {
            return reply;
        }

        /** Stores the thread that is about to sleep until the reply comes; null: it has woken. */
        public void sleeps(@Nullable Thread thread) {
            sleeper = thread;
        }

        /** After {@link CallTable#claim}; returns who must be woken, or null. */
        public @Nullable Thread answer(Message message) {
            reply.copyFrom(message);
            become(ANSWERED);
            return sleeper;
        }

        /** After {@link CallTable#claim}: the message was not its reply. */
        public void giveBack() {
            become(WAITING);
        }

        /** Whether the reply has come. */
        public boolean isAnswered() {
            return (word.get() & STATE_MASK) == ANSWERED;
        }

        @Override
        public boolean getAsBoolean() {
            return isAnswered();
        }

        /**
         * Stops waiting, unless another thread writes the answer at this moment.
         *
         * @return whether the answer has come even so
         */
        public boolean giveUp() {
            while (!isAnswered()) {
                // A claimed call may be given back, so reading the state is not enough.
                if (pass(correlation(), WAITING, FREE)) {
                    return false;
                }
                Thread.onSpinWait();
            }
            return true;
        }
    }
}
