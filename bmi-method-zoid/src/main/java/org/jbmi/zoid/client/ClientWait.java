package org.jbmi.zoid.client;

import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * The TEST call that stands for all callers that wait. While a caller waits and an operation is
 * pending, one TEST is open, and the engine grants to this client whatever becomes ready. This TEST
 * is closed when no caller waits. For a caller that polls repeatedly without waiting, a TEST is
 * open for a moment. Until it ends, polls need no call.
 */
final class ClientWait {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * The timeout sent is longer than the caller's by this much, since the engine may count from an
     * earlier time and must not answer first. The caller ends the TEST itself.
     */
    private static final long SLACK_MS = 100;

    /** A caller that polls again this soon after an answer is polling repeatedly. */
    private static final long QUICK_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private static final int QUICK_QUESTIONS = 4;

    /** How long an offer may stay unclaimed if that caller stops polling. */
    private static final long POLLING_MS = 10;

    private final PeerChannel channel;
    private final NanoClock clock;
    private final ClientCounters counters;
    private final Message message = new Message();
    private volatile boolean waiting;

    /**
     * The correlation of the open TEST, 0 for none. Stored under the monitor; an answer, which
     * comes without it, takes away its own only.
     */
    private final AtomicLong open = new AtomicLong();

    /** Whether a TEST is to be opened, once the link has said what it has kept. */
    private volatile boolean isOwed;

    private long deadlineNs;
    private long openUntilNs;
    private long lastCorrelation;
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
     * @param anythingPending called after the wait is visible to all threads. So this call finds an
     *     operation that is being posted, or the posting thread calls {@link #arm}
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

    /** An operation became pending, or the lead polls before it sleeps. */
    void arm() {
        if (!waiting) {
            return;
        }
        synchronized (this) {
            if (waiting && !(isOpen() && openUntilNs - deadlineNs >= 0)) {
                openTest();
            }
        }
    }

    /**
     * At each poll: sends a TEST that had to wait for other messages. A lead that spins never
     * sleeps.
     */
    void progress() {
        if (isOwed) {
            arm();
        }
    }

    /** Whether {@link #progress} has something to ask. */
    boolean isOwed() {
        return isOwed;
    }

    /**
     * A caller that does not wait is about to call the engine. If it polls repeatedly, a TEST is
     * opened for a moment instead.
     */
    boolean staysOpen() {
        synchronized (this) {
            long now = clock.nanoTime();
            quickQuestions = now - lastAnswerNs < QUICK_NS ? quickQuestions + 1 : 0;
            if (quickQuestions >= QUICK_QUESTIONS && !isOpen() && !waiting) {
                quickQuestions = 0;
                openTest(now + POLLING_MS * MS, POLLING_MS);
                return isOpen();
            }
            return false;
        }
    }

    /** The TEST was answered. */
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

    // A TEST without room is kept, so that a lead asks for room before it sleeps. It is not kept
    // behind other messages: waits that come and go would fill the memory for those.
    private void openTest(long untilNs, long timeoutMs) {
        if (channel.hasUnsaid()) {
            isOwed = waiting;
            return;
        }
        long correlation = lastCorrelation - 1;
        lastCorrelation = correlation;
        open.set(correlation);
        openUntilNs = untilNs;
        ClientRequests.test(message, correlation, (int) timeoutMs);
        if (channel.tell(message) == PeerChannel.BROKEN) {
            open.set(0);
        } else {
            counters.test();
        }
    }

    /** No caller waits any more. */
    void over() {
        synchronized (this) {
            waiting = false;
            isOwed = false;
            long correlation = open.getAndSet(0);
            if (correlation != 0) {
                channel.tell(ClientRequests.disarm(message, correlation));
            }
        }
    }

    /** During dispatch, so without the monitor: the engine's answer to a TEST. */
    void onReply(Message reply) {
        open.compareAndSet(ClientEvents.correlation(reply), 0);
    }

    boolean isOpen() {
        return open.get() != 0;
    }

    /** Whether a caller waits; then {@link #arm} must be called for new pending operations. */
    boolean isWaiting() {
        return waiting;
    }
}
