package org.jbmi.zbmi.socket;

import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The calls that wait for their replies. A correlation is the number of a call with a generation
 * above it, always positive, so that a reply that comes too late is noticed. Guarded by the lock of
 * its link, but for {@link Call#isAnswered}.
 */
final class LinkCalls {
    private static final int MAX_CALLS = 4096;
    private static final int INDEX_BITS = 12;

    private final List<Call> calls = new ArrayList<>();
    private @Nullable Call firstFree;

    /** One call. */
    static final class Call implements BooleanSupplier {
        final Message reply = new Message();
        private @Nullable Thread thread;
        private long correlation;
        private boolean isWaiting;
        private volatile boolean isAnswered;
        private @Nullable Call nextFree;

        boolean isAnswered() {
            return isAnswered;
        }

        /** What its thread waits for. */
        @Override
        public boolean getAsBoolean() {
            return isAnswered;
        }

        long correlation() {
            return correlation;
        }
    }

    /** A call of this thread; null if too many are under way. */
    @Nullable Call take() {
        Call call = firstFree;
        if (call == null) {
            if (calls.size() == MAX_CALLS) {
                return null;
            }
            call = new Call();
            call.correlation = calls.size();
            calls.add(call);
        } else {
            firstFree = call.nextFree;
        }
        call.correlation = (call.correlation + (1L << INDEX_BITS)) & Long.MAX_VALUE;
        call.thread = Thread.currentThread();
        call.isWaiting = true;
        call.isAnswered = false;
        return call;
    }

    /** The caller has its reply, or does not wait any more. */
    void release(Call call) {
        call.isWaiting = false;
        call.nextFree = firstFree;
        firstFree = call;
    }

    /** The call that a reply is for; null if nobody waits for it. */
    @Nullable Call find(long correlation) {
        int index = (int) correlation & (MAX_CALLS - 1);
        if (correlation <= 0 || index >= calls.size()) {
            return null;
        }
        Call call = calls.get(index);
        boolean isMeant = call.isWaiting && !call.isAnswered && call.correlation == correlation;
        return isMeant ? call : null;
    }

    /**
     * Hands over a reply that was put into the call.
     *
     * @return who waits for it, to be woken
     */
    static @Nullable Thread answer(Call call) {
        call.isAnswered = true;
        return call.thread;
    }
}
