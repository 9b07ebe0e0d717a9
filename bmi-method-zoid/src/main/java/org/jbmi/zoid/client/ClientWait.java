package org.jbmi.zoid.client;

import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The one forwarded TEST of a caller's wait. While somebody waits and something is pending, a TEST
 * is open with the engine, which then grants to this client whatever becomes ready; when nobody
 * waits any more it is closed. A caller that asks again and again without waiting has one opened
 * for it as well, for a moment, and need not ask while that lasts.
 */
final class ClientWait {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * So much longer than the caller waits is asked for, since the engine may count from before the
     * question came: its reply must not come first. The caller ends the TEST itself.
     */
    private static final long SLACK_MS = 100;

    /** Who asks again this soon after an answer polls. */
    private static final long QUICK_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private static final int QUICK_QUESTIONS = 4;

    /** So long may an offer lie unclaimed if that somebody polls no more. */
    private static final long POLLING_MS = 10;

    private final PeerChannel channel;
    private final NanoClock clock;
    private final ClientCounters counters;
    private final Message message = new Message();
    private volatile boolean waiting;
    private volatile boolean open;

    /** Whether a TEST that is to be open has found no room. */
    private volatile boolean isOwed;

    private long deadlineNs;
    private long openUntilNs;
    private volatile long lastCorrelation;
    private int quickQuestions;
    private long lastAnswerNs;

    ClientWait(PeerChannel channel, NanoClock clock, ClientCounters counters) {
        this.channel = channel;
        this.clock = clock;
        this.counters = counters;
    }

    /**
     * A caller begins to wait.
     *
     * @param anythingPending asked when all can see that somebody waits: so either this finds what
     *     is being posted, or who posts finds that it is to {@link #arm}
     */
    void begins(long newDeadlineNs, BooleanSupplier anythingPending) {
        synchronized (this) {
            if (!waiting || newDeadlineNs - deadlineNs > 0) {
                deadlineNs = newDeadlineNs;
            }
            waiting = true;
        }
        if (anythingPending.getAsBoolean()) {
            arm();
        }
    }

    /** Something became pending, or the lead looks again before it sleeps. */
    void arm() {
        if (!waiting) {
            return;
        }
        synchronized (this) {
            if (waiting && !(open && openUntilNs - deadlineNs >= 0)) {
                openTest();
            }
        }
    }

    /**
     * With each look for events: asks what found no room before. A lead that spins never sleeps.
     */
    void progress() {
        if (isOwed) {
            arm();
        }
    }

    /**
     * A caller that does not wait is about to ask the engine: one that polls has a TEST opened for
     * a moment in place of that.
     *
     * @return whether it was opened
     */
    boolean staysOpen() {
        synchronized (this) {
            long now = clock.nanoTime();
            quickQuestions = now - lastAnswerNs < QUICK_NS ? quickQuestions + 1 : 0;
            if (quickQuestions >= QUICK_QUESTIONS && !open && !waiting) {
                quickQuestions = 0;
                openTest(now + POLLING_MS * MS, POLLING_MS);
                return open;
            }
            return false;
        }
    }

    /** It was answered. */
    void answered() {
        synchronized (this) {
            lastAnswerNs = clock.nanoTime();
        }
    }

    private void openTest() {
        long leftNs = deadlineNs - clock.nanoTime();
        isOwed = false;
        if (leftNs > 0) {
            openTest(deadlineNs, Math.min(leftNs / MS + SLACK_MS, Integer.MAX_VALUE));
        }
    }

    private void openTest(long untilNs, long timeoutMs) {
        long correlation = lastCorrelation - 1;
        lastCorrelation = correlation;
        open = true;
        openUntilNs = untilNs;
        ClientRequests.test(message, correlation, (int) timeoutMs);
        int sent = channel.note(message, 0);
        if (sent == PeerChannel.OK) {
            counters.test();
        } else {
            open = false;
            isOwed = waiting && sent == PeerChannel.TIMED_OUT;
        }
    }

    /** Nobody waits any more. */
    void over() {
        synchronized (this) {
            waiting = false;
            isOwed = false;
            if (open) {
                open = false;
                channel.tell(ClientRequests.disarm(message, lastCorrelation));
            }
        }
    }

    /** While messages are dispatched, so without the monitor: the engine's answer to a TEST. */
    void onReply(Message reply) {
        if (ClientEvents.correlation(reply) == lastCorrelation) {
            open = false;
        }
    }

    boolean isOpen() {
        return open;
    }

    /** Whether a caller waits; then {@link #arm} is due for what becomes pending. */
    boolean isWaiting() {
        return waiting;
    }
}
