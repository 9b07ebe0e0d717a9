package org.jbmi.zbmi.link;

import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The calls that wait for their replies. A correlation is the slot of a call with a generation
 * above it, always positive, so that a reply that comes too late is noticed. Taking and releasing
 * is done under the channel's send lock, answering under its dispatch lock; the state of a call
 * says which of its two threads has it.
 */
public final class CallTable {
    static final int MAX_CALLS = 4096;
    private static final int SLOT_BITS = 12;

    private volatile Call[] calls = new Call[0];
    private @Nullable Call firstFree;

    /** An empty table. */
    public CallTable() {}

    /** A free call, or null if too many threads are inside. Under the call lock. */
    public @Nullable Call take() {
        Call call = firstFree;
        if (call == null) {
            call = grow();
        }
        if (call == null) {
            return null;
        }
        firstFree = call.nextFree;
        call.correlation = call.nextCorrelation();
        call.state.set(Call.WAITING);
        return call;
    }

    /** Ends a call. Under the call lock. */
    public void release(Call call) {
        call.state.set(Call.FREE);
        call.nextFree = firstFree;
        firstFree = call;
    }

    private @Nullable Call grow() {
        Call[] old = calls;
        int size = Math.min(MAX_CALLS, Math.max(16, old.length * 2));
        if (size == old.length) {
            return null;
        }
        Call[] grown = Arrays.copyOf(old, size);
        for (int i = size - 1; i >= old.length; i--) {
            Call fresh = new Call(i);
            fresh.nextFree = firstFree;
            firstFree = fresh;
            grown[i] = fresh;
        }
        calls = grown;
        return firstFree;
    }

    /**
     * The call that a reply is for, or null if it is not waited for any more; otherwise it must be
     * answered. Under the dispatch lock.
     */
    public @Nullable Call claim(long correlation) {
        int slot = (int) correlation & (MAX_CALLS - 1);
        Call[] known = calls;
        if (correlation <= 0 || slot >= known.length) {
            return null;
        }
        Call call = known[slot];
        boolean isMeant = call.correlation == correlation;
        return isMeant && call.state.compareAndSet(Call.WAITING, Call.BEING_ANSWERED) ? call : null;
    }

    /** One call. */
    public static final class Call {
        static final int FREE = 0;
        static final int WAITING = 1;
        static final int BEING_ANSWERED = 2;
        static final int ANSWERED = 3;

        final Message reply = new Message();
        final AtomicInteger state = new AtomicInteger();
        volatile long correlation;
        private volatile @Nullable Thread sleeper;
        private @Nullable Call nextFree;

        Call(int slot) {
            this.correlation = slot;
        }

        private long nextCorrelation() {
            return (correlation + (1L << SLOT_BITS)) & Long.MAX_VALUE;
        }

        /** What its reply must name. */
        public long correlation() {
            return correlation;
        }

        /** What answered it. */
        public Message reply() {
            return reply;
        }

        /** A thread is about to sleep until the answer is there; null: it has woken. */
        public void sleeps(@Nullable Thread thread) {
            sleeper = thread;
        }

        /** After {@link CallTable#claim}; returns who must be woken, or null. */
        public @Nullable Thread answer(Message message) {
            reply.copyFrom(message);
            state.set(ANSWERED);
            return sleeper;
        }

        /** Whether the reply is there. */
        public boolean isAnswered() {
            return state.get() == ANSWERED;
        }

        /** Gives up waiting; false if the answer is there, or is just being written. */
        public boolean abandon() {
            return state.compareAndSet(WAITING, FREE);
        }
    }
}
