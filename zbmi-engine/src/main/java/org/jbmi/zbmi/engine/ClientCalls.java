package org.jbmi.zbmi.engine;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

/**
 * What a client asks for. A post answers at once, or holds its answer back for as long as the
 * client said; a test opens and closes the time in which the client is granted what becomes ready.
 */
final class ClientCalls {
    private final EngineState state;
    private final Outcomes outcomes;
    private final Grants grants;
    private final Matcher matcher;
    private final Unexpected unexpected;
    private final Grants.PutBack putBack;

    ClientCalls(
            EngineState state,
            Outcomes outcomes,
            Grants grants,
            Matcher matcher,
            Unexpected unexpected) {
        this.state = state;
        this.outcomes = outcomes;
        this.grants = grants;
        this.matcher = matcher;
        this.unexpected = unexpected;
        this.putBack = matcher::putBack;
    }

    void send(
            ClientSession client,
            long correlation,
            long reference,
            int tag,
            long bytes,
            int timeoutMs,
            int eagerSlot,
            long eagerSequence,
            long nowNs) {
        state.count(client.index, EngineCounter.CALLS_SEND);
        if (!isSound(client, correlation, bytes, timeoutMs)
                || !isSoundSlot(client, eagerSlot, bytes)) {
            return;
        }
        Operation operation =
                register(
                        client,
                        Operation.Kind.SEND,
                        correlation,
                        reference,
                        bytes,
                        state.limits.maxExpectedBytes(),
                        nowNs);
        if (operation == null) {
            return;
        }
        operation.tag = tag;
        operation.eagerSlot = eagerSlot;
        operation.eagerSequence = eagerSequence;
        match(client, operation, client.tags.get(tag).towardServer, timeoutMs, nowNs);
    }

    void receive(
            ClientSession client,
            long correlation,
            long reference,
            int tag,
            long roomBytes,
            int timeoutMs,
            long nowNs) {
        state.count(client.index, EngineCounter.CALLS_RECEIVE);
        if (!isSound(client, correlation, roomBytes, timeoutMs)) {
            return;
        }
        TagQueue queues = client.tags.get(tag);
        int refusal = matcher.refusal(queues.towardClient, roomBytes);
        if (refusal != 0) {
            state.output.failed(client.index, correlation, reference, refusal);
            return;
        }
        Operation operation =
                register(
                        client,
                        Operation.Kind.RECEIVE,
                        correlation,
                        reference,
                        roomBytes,
                        state.limits.maxExpectedBytes(),
                        nowNs);
        if (operation == null) {
            client.tags.removeIfEmpty(queues);
            return;
        }
        operation.tag = tag;
        match(client, operation, queues.towardClient, timeoutMs, nowNs);
    }

    private void match(
            ClientSession client,
            Operation operation,
            MatchQueue queue,
            int timeoutMs,
            long nowNs) {
        operation.queue = queue;
        long id = operation.id();
        queue.append(operation);
        matcher.advance(queue);
        settle(client, operation, id, timeoutMs, nowNs);
    }

    void sendUnexpected(
            ClientSession client,
            long correlation,
            long reference,
            int tag,
            int messageClass,
            long bytes,
            int timeoutMs,
            int eagerSlot,
            long eagerSequence,
            @Nullable Message inline,
            long nowNs) {
        state.count(client.index, EngineCounter.CALLS_SEND);
        if (!isSound(client, correlation, bytes, timeoutMs)
                || (eagerSlot != ClientRequests.INLINE && !isSoundSlot(client, eagerSlot, bytes))) {
            return;
        }
        if (messageClass < 0 || messageClass > 255) {
            state.fault(client, Fault.BAD_VALUE);
            return;
        }
        Operation operation =
                register(
                        client,
                        Operation.Kind.UNEXPECTED,
                        correlation,
                        reference,
                        bytes,
                        state.limits.maxUnexpectedBytes(),
                        nowNs);
        if (operation == null) {
            return;
        }
        operation.tag = tag;
        operation.messageClass = messageClass;
        operation.eagerSlot = eagerSlot;
        operation.eagerSequence = eagerSequence;
        operation.inline = inline;
        long id = operation.id();
        client.unexpected.pending.addLast(operation);
        unexpected.advance(client.unexpected);
        if (isStill(operation, id)) {
            // What lay in the message is gone with it: the client must move the bytes itself.
            operation.inline = null;
            unexpected.advance(client.unexpected);
        }
        settle(client, operation, id, timeoutMs, nowNs);
    }

    private boolean isSound(ClientSession client, long correlation, long bytes, int timeoutMs) {
        if (correlation == 0) {
            state.fault(client, Fault.NO_CORRELATION);
            return false;
        }
        if (bytes < 0 || timeoutMs < 0) {
            state.fault(client, Fault.BAD_VALUE);
            return false;
        }
        return true;
    }

    private boolean isSoundSlot(ClientSession client, int slot, long bytes) {
        boolean sound =
                slot == ClientRequests.NOT_EAGER
                        || (slot >= 0
                                && slot < state.limits.eagerSlots()
                                && bytes <= state.limits.eagerBytes());
        if (!sound) {
            state.fault(client, Fault.BAD_EAGER_SLOT);
        }
        return sound;
    }

    private @Nullable Operation register(
            ClientSession client,
            Operation.Kind kind,
            long correlation,
            long reference,
            long bytes,
            long maxBytes,
            long nowNs) {
        ErrorCode refusal = null;
        Operation operation = null;
        if (bytes > maxBytes) {
            refusal = ErrorCode.EMSGSIZE;
        } else if (client.operations.size() >= state.limits.maxClientOperations()) {
            refusal = ErrorCode.ENOBUFS;
        } else {
            operation = state.operations.take();
            refusal = operation == null ? ErrorCode.ENOBUFS : null;
        }
        if (operation == null) {
            int code = refusal == null ? 0 : refusal.negativeValue();
            state.output.failed(client.index, correlation, reference, code);
            return null;
        }
        operation.kind = kind;
        operation.ofServer = false;
        operation.client = client;
        operation.correlation = correlation;
        operation.reference = reference;
        operation.bytes = bytes;
        operation.sinceNs = nowNs;
        client.operations.add(operation);
        return operation;
    }

    private static boolean isStill(Operation operation, long id) {
        return operation.state == Operation.State.QUEUED && operation.id() == id;
    }

    // The outcome, or the grant, has answered the call; or it is to be answered now, or later.
    private void settle(
            ClientSession client, Operation operation, long id, int timeoutMs, long nowNs) {
        if (!isStill(operation, id) || !operation.isCallOpen()) {
            return;
        }
        if (timeoutMs == 0) {
            outcomes.answerRegistered(operation);
            return;
        }
        outcomes.hold(operation, nowNs + MILLISECONDS.toNanos(timeoutMs));
        offerAll(client);
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
        offerAll(client);
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
        offerAll(client);
    }

    /** Ends a client's open wait with its reply. */
    void endWait(ClientSession client) {
        long correlation = client.armCorrelation;
        disarm(client);
        state.output.testReply(client.index, correlation, client.pushed);
    }

    private void disarm(ClientSession client) {
        client.isArmed = false;
        state.deadlines.cancel(client);
    }

    private void offerAll(ClientSession client) {
        matcher.offerReady(client);
        unexpected.advance(client.unexpected);
    }

    void disarm(ClientSession client, long correlation) {
        if (!client.isArmed || client.armCorrelation != correlation) {
            return;
        }
        disarm(client);
        if (client.isInCall()) {
            return;
        }
        takeBackUnclaimed(client);
        unexpected.takeBack(client.unexpected);
        unexpected.advance(client.unexpected);
        unexpected.serveWaiting();
    }

    /** Takes back all offers of expected messages that a client has not claimed. */
    void takeBackUnclaimed(ClientSession client) {
        for (Grant grant : client.grants) {
            if (grant.inUse && !grant.claimed && grant.stream() instanceof MatchQueue queue) {
                grants.close(queue, putBack);
                matcher.advance(queue);
            }
        }
    }

    void done(ClientSession client, long grantId, long bytes, int status) {
        Grant grant = client.findGrant(grantId);
        boolean isSound =
                grant != null
                        && (status == 0 ? bytes == grant.bytes : ErrorCode.of(status) != null);
        if (grant == null || !isSound) {
            state.fault(client, Fault.BAD_DONE);
            return;
        }
        end(grant, status > 0 ? -status : status);
        if (client.isInCall()) {
            matcher.offerReady(client);
        }
    }

    /** Ends a grant and both its operations. */
    void end(Grant grant, int status) {
        GrantStream stream = grant.stream();
        Operation ofClient = grant.clientOperation;
        Operation ofServer = grant.serverOperation;
        UnexpectedBlock block = grant.block;
        long bytes = grant.bytes;
        grants.end(grant);
        if (ofClient != null) {
            outcomes.forget(ofClient);
        }
        if (stream instanceof UnexpectedStream of && block != null) {
            unexpected.moved(of, block, status == 0);
            unexpected.advance(of);
        } else if (stream instanceof MatchQueue queue) {
            endExpected(queue, ofServer, bytes, status);
        }
    }

    private void endExpected(
            MatchQueue queue, @Nullable Operation ofServer, long bytes, int status) {
        if (ofServer == null) {
            state.server.orphanMovers--;
        } else {
            outcomes.finish(ofServer, status, status == 0 ? bytes : 0);
        }
        if (status == 0) {
            outcomes.countMoved(queue.client, queue.towardServer, bytes);
        }
        matcher.advance(queue);
    }

    void withdraw(ClientSession client, long operationId, long reference) {
        Operation operation = state.operations.find(operationId);
        if (operation == null
                || operation.ofServer
                || operation.client() != client
                || operation.reference != reference) {
            return;
        }
        if (operation.kind == Operation.Kind.UNEXPECTED) {
            withdrawUnexpected(client, operation);
        } else {
            withdrawExpected(operation);
        }
    }

    private void withdrawExpected(Operation operation) {
        MatchQueue queue = operation.queue();
        if (operation.state == Operation.State.GRANTED) {
            grants.close(queue, putBack);
        }
        if (operation.state == Operation.State.QUEUED) {
            queue.remove(operation);
            cancelled(operation);
        }
        matcher.advance(queue);
    }

    private void withdrawUnexpected(ClientSession client, Operation operation) {
        if (operation.state == Operation.State.GRANTED) {
            unexpected.takeBack(client.unexpected);
        }
        if (operation.state == Operation.State.QUEUED) {
            client.unexpected.pending.remove(operation);
            cancelled(operation);
        }
        unexpected.advance(client.unexpected);
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
