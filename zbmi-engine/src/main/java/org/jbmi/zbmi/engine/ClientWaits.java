package org.jbmi.zbmi.engine;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.engine.state.ClientSession;
import org.jbmi.zbmi.engine.state.EngineState;
import org.jbmi.zbmi.engine.state.Grant;
import org.jbmi.zbmi.engine.state.MatchQueue;

/**
 * The waits of clients. A TEST opens a wait, in which the client is granted whatever becomes ready;
 * a DISARM or its timeout ends it.
 */
final class ClientWaits {
    private final EngineState state;
    private final Matcher matcher;
    private final Unexpected unexpected;

    ClientWaits(EngineState state, Matcher matcher, Unexpected unexpected) {
        this.state = state;
        this.matcher = matcher;
        this.unexpected = unexpected;
    }

    void test(ClientSession client, long correlation, long timeoutMs, long nowNs) {
        state.count(client.index, EngineCounter.CALLS_TEST);
        if (correlation == 0) {
            state.fault(client, Fault.NO_CORRELATION);
        } else if (timeoutMs < 0 || timeoutMs > Integer.MAX_VALUE) {
            state.fault(client, Fault.BAD_VALUE);
        } else if (timeoutMs == 0) {
            poll(client, correlation);
        } else {
            arm(client, correlation, nowNs + MILLISECONDS.toNanos(timeoutMs));
        }
    }

    private void poll(ClientSession client, long correlation) {
        int before = client.pushed;
        client.isPolling = true;
        matcher.offerReady(client);
        client.isPolling = false;
        state.output.testReply(client.index, correlation, client.pushed - before);
    }

    private void arm(ClientSession client, long correlation, long deadlineNs) {
        if (client.isArmed) {
            endWait(client);
        }
        client.isArmed = true;
        client.armCorrelation = correlation;
        client.pushed = 0;
        state.deadlines.schedule(client, deadlineNs);
        matcher.offerReady(client);
    }

    /** The timeout of a client's open wait has passed. */
    void expire(ClientSession client) {
        endWait(client);
        takeBackOffers(client);
    }

    private void endWait(ClientSession client) {
        long correlation = client.armCorrelation;
        disarm(client);
        state.output.testReply(client.index, correlation, client.pushed);
    }

    private void disarm(ClientSession client) {
        client.isArmed = false;
        state.deadlines.cancel(client);
    }

    void disarm(ClientSession client, long correlation) {
        if (!client.isArmed || client.armCorrelation != correlation) {
            return;
        }
        disarm(client);
        takeBackOffers(client);
    }

    // Takes unclaimed offers back from a client that waits no more: it may be long until it calls
    // again.
    private void takeBackOffers(ClientSession client) {
        if (client.isInCall()) {
            return;
        }
        if (client.hasGrants()) {
            takeBackUnclaimed(client);
        }
        unexpected.endWait(client.unexpected);
        unexpected.serveWaiting();
    }

    private void takeBackUnclaimed(ClientSession client) {
        for (Grant grant : client.grants) {
            if (grant.inUse && !grant.claimed && grant.stream() instanceof MatchQueue queue) {
                matcher.close(queue);
                matcher.advance(queue);
            }
        }
    }
}
