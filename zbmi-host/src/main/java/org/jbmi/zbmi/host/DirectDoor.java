package org.jbmi.zbmi.host;

import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.Operation;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.zbmi.channel.DoorEvents;
import org.jbmi.zbmi.channel.EngineDoor;
import org.jbmi.zbmi.link.AnswerWait;
import org.jbmi.zbmi.link.PeerLine;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerPost;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jspecify.annotations.Nullable;

import java.nio.channels.SelectableChannel;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * Engine access for a server that hosts the engine: both call each other, under the engine's lock,
 * without encoding or queues. Every call is answered on return, except for a post whose bytes a
 * client is moving: its thread makes progress, or sleeps.
 */
final class DirectDoor implements EngineDoor, PeerLine {
    private final DirectEngine engine;
    private final DoorEvents events;
    private final NanoClock clock;
    private final long sliceNs;
    private final LongConsumer onClose;
    private final AnswerWait<ServerPost> answers;
    private final AtomicReference<@Nullable String> brokenReason = new AtomicReference<>();

    private volatile WaitPolicy policy = WaitPolicy.of(WaitPolicy.Mode.BLOCK, 0);
    private volatile boolean isWakePending;
    private int sleepWord;
    private boolean sleepsOnWord;

    DirectDoor(
            DirectEngine engine,
            DoorEvents events,
            NanoClock clock,
            long sliceNs,
            LongConsumer onClose) {
        this.engine = engine;
        this.events = events;
        this.clock = clock;
        this.sliceNs = sliceNs;
        this.onClose = onClose;
        this.answers =
                new AnswerWait<>(
                        clock,
                        sliceNs,
                        this::progress,
                        events::afterDispatch,
                        this::isBroken,
                        ServerPost::isAnswered,
                        engine::giveUp,
                        this::sleepForAnswer);
        engine.opened(events);
    }

    @Override
    public PeerLine line() {
        return this;
    }

    @Override
    public void waitBy(WaitPolicy newPolicy) {
        policy = newPolicy;
    }

    @Override
    public int post(ServerPost post, long timeoutNs) {
        boolean isAwaited = timeoutNs != WITHOUT_WAITING;
        post.begin();
        if (isBroken()) {
            return BROKEN;
        }
        boolean isHeard = engine.post(post, isAwaited);
        if (post.isAnswered()) {
            return OK;
        }
        if (!isHeard) {
            return BROKEN;
        }
        return isAwaited ? answers.await(post, policy, clock.nanoTime(), timeoutNs) : TIMED_OUT;
    }

    @Override
    public int sendAtOnce(
            int session, int generation, int tag, long offset, long bytes, Operation operation) {
        return isBroken()
                ? NOT_AT_ONCE
                : engine.sendAtOnce(session, generation, tag, offset, bytes, operation);
    }

    private boolean isBroken() {
        return brokenReason.get() != null;
    }

    // The sleeper stores "asleep", then reads the answer; the engine stores the answer, then reads
    // who sleeps. The sleeper takes the engine's lock in between, so at least one of the two sees
    // the other.
    private void sleepForAnswer(ServerPost post, long timeoutNs) {
        boolean isVirtual = Thread.currentThread().isVirtual();
        post.sleeps(Thread.currentThread());
        int word = engine.prepareSleep(!isVirtual);
        boolean quiet = word != 0 && !post.isAnswered() && !isBroken();
        if (quiet && isVirtual) {
            LockSupport.parkNanos(this, timeoutNs);
        } else if (quiet) {
            engine.sleep(word, timeoutNs);
        }
        if (word != 0 && !isVirtual) {
            engine.endSleep();
        }
        post.sleeps(null);
    }

    @Override
    public int cancel(long reference, long zoidId, boolean mayWait) {
        int outcome =
                isBroken()
                        ? DirectOutput.NONE
                        : engine.tell(ServerRequests.CANCEL, reference, zoidId);
        return outcome == DirectOutput.NONE ? ServerEvents.REQUESTED : outcome;
    }

    @Override
    public boolean answersAtOnce() {
        return true;
    }

    @Override
    public void unexpectedFree(long offset) {
        if (!isBroken()) {
            engine.tell(ServerRequests.UNEXPECTED_FREE, offset, 0);
        }
    }

    @Override
    public boolean unexpectedFreedSoon(long offset) {
        return engine.freedSoon(offset);
    }

    @Override
    public void finish(long timeoutNs) {
        if (!isBroken()) {
            engine.tell(ServerRequests.FINISH, 0, 0);
        }
    }

    @Override
    public int progress() {
        if (isBroken()) {
            return BROKEN;
        }
        int work = engine.lead();
        String failure = engine.failure();
        if (failure != null) {
            fail(failure);
        }
        return work;
    }

    /** The engine has stopped. */
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
        if (sleepWord != 0 && (takeWake() || isBroken())) {
            finishSleep();
            return false;
        }
        return sleepWord != 0;
    }

    private boolean takeWake() {
        if (!isWakePending) {
            return false; // a store here could lose a wake that comes just now
        }
        isWakePending = false;
        return true;
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
    }

    @Override
    public void wake() {
        isWakePending = true;
        engine.wakeSleepers();
    }

    /**
     * The keeper reads the sockets while a caller sleeps in a selector, and completes what it waits
     * for.
     */
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
        engine.close();
        onClose.accept(mostNs);
    }
}
