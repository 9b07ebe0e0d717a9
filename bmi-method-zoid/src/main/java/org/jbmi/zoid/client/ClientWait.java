package org.jbmi.zoid.client;

import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;

import java.util.concurrent.TimeUnit;

/**
 * The one forwarded TEST of a caller's wait. While somebody waits and something is pending, a TEST
 * is open with the engine, which then grants to this client whatever becomes ready; when nobody
 * waits any more it is closed.
 */
final class ClientWait {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    private final PeerChannel channel;
    private final NanoClock clock;
    private final ClientCounters counters;
    private final Message message = new Message();
    private volatile boolean waiting;
    private volatile boolean open;
    private long deadlineNs;
    private long openUntilNs;
    private volatile long lastCorrelation;

    ClientWait(PeerChannel channel, NanoClock clock, ClientCounters counters) {
        this.channel = channel;
        this.clock = clock;
        this.counters = counters;
    }

    /** A caller begins to wait. */
    void begins(long newDeadlineNs, boolean anythingPending) {
        synchronized (this) {
            if (!waiting || newDeadlineNs - deadlineNs > 0) {
                deadlineNs = newDeadlineNs;
            }
            waiting = true;
        }
        if (anythingPending) {
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

    private void openTest() {
        long now = clock.nanoTime();
        long leftNs = deadlineNs - now;
        if (leftNs <= 0) {
            return;
        }
        // Rounded up, so that the reply never comes before the caller gives up by itself.
        long timeoutMs = Math.min(leftNs / MS + 1, Integer.MAX_VALUE);
        long correlation = lastCorrelation - 1;
        lastCorrelation = correlation;
        open = true;
        openUntilNs = now + timeoutMs * MS;
        ClientRequests.test(message, correlation, (int) timeoutMs);
        if (channel.note(message, 0) == PeerChannel.OK) {
            counters.test();
        } else {
            open = false;
        }
    }

    /** Nobody waits any more. */
    void over() {
        synchronized (this) {
            waiting = false;
            if (open) {
                open = false;
                channel.note(ClientRequests.disarm(message, lastCorrelation), MS);
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
}
