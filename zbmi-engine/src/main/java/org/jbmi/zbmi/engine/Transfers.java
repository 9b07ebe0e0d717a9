package org.jbmi.zbmi.engine;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.engine.state.ClientSession;
import org.jbmi.zbmi.engine.state.EngineState;
import org.jbmi.zbmi.engine.state.Grant;
import org.jbmi.zbmi.engine.state.GrantStream;
import org.jbmi.zbmi.engine.state.MatchQueue;
import org.jbmi.zbmi.engine.state.Operation;
import org.jbmi.zbmi.engine.state.UnexpectedBlock;
import org.jbmi.zbmi.engine.state.UnexpectedStream;
import org.jspecify.annotations.Nullable;

/** The ends of transfers, and cancels by clients, before a claim or after it. */
final class Transfers {
    private static final int TOO_LONG = ErrorCode.EMSGSIZE.negativeValue();

    private final EngineState state;
    private final Outcomes outcomes;
    private final Grants grants;
    private final Matcher matcher;
    private final Unexpected unexpected;
    private final HandOvers handOvers;

    Transfers(
            EngineState state,
            Outcomes outcomes,
            Grants grants,
            Matcher matcher,
            Unexpected unexpected,
            HandOvers handOvers) {
        this.handOvers = handOvers;
        this.state = state;
        this.outcomes = outcomes;
        this.grants = grants;
        this.matcher = matcher;
        this.unexpected = unexpected;
    }

    void done(ClientSession client, long grantId, long bytes, int status) {
        Grant grant = client.findGrant(grantId);
        boolean isSound =
                grant != null
                        && (status == 0
                                ? bytes == grant.bytes && !grant.isTooLong()
                                : ErrorCode.of(status) != null);
        if (grant == null || !isSound || !grants.isClaimed(grant)) {
            state.fault(client, Fault.BAD_DONE);
            return;
        }
        end(grant, status > 0 ? -status : status);
        matcher.offerReady(client);
        unexpected.serveWaiting();
    }

    /**
     * Ends a grant and both its operations. {@link Matcher#offerReady} and {@link
     * Unexpected#serveWaiting} must follow.
     */
    void end(Grant grant, int status) {
        GrantStream stream = grant.stream();
        Operation ofClient = grant.clientOperation;
        Operation ofServer = grant.serverOperation;
        UnexpectedBlock block = grant.block;
        long bytes = grant.bytes;
        boolean isDropped = status == TOO_LONG && grant.isTooLong();
        grants.end(grant);
        if (ofClient != null) {
            outcomes.forget(ofClient);
        }
        if (stream instanceof UnexpectedStream of && block != null) {
            unexpected.moved(of, block, status == 0);
            advanceInTurn(of);
        } else if (stream instanceof MatchQueue queue) {
            if (isDropped) {
                state.count(queue.client.index, EngineCounter.TOO_LONG);
            }
            endExpected(queue, ofServer, bytes, status, isDropped);
        }
    }

    // In a call offerReady does this, when it is the turn of these messages.
    private void advanceInTurn(UnexpectedStream stream) {
        if (!stream.client.isInCall()) {
            unexpected.serveWaiting();
            unexpected.advanceUnlessListed(stream);
        }
    }

    private void endExpected(
            MatchQueue queue,
            @Nullable Operation ofServer,
            long bytes,
            int status,
            boolean isDropped) {
        if (ofServer == null) {
            state.server.orphanMovers--;
        } else {
            boolean isWhole = status == 0 || isDropped;
            outcomes.finish(ofServer, isWhole ? 0 : status, isWhole ? bytes : 0);
        }
        if (status == 0) {
            outcomes.countMoved(queue.client, queue.towardServer, bytes);
        }
        matcher.advanceInTurn(queue);
    }

    void withdraw(ClientSession client, long operationId, long reference) {
        Operation operation = state.operations.find(operationId);
        if (operation == null
                || operation.ofServer
                || operation.client() != client
                || operation.isKept
                || operation.reference != reference) {
            return;
        }
        if (operation.kind == Operation.Kind.UNEXPECTED) {
            withdrawUnexpected(client, operation);
        } else {
            withdrawExpected(operation);
        }
    }

    /** A client has cancelled a receive that it had posted as a note, or has found it complete. */
    void cancelled(ClientSession client, long number, long reference, long nowNs) {
        if (number != client.cancelsHeard + 1) {
            state.fault(client, Fault.BAD_CANCEL);
            return;
        }
        client.cancelsHeard = number;
        Operation receive = client.noted.find(reference);
        if (receive != null) {
            withdrawExpected(receive);
        }
        handOvers.heard(client, reference, nowNs, matcher);
    }

    /**
     * Ends an eager send whose deadline has passed. A client checks the deadlines of its other
     * operations itself, because only the client moves their bytes.
     */
    void expire(Operation operation) {
        state.deadlines.cancel(operation.registration);
        if (operation.state != Operation.State.QUEUED || !operation.isEager()) {
            return;
        }
        ClientSession client = operation.client();
        if (operation.kind == Operation.Kind.UNEXPECTED) {
            expireUnexpected(client, operation);
        } else {
            MatchQueue queue = operation.queue();
            queue.remove(operation);
            timeOut(client, operation);
            matcher.advance(queue);
        }
    }

    private void expireUnexpected(ClientSession client, Operation operation) {
        UnexpectedStream stream = client.unexpected;
        boolean isFirst = stream.pending.first() == operation;
        stream.pending.remove(operation);
        timeOut(client, operation);
        if (isFirst) {
            unexpected.advance(stream);
        }
    }

    // The owner may withdraw the bytes at this moment, so the engine first tries to take them.
    private void timeOut(ClientSession client, Operation operation) {
        if (state.payload.takeEager(client.index, operation.eagerSlot, operation.eagerSequence)) {
            outcomes.finish(operation, ErrorCode.ETIMEDOUT.negativeValue(), 0);
        } else {
            state.count(client.index, EngineCounter.WITHDRAWN);
            outcomes.forget(operation);
        }
    }

    private void withdrawExpected(Operation operation) {
        MatchQueue queue = operation.queue();
        if (operation.state == Operation.State.GRANTED) {
            matcher.close(queue);
        }
        if (operation.state == Operation.State.QUEUED) {
            queue.remove(operation);
            cancelled(operation);
        }
        matcher.advanceInTurn(queue);
        matcher.offerReady(queue.client);
    }

    private void withdrawUnexpected(ClientSession client, Operation operation) {
        UnexpectedStream stream = client.unexpected;
        Operation head = stream.pending.first();
        if (operation.state == Operation.State.GRANTED) {
            unexpected.takeBack(stream);
        }
        if (operation.state == Operation.State.QUEUED) {
            stream.pending.remove(operation);
            cancelled(operation);
        }
        if (stream.pending.first() == head) {
            unexpected.serveWaiting(); // the next had no memory yet
        } else {
            unexpected.waitNoMore(stream); // what waited was longer, perhaps
        }
        advanceInTurn(stream);
        matcher.offerReady(client);
        unexpected.serveWaiting();
    }

    private void cancelled(Operation operation) {
        state.count(operation.client().index, EngineCounter.WITHDRAWN);
        if (operation.isCallOpen()) {
            outcomes.finish(operation, ErrorCode.ECANCEL.negativeValue(), 0);
        } else {
            outcomes.forget(operation);
        }
    }
}
