package org.jbmi.zbmi.engine;

import static org.jbmi.zbmi.protocol.SegmentMap.SERVER_SESSION;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.state.ClientSession;
import org.jbmi.zbmi.engine.state.EngineState;
import org.jbmi.zbmi.engine.state.Operation;
import org.jbmi.zbmi.engine.state.Timed;
import org.jbmi.zbmi.protocol.ServerEvents;

/**
 * The ends of operations, and the answers to the calls that posted them. Every operation ends here,
 * and every call is answered here, exactly once: by its outcome, by its grant, or by "registered".
 */
final class Outcomes {
    /** About a century: no deadline in practice, and the sum with the clock does not overflow. */
    private static final long MOST_MS = 1L << 42;

    private final EngineState state;

    Outcomes(EngineState state) {
        this.state = state;
    }

    /**
     * Closes the call that posted an operation, if it is open.
     *
     * @return its correlation, or 0
     */
    long closeCall(Operation operation) {
        long correlation = operation.correlation;
        operation.correlation = 0;
        if (correlation != 0 && operation.registration.heapIndex != Timed.NOT_SCHEDULED) {
            state.deadlines.cancel(operation.registration);
            if (!operation.ofServer) {
                operation.client().heldCalls--;
            }
        }
        return correlation;
    }

    /** Holds back the answer to an open call. */
    void hold(Operation operation, long deadlineNs) {
        state.deadlines.schedule(operation.registration, deadlineNs);
        if (!operation.ofServer) {
            operation.client().heldCalls++;
        }
    }

    /** Answers an open call with "registered"; the operation stays. */
    void answerRegistered(Operation operation) {
        long correlation = closeCall(operation);
        if (operation.ofServer) {
            state.toServer.answered(
                    ServerEvents.REGISTERED, correlation, operation.reference, operation.id());
        } else {
            state.output.pending(
                    operation.client().index, correlation, operation.reference, operation.id());
        }
        if (operation.expires) {
            state.deadlines.schedule(operation.registration, operation.expiresNs);
        }
    }

    /** Gives an operation a deadline of its own, which counts once its call is answered. */
    void expires(Operation operation, long milliseconds, long nowNs) {
        long boundedMs = Math.min(Math.max(0, milliseconds), MOST_MS);
        operation.expires = true;
        operation.expiresNs = nowNs + MILLISECONDS.toNanos(boundedMs);
        if (!operation.isCallOpen()) {
            state.deadlines.schedule(operation.registration, operation.expiresNs);
        }
    }

    /** Ends an operation of either side, which must have left its queue. */
    void finish(Operation operation, int code, long bytes) {
        if (operation.ofServer) {
            finishServer(operation, code, bytes);
        } else {
            finishClient(operation, code, bytes);
        }
    }

    private void finishClient(Operation operation, int code, long bytes) {
        ClientSession client = operation.client();
        if (operation.isKept) {
            forget(operation);
            return;
        }
        long correlation = closeCall(operation);
        client.pushed++;
        if (code == 0) {
            state.output.completed(client.index, correlation, operation.reference, bytes);
        } else {
            state.output.failed(client.index, correlation, operation.reference, code);
        }
        forget(operation);
    }

    private void finishServer(Operation operation, int code, long bytes) {
        ClientSession client = operation.client();
        long correlation = closeCall(operation);
        if (correlation == 0) {
            state.toServer.completion(
                    operation.reference, code, bytes, client.index, client.generation);
        } else if (code == 0) {
            state.count(SERVER_SESSION, EngineCounter.POSTS_IMMEDIATE);
            state.toServer.answered(
                    ServerEvents.POST_COMPLETED, correlation, operation.reference, bytes);
        } else {
            state.toServer.answered(
                    ServerEvents.POST_REFUSED, correlation, operation.reference, code);
        }
        forget(operation);
    }

    /** Ends an operation without telling any peer. */
    void forget(Operation operation) {
        closeCall(operation);
        state.deadlines.cancel(operation.registration);
        if (operation.ofServer) {
            state.server.operations.remove(operation.registration);
            state.add(SERVER_SESSION, EngineCounter.PENDING, -1);
            state.add(operation.client().index, EngineCounter.POOL_HELD, -operation.bytes);
        } else {
            operation.client().operations.remove(operation.registration);
            if (operation.isNoted) {
                operation.client().noted.remove(operation);
            }
            state.add(operation.client().index, EngineCounter.PENDING, -1);
            if (operation.isKept) {
                operation.client().kept.remove();
                state.showKept(operation.client());
            }
        }
        state.operations.release(operation);
    }

    /** Counts a message that has been moved. */
    void countMoved(ClientSession client, boolean towardServer, long bytes) {
        if (towardServer) {
            state.count(client.index, EngineCounter.MESSAGES_SENT);
            state.add(client.index, EngineCounter.BYTES_SENT, bytes);
        } else {
            state.count(client.index, EngineCounter.MESSAGES_RECEIVED);
            state.add(client.index, EngineCounter.BYTES_RECEIVED, bytes);
        }
    }
}
