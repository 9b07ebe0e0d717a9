package org.jbmi.zbmi.host;

import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.zbmi.channel.CommandChannel;
import org.jbmi.zbmi.link.CallTable;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.Welcome;
import org.jspecify.annotations.Nullable;

import java.nio.channels.SelectableChannel;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * The command channel of a server that hosts the engine itself: what it says is a call under the
 * engine's lock, what the engine says goes through a ring in the heap and is dispatched with that
 * lock released. Whoever dispatches goes on until the ring is empty and, after it has let the
 * dispatch lock go, looks again, so that nothing is left behind by somebody who found it taken.
 */
final class DirectChannel implements CommandChannel {
    private final Welcome welcome;
    private final DirectEngine engine;
    private final MessageRing ring;
    private final PeerEvents events;
    private final NanoClock clock;
    private final long sliceNs;
    private final LongConsumer onClose;
    private final CallTable calls;
    private final BooleanSupplier isOver = this::isBroken;
    private final ReentrantLock dispatchLock = new ReentrantLock();
    private final Message received = new Message();
    private final AtomicReference<@Nullable String> brokenReason = new AtomicReference<>();

    private volatile WaitPolicy policy = WaitPolicy.of(WaitPolicy.Mode.BLOCK, 0);
    private volatile boolean isWakePending;
    private int sleepWord;
    private boolean sleepsOnWord;

    DirectChannel(
            Welcome welcome,
            DirectEngine engine,
            MessageRing ring,
            PeerEvents events,
            NanoClock clock,
            long sliceNs,
            LongConsumer onClose) {
        this(welcome, engine, ring, events, clock, sliceNs, onClose, new CallTable());
    }

    /** The same, with calls of the caller's. */
    DirectChannel(
            Welcome welcome,
            DirectEngine engine,
            MessageRing ring,
            PeerEvents events,
            NanoClock clock,
            long sliceNs,
            LongConsumer onClose,
            CallTable calls) {
        this.welcome = welcome;
        this.engine = engine;
        this.ring = ring;
        this.events = events;
        this.clock = clock;
        this.sliceNs = sliceNs;
        this.onClose = onClose;
        this.calls = calls;
    }

    @Override
    public Welcome welcome() {
        return welcome;
    }

    @Override
    public void waitBy(WaitPolicy newPolicy) {
        policy = newPolicy;
    }

    @Override
    public int call(Message request, Message reply, long timeoutNs) {
        CallTable.Call call = calls.takeNow(isOver);
        long leftNs = timeoutNs;
        if (call == null) {
            long startNs = clock.nanoTime();
            call = calls.take(clock, timeoutNs, isOver);
            leftNs -= clock.nanoTime() - startNs; // the crowd and the answer have one time
        }
        if (call == null) {
            return isBroken() ? BROKEN : NOT_SENT;
        }
        try {
            request.setWord(0, call.correlation());
            engine.feed(request);
            dispatch();
            int result = call.isAnswered() ? OK : awaitReply(call, leftNs);
            if (result == OK) {
                reply.copyFrom(call.reply());
            }
            return result;
        } finally {
            calls.release(call);
        }
    }

    private boolean isBroken() {
        return brokenReason.get() != null;
    }

    private int awaitReply(CallTable.Call call, long timeoutNs) {
        WaitPolicy own = policy;
        long lookNs = own.lookNs();
        long startNs = clock.nanoTime();
        while (!call.isAnswered()) {
            events.afterDispatch();
            if (progress() == BROKEN) {
                return call.giveUp() ? OK : BROKEN;
            }
            if (call.isAnswered()) {
                own.ended(lookNs, clock.nanoTime() - startNs);
                return OK;
            }
            long waitedNs = clock.nanoTime() - startNs;
            if (waitedNs >= timeoutNs) {
                return call.giveUp() ? OK : TIMED_OUT;
            }
            if (waitedNs < lookNs) {
                own.pause();
            } else {
                sleepForReply(call, Math.min(sliceNs, timeoutNs - waitedNs));
            }
        }
        return OK;
    }

    // Of "asleep, then look" here and "answer, then look" in deliver() at least one look is in
    // time.
    private void sleepForReply(CallTable.Call call, long timeoutNs) {
        boolean isVirtual = Thread.currentThread().isVirtual();
        call.sleeps(Thread.currentThread());
        int word = engine.prepareSleep(!isVirtual);
        boolean quiet = word != 0 && !call.isAnswered() && !isBroken() && ring.isEmpty();
        if (quiet && isVirtual) {
            LockSupport.parkNanos(this, timeoutNs);
        } else if (quiet) {
            engine.sleep(word, timeoutNs);
        }
        if (word != 0 && !isVirtual) {
            engine.endSleep();
        }
        call.sleeps(null);
        dispatch();
    }

    @Override
    public int note(Message note, long timeoutNs) {
        if (isBroken()) {
            return BROKEN;
        }
        engine.feed(note);
        dispatch();
        return OK;
    }

    /** The engine takes what it is told at once. */
    @Override
    public int tell(Message note) {
        return note(note, 0);
    }

    @Override
    public boolean hasUnsaid() {
        return false;
    }

    @Override
    public int progress() {
        if (isBroken()) {
            return BROKEN;
        }
        int work = engine.lead() + dispatch();
        String failure = engine.failure();
        if (failure != null) {
            fail(failure);
        }
        return work;
    }

    /** Hands out what the engine has said; returns how many messages that were. */
    int dispatch() {
        int count = 0;
        while (!ring.isEmpty() && dispatchLock.tryLock()) {
            try {
                while (ring.poll(received)) {
                    deliver(received);
                    count++;
                }
            } finally {
                dispatchLock.unlock();
            }
        }
        return count;
    }

    private void deliver(Message message) {
        CallTable.Call call =
                ServerEvents.isReply(message)
                        ? calls.claim(ServerEvents.correlation(message))
                        : null;
        if (call == null) {
            events.onEvent(message);
            return;
        }
        Thread sleeper = call.answer(message);
        if (sleeper != null && sleeper.isVirtual()) {
            LockSupport.unpark(sleeper);
        } else if (sleeper != null) {
            engine.wakeSleepers();
        }
    }

    /** The engine runs no more. */
    void fail(String reason) {
        if (brokenReason.compareAndSet(null, reason)) {
            try {
                events.onBroken(reason);
            } finally {
                wake();
            }
        }
    }

    @Override
    public void end(String reason) {
        engine.end(reason);
        fail(reason);
    }

    @Override
    public boolean prepareSleep(boolean inSelector) {
        if (takeWake() || isBroken()) {
            return false;
        }
        sleepsOnWord = !inSelector;
        sleepWord = engine.prepareSleep(sleepsOnWord);
        if (sleepWord != 0 && (!ring.isEmpty() || takeWake() || isBroken())) {
            finishSleep();
            return false;
        }
        return sleepWord != 0;
    }

    private boolean takeWake() {
        boolean wasPending = isWakePending;
        isWakePending = false;
        return wasPending;
    }

    @Override
    public void sleep(long timeoutNs) {
        if (!takeWake()) {
            engine.sleep(sleepWord, Math.min(timeoutNs, sliceNs));
        }
    }

    @Override
    public void finishSleep() {
        if (sleepsOnWord && sleepWord != 0) {
            engine.endSleep();
        }
        sleepWord = 0;
        dispatch();
    }

    @Override
    public void wake() {
        isWakePending = true;
        engine.wakeSleepers();
    }

    /** The keeper looks while a caller sleeps in a selector, and completes what it waits for. */
    @Override
    public @Nullable SelectableChannel selectable() {
        return null;
    }

    @Override
    public @Nullable String brokenReason() {
        return brokenReason.get();
    }

    @Override
    public void close() {
        close(Long.MAX_VALUE >> 1);
    }

    @Override
    public void close(long mostNs) {
        onClose.accept(mostNs);
    }
}
