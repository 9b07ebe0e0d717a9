package org.jbmi.zbmi.engine;

import static org.jbmi.zbmi.protocol.SegmentMap.SERVER_SESSION;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.engine.state.ClientSession;
import org.jbmi.zbmi.engine.state.DataSlots;
import org.jbmi.zbmi.engine.state.EngineState;
import org.jbmi.zbmi.engine.state.MatchQueue;
import org.jbmi.zbmi.engine.state.Operation;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jspecify.annotations.Nullable;

import java.util.Objects;

/*
 * How a message of the server reaches, without a grant, a receive that its client may be
 * cancelling. Neither side waits for the other.
 *
 *   engine, to give a send to receive r:         client, to cancel r, one cancel at a time:
 *     publish DATA or DATA_SLOT for r              count the cancel (n), full fence
 *     full fence                                   read all that the engine has published
 *     read the client's count of cancels           r is over by that: CANCELLED n of nothing
 *     none but those heard of: it is final         else r is cancelled: CANCELLED n of r
 *     else in doubt until all of those are heard
 *
 * The engine publishes, then reads; the client counts, then reads: at least one sees the other. If
 * the engine does not see the count, the client sees DATA, and r is over: the send is final. If it
 * does, it waits for the client. CANCELLED r means that DATA was not taken, and the send goes back
 * to the head of its queue. When all counted cancels have been heard of and none was of r, DATA was
 * taken, or will be. A cancel that begins after the engine has read the count finds DATA.
 *
 * While a send is in doubt its queue waits, so that order is kept. Nothing else waits for the
 * client. It may stop between its count and its CANCELLED, or write a wrong count. Then only the
 * sends to it on that tag wait, and the one in doubt ends with its session. There are no more of
 * those than claimed transfers may be: further sends are offered. Bytes of the program are
 * written only from DATA or DATA_SLOT, which the client itself takes before the receive is over.
 *
 * This is for receives that were posted as notes only. A client may abandon a call before it has
 * the answer, which this does not cover; such a receive claims a grant.
 *
 * A data slot is full from before its DATA_SLOT until the client has read that message, whatever
 * the client does with it. A send that goes back to its queue is copied into another slot.
 */

/**
 * Sends messages to clients inside a message of the protocol, or in a data slot if they are longer.
 * Also decides the outcome of a message that crossed a cancel.
 */
final class HandOvers {
    private final EngineState state;
    private final Outcomes outcomes;

    HandOvers(EngineState state, Outcomes outcomes) {
        this.state = state;
        this.outcomes = outcomes;
    }

    /** Whether a message fits, and may go without a grant. */
    static boolean mayHandOver(Operation send, Operation receive) {
        return send.ofServer
                && Matcher.fits(send, receive)
                && send.listEntries == 0
                && mayTake(receive, send.bytes);
    }

    private static boolean mayGiveTo(ClientSession client) {
        return client.isListening() && client.doubtful.size() < SessionArea.WINDOWS;
    }

    private static boolean mayTake(Operation receive, long bytes) {
        return bytes <= receive.dataRoom && receive.isNoted;
    }

    private boolean publish(ClientSession client, long reference, long offset, long bytes) {
        if (bytes <= ClientEvents.MAX_DATA_BYTES && (offset & (Long.BYTES - 1)) == 0) {
            return state.output.data(client.index, reference, bytes, offset);
        }
        int slot = client.dataSlots.next(bytes, state.payload);
        if (slot == DataSlots.MISCOUNTED) {
            state.fault(client, Fault.BAD_DATA_SLOTS);
        }
        if (slot < 0 || !state.output.mayPublish(client.index)) {
            return false;
        }
        state.payload.fillDataSlot(client.index, slot, offset, bytes);
        boolean isPublished = state.output.dataSlot(client.index, reference, bytes, slot);
        if (isPublished) {
            client.dataSlots.fill();
        }
        return isPublished;
    }

    /**
     * Gives the first send of a queue to its first receive.
     *
     * @return false if there is no room in the lane, no data slot, or 64 sends are in doubt, and
     *     nothing is done
     */
    boolean handOver(MatchQueue queue, Operation send, Operation receive) {
        ClientSession client = queue.client;
        long reference = receive.reference;
        if (!mayGiveTo(client) || !publish(client, reference, send.offset, send.bytes)) {
            return false;
        }
        queue.remove(send);
        queue.remove(receive);
        client.pushed++;
        outcomes.forget(receive);
        state.count(client.index, EngineCounter.INLINE_MOVES);
        long cancels = state.payload.cancels(client.index);
        if (cancels - client.cancelsHeard <= 0) {
            done(queue, send);
        } else {
            inDoubt(queue, send, reference, cancels);
        }
        return true;
    }

    private void inDoubt(MatchQueue queue, Operation send, long reference, long cancels) {
        state.count(queue.client.index, EngineCounter.DOUBTS);
        send.state = Operation.State.HANDED_OVER;
        queue.handedOver = send;
        queue.handedTo = reference;
        queue.handedAfter = cancels;
        queue.client.doubtful.addLast(queue);
    }

    /**
     * Gives bytes of the server to the first receive of a queue in which no send waits. So a send
     * that is over at once is never an operation.
     *
     * @return {@link Engine#NOT_SENT}, {@link Engine#SENT}, or the id of the send, which is an
     *     operation because it is in doubt
     */
    long handOverAtOnce(MatchQueue queue, int tag, long offset, long bytes, long nowNs) {
        ClientSession client = queue.client;
        Operation receive = queue.receives.first();
        if (receive == null
                || !mayGiveTo(client)
                || queue.handedOver != null
                || !queue.sends.isEmpty()
                || bytes > receive.bytes
                || !mayTake(receive, bytes)) {
            return Engine.NOT_SENT;
        }
        long reference = receive.reference;
        if (!publish(client, reference, offset, bytes)) {
            return Engine.NOT_SENT;
        }
        queue.remove(receive);
        client.pushed++;
        outcomes.forget(receive);
        state.count(client.index, EngineCounter.INLINE_MOVES);
        state.count(SERVER_SESSION, EngineCounter.POSTS);
        long cancels = state.payload.cancels(client.index);
        if (cancels - client.cancelsHeard <= 0) {
            outcomes.countMoved(client, false, bytes);
            state.count(SERVER_SESSION, EngineCounter.POSTS_IMMEDIATE);
            return Engine.SENT;
        }
        Operation send = state.operations.take();
        if (send == null) {
            throw new IllegalStateException("there was room for an operation");
        }
        send.kind = Operation.Kind.SEND;
        send.ofServer = true;
        send.client = client;
        send.queue = queue;
        send.tag = tag;
        send.bytes = bytes;
        send.offset = offset;
        send.listOffset = 0;
        send.sinceNs = nowNs;
        state.server.operations.addFirst(send.registration);
        state.count(SERVER_SESSION, EngineCounter.PENDING);
        state.add(client.index, EngineCounter.POOL_HELD, bytes);
        inDoubt(queue, send, reference, cancels);
        return send.id();
    }

    private void done(MatchQueue queue, Operation send) {
        long bytes = send.bytes;
        outcomes.countMoved(queue.client, false, bytes);
        outcomes.finish(send, 0, bytes);
    }

    /**
     * A client has told the result of its latest cancel.
     *
     * @param reference of the receive that is cancelled, or of none
     * @param matcher goes on with queues that stood still
     */
    void heard(ClientSession client, long reference, long nowNs, Matcher matcher) {
        for (int left = client.doubtful.size(); left > 0; left--) {
            MatchQueue queue = client.doubtful.removeFirst();
            Operation send = Objects.requireNonNull(queue.handedOver);
            boolean isVoid = queue.handedTo == reference;
            if (!isVoid && queue.handedAfter - client.cancelsHeard > 0) {
                client.doubtful.addLast(queue);
                continue;
            }
            queue.handedOver = null;
            if (isVoid) {
                putBack(queue, send, nowNs);
            } else {
                done(queue, send);
            }
            matcher.advance(queue);
        }
    }

    private void putBack(MatchQueue queue, Operation send, long nowNs) {
        if (send.isUnwanted) {
            outcomes.finish(send, ErrorCode.ECANCEL.negativeValue(), 0);
            return;
        }
        // No event has ended it while it was in doubt, and the next receive may have come since.
        if (send.expires && send.expiresNs - nowNs <= 0) {
            outcomes.finish(send, ErrorCode.ETIMEDOUT.negativeValue(), 0);
            return;
        }
        send.state = Operation.State.QUEUED;
        queue.prepend(send);
        if (send.expires) {
            state.deadlines.schedule(send.registration, send.expiresNs);
        }
    }

    /**
     * Removes a send in doubt from its queue, since one of its sides has gone; null if there is
     * none.
     */
    @Nullable Operation end(MatchQueue queue) {
        Operation send = queue.handedOver;
        if (send != null) {
            queue.handedOver = null;
            queue.client.doubtful.remove(queue);
        }
        return send;
    }
}
