package org.jbmi.zbmi.engine;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.engine.state.ClientSession;
import org.jbmi.zbmi.engine.state.EngineState;
import org.jbmi.zbmi.engine.state.GrantStream;
import org.jbmi.zbmi.engine.state.MatchQueue;
import org.jbmi.zbmi.engine.state.Operation;
import org.jbmi.zbmi.engine.state.UnexpectedBlock;
import org.jspecify.annotations.Nullable;

/**
 * Matches sends and receives. The oldest send of a queue belongs to the oldest receive. The engine
 * handles pairs at the head of the queue, one after the other:
 *
 * <ul>
 *   <li>The server's message fits, also into a data slot: the engine sends the bytes with the event
 *       that ends the receive (see {@link HandOvers}). The client need not be in a call.
 *   <li>The message fits, and the client must move it: the engine offers it, if the client is in a
 *       call. Otherwise the queue waits in the client's list of ready queues.
 *   <li>The message fits, and lies in an eager slot: the engine takes and copies the bytes, whether
 *       the client is in a call or not.
 *   <li>The message is too long, and a receive of the server was there first: the receive ends with
 *       EMSGSIZE. The engine drops the message; its send succeeds.
 *   <li>The message is too long, and was there first: it stays, and the receive ends with EPROTO.
 *       (Mostly the engine finds this at the post, which it then refuses.)
 *   <li>The message is too long, and a receive of the client was there first. The client may have
 *       cancelled it, and the engine may not know that. So the engine offers the message like any
 *       other. A client that claims it reports that it is too long. A client that has cancelled
 *       does not claim, and the message waits for the next receive.
 * </ul>
 */
final class Matcher {
    private enum Step {
        PROGRESS,
        NEEDS_CLIENT,
        BLOCKED,
        EMPTY
    }

    private final EngineState state;
    private final Outcomes outcomes;
    private final Grants grants;
    private final HandOvers handOvers;
    private final Unexpected unexpected;
    private final Grants.PutBack putBack = this::putBack;

    Matcher(
            EngineState state,
            Outcomes outcomes,
            Grants grants,
            HandOvers handOvers,
            Unexpected unexpected) {
        this.handOvers = handOvers;
        this.unexpected = unexpected;
        this.state = state;
        this.outcomes = outcomes;
        this.grants = grants;
    }

    /**
     * The code with which a receive is refused because the message that waits for it is too long,
     * or 0.
     */
    int refusal(MatchQueue queue, long roomBytes) {
        Operation send = queue.partnerForNext(Operation.Kind.RECEIVE);
        boolean tooLong = send != null && send.bytes > roomBytes;
        return tooLong ? ErrorCode.EPROTO.negativeValue() : 0;
    }

    /**
     * Does everything that is possible in a queue. An empty queue is removed, so this must be the
     * last call on it.
     */
    void advance(MatchQueue queue) {
        advance(queue, true);
    }

    /**
     * Does everything in a queue that needs no grant. Then the queue waits for its turn, if others
     * may wait for the grants that it has freed. {@link #offerReady} must follow. See {@link
     * #advance}.
     */
    void advanceInTurn(MatchQueue queue) {
        advance(queue, !queue.client.isInCall());
    }

    private void advance(MatchQueue queue, boolean isItsTurn) {
        Step step = step(queue, isItsTurn);
        while (step == Step.PROGRESS) {
            step = step(queue, isItsTurn);
        }
        if (step == Step.NEEDS_CLIENT) {
            queue.client.addReady(queue);
        } else {
            queue.client.ready.remove(queue);
        }
        hasChanged(queue);
    }

    private void hasChanged(MatchQueue queue) {
        queue.client.waitingSends.update(queue, state.payload);
        queue.client.tags.removeIfEmpty(queue.owner);
    }

    /**
     * Offers a client that is in a call all that is ready for it, within its limit. Due when it has
     * begun a call, and when grants that others may wait for have become free.
     */
    void offerReady(ClientSession client) {
        if (client.isInCall()) {
            unexpected.joinReady(client.unexpected);
            offerInTurn(client);
            unexpected.advanceUnlessListed(client.unexpected);
        }
    }

    // One pair of each queue, or one unexpected message, in turn.
    private void offerInTurn(ClientSession client) {
        GrantStream next = client.ready.first();
        while (next != null && client.isListening() && client.isInCall() && client.hasFreeGrant()) {
            client.ready.remove(next);
            if (next instanceof MatchQueue queue) {
                offerPair(queue);
            } else {
                unexpected.offerNext(client.unexpected);
            }
            next = client.ready.first();
        }
    }

    private void offerPair(MatchQueue queue) {
        Step step = step(queue, true);
        if ((step == Step.PROGRESS && queue.hasPair()) || step == Step.NEEDS_CLIENT) {
            queue.client.addReady(queue);
        }
        hasChanged(queue);
    }

    /** See {@link HandOvers#handOverAtOnce}. */
    long handOverAtOnce(MatchQueue queue, int tag, long offset, long bytes, long nowNs) {
        if (grants.hasUnclaimed(queue)) {
            return Engine.NOT_SENT;
        }
        long result = handOvers.handOverAtOnce(queue, tag, offset, bytes, nowNs);
        if (result != Engine.NOT_SENT) {
            advance(queue);
        }
        return result;
    }

    private Step step(MatchQueue queue, boolean isItsTurn) {
        Operation send = queue.sends.first();
        Operation receive = queue.receives.first();
        if (queue.handedOver != null) {
            return Step.BLOCKED;
        }
        if (send == null || receive == null) {
            return Step.EMPTY;
        }
        boolean fits = fits(send, receive);
        boolean isDropped = !fits && receive.arrival < send.arrival;
        boolean mayGo = HandOvers.mayHandOver(send, receive) && !grants.hasUnclaimed(queue);
        if (mayGo && handOvers.handOver(queue, send, receive)) {
            return Step.PROGRESS;
        }
        if ((fits && !send.isEager()) || (isDropped && !queue.towardServer)) {
            return isItsTurn ? offer(queue, send, receive) : Step.NEEDS_CLIENT;
        }
        if (grants.hasUnclaimed(queue)) {
            return Step.BLOCKED;
        }
        if (fits) {
            moveEager(queue, send, receive);
        } else if (isDropped) {
            dropTooLong(queue, send, receive);
        } else {
            queue.remove(receive);
            outcomes.finish(receive, ErrorCode.EPROTO.negativeValue(), 0);
        }
        return Step.PROGRESS;
    }

    static boolean fits(Operation send, Operation receive) {
        return send.bytes <= receive.bytes;
    }

    private Step offer(MatchQueue queue, Operation send, Operation receive) {
        Operation ofClient = queue.towardServer ? send : receive;
        Operation ofServer = queue.towardServer ? receive : send;
        if (!grants.mayOffer(ofClient)) {
            return Step.NEEDS_CLIENT;
        }
        queue.remove(send);
        queue.remove(receive);
        grants.offer(queue, ofClient, ofServer, send.bytes);
        return Step.PROGRESS;
    }

    private void moveEager(MatchQueue queue, Operation send, Operation receive) {
        queue.remove(send);
        if (!takeEager(queue.client, send)) {
            return;
        }
        queue.remove(receive);
        int code = copy(queue.client, send, receive);
        long bytes = send.bytes;
        outcomes.countMoved(queue.client, true, bytes);
        state.count(queue.client.index, EngineCounter.EAGER_MOVES);
        outcomes.finish(send, 0, bytes);
        outcomes.finish(receive, code, code == 0 ? bytes : 0);
    }

    // If the owner has withdrawn it first, the owner has ended it.
    private boolean takeEager(ClientSession client, Operation send) {
        if (state.payload.takeEager(client.index, send.eagerSlot, send.eagerSequence)) {
            return true;
        }
        state.count(client.index, EngineCounter.WITHDRAWN);
        outcomes.forget(send);
        return false;
    }

    private int copy(ClientSession client, Operation send, Operation receive) {
        if (receive.listEntries == 0) {
            state.payload.copyEager(client.index, send.eagerSlot, send.bytes, receive.offset);
            return 0;
        }
        boolean copied =
                state.payload.copyEagerToList(
                        client.index,
                        send.eagerSlot,
                        send.bytes,
                        receive.listOffset,
                        receive.listEntries);
        if (!copied) {
            state.serverFault(Fault.BAD_LIST);
        }
        return copied ? 0 : ErrorCode.EFAULT.negativeValue();
    }

    private void dropTooLong(MatchQueue queue, Operation send, Operation receive) {
        queue.remove(send);
        if (send.isEager() && !takeEager(queue.client, send)) {
            return;
        }
        queue.remove(receive);
        state.count(queue.client.index, EngineCounter.TOO_LONG);
        outcomes.finish(send, 0, send.bytes);
        outcomes.finish(receive, ErrorCode.EMSGSIZE.negativeValue(), 0);
    }

    /** Takes the unclaimed offers of a queue back: see {@link Grants#close}. */
    void close(MatchQueue queue) {
        grants.close(queue, putBack);
    }

    private void putBack(
            GrantStream stream,
            @Nullable Operation ofClient,
            @Nullable Operation ofServer,
            @Nullable UnexpectedBlock block) {
        MatchQueue queue = (MatchQueue) stream;
        if (ofClient != null) {
            queue.prepend(ofClient);
        }
        if (ofServer != null) {
            queue.prepend(ofServer);
            // A server that says goodbye is told all outcomes at once.
            if (ofServer.isCallOpen() && state.server.isAttached) {
                outcomes.answerRegistered(ofServer);
            }
        }
    }
}
