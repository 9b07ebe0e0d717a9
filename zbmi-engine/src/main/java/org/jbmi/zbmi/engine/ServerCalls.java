package org.jbmi.zbmi.engine;

import static org.jbmi.zbmi.protocol.SegmentMap.SERVER_SESSION;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.engine.state.ClientSession;
import org.jbmi.zbmi.engine.state.EngineState;
import org.jbmi.zbmi.engine.state.Grant;
import org.jbmi.zbmi.engine.state.MatchQueue;
import org.jbmi.zbmi.engine.state.Operation;
import org.jbmi.zbmi.engine.state.TagQueue;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerPost;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jspecify.annotations.Nullable;

/**
 * The requests of the server about operations: posts, sends without an operation, and cancels; and
 * the deadlines of its posts. {@link Unexpected} frees memory for it, and {@link Lifecycle} takes
 * its goodbye.
 */
final class ServerCalls {
    private final EngineState state;
    private final Outcomes outcomes;
    private final Grants grants;
    private final Matcher matcher;

    ServerCalls(EngineState state, Outcomes outcomes, Grants grants, Matcher matcher) {
        this.state = state;
        this.outcomes = outcomes;
        this.grants = grants;
        this.matcher = matcher;
    }

    void post(long correlation, ServerPost post, long nowNs) {
        if (correlation == 0) {
            state.serverFault(Fault.NO_CORRELATION);
            return;
        }
        state.count(SERVER_SESSION, EngineCounter.POSTS);
        long reference = post.reference;
        ErrorCode refusal = refusal(post.session, post.generation, post.bytes);
        if (refusal == null && !isSoundPlace(post)) {
            refusal = ErrorCode.EINVAL;
        }
        if (refusal != null) {
            state.toServer.answered(
                    ServerEvents.POST_REFUSED, correlation, reference, refusal.negativeValue());
            return;
        }
        ClientSession client = state.client(post.session);
        TagQueue queues = client.tags.get(post.tag);
        MatchQueue queue = post.isSend ? queues.towardClient : queues.towardServer;
        int tooLong = post.isSend ? 0 : matcher.refusal(queue, post.bytes);
        Operation operation = tooLong == 0 ? state.operations.take() : null;
        if (operation == null) {
            int code = tooLong == 0 ? ErrorCode.ENOBUFS.negativeValue() : tooLong;
            client.tags.removeIfEmpty(queues);
            state.toServer.answered(ServerEvents.POST_REFUSED, correlation, reference, code);
            return;
        }
        operation.kind = post.isSend ? Operation.Kind.SEND : Operation.Kind.RECEIVE;
        operation.ofServer = true;
        operation.client = client;
        operation.queue = queue;
        operation.correlation = correlation;
        operation.reference = reference;
        operation.tag = post.tag;
        operation.bytes = post.bytes;
        operation.offset = post.offset;
        operation.listOffset = post.listOffset;
        operation.listEntries = post.listEntries;
        operation.sinceNs = nowNs;
        if (post.expiryMs != ServerRequests.NEVER) {
            outcomes.expires(operation, post.expiryMs, nowNs);
        }
        state.server.operations.addFirst(operation.registration);
        state.count(SERVER_SESSION, EngineCounter.PENDING);
        state.add(client.index, EngineCounter.POOL_HELD, post.bytes);
        register(operation, queue, nowNs);
    }

    /** See {@link Engine#sendAtOnce}. */
    long sendAtOnce(int session, int generation, int tag, long offset, long bytes, long nowNs) {
        boolean isSound =
                refusal(session, generation, bytes) == null
                        && state.limits.isExpected(offset, bytes)
                        && state.operations.hasRoom();
        TagQueue queues = isSound ? state.client(session).tags.find(tag) : null;
        return queues == null
                ? Engine.NOT_SENT
                : matcher.handOverAtOnce(queues.towardClient, tag, offset, bytes, nowNs);
    }

    /** See {@link Engine#isMisfit}. */
    boolean isMisfit(int session, int tag, long bytes) {
        TagQueue queues = state.isClient(session) ? state.client(session).tags.find(tag) : null;
        return queues != null && matcher.refusal(queues.towardServer, bytes) != 0;
    }

    private @Nullable ErrorCode refusal(int session, int generation, long bytes) {
        if (!state.isClient(session) || bytes < 0) {
            return ErrorCode.EINVAL;
        }
        ClientSession client = state.client(session);
        if (client.generation != generation || !client.isListening()) {
            boolean isClosed =
                    client.generation == generation
                            && client.goneCode == ErrorCode.EPIPE.negativeValue();
            return isClosed ? ErrorCode.EPIPE : ErrorCode.EHOSTDOWN;
        }
        if (bytes > state.limits.maxExpectedBytes()) {
            return ErrorCode.EMSGSIZE;
        }
        boolean isFull = state.server.operations.size() >= state.limits.maxServerOperations();
        return isFull ? ErrorCode.ENOBUFS : null;
    }

    private boolean isSoundPlace(ServerPost post) {
        EngineLimits limits = state.limits;
        int entries = post.listEntries;
        if (entries == 0) {
            return limits.isExpected(post.offset, post.bytes);
        }
        return entries > 0
                && entries <= limits.maxListEntries()
                && post.listOffset % Long.BYTES == 0
                && limits.isExpected(
                        post.listOffset, (long) entries * ServerRequests.LIST_ENTRY_BYTES)
                && state.payload.isListSound(post.listOffset, entries, post.bytes);
    }

    // The post is answered by its outcome. If a client in a call moves the bytes, the outcome comes
    // later, unless the server does not wait. Otherwise the answer is "registered".
    private void register(Operation operation, MatchQueue queue, long nowNs) {
        long id = operation.id();
        queue.append(operation);
        matcher.advance(queue);
        boolean isOver = operation.id() != id || operation.state == Operation.State.FREE;
        if (isOver || !operation.isCallOpen()) {
            return;
        }
        long waitNs = state.limits.immediateWaitNs();
        boolean isAwaited = ServerRequests.isAwaited(operation.correlation);
        if (isAwaited && operation.state == Operation.State.GRANTED && waitNs > 0) {
            outcomes.hold(operation, nowNs + waitNs);
        } else {
            outcomes.answerRegistered(operation);
        }
    }

    /** Ends an operation whose deadline has passed, unless its bytes are being moved. */
    void expire(Operation operation) {
        state.deadlines.cancel(operation.registration);
        Grant grant = operation.grant;
        if (grant != null && grants.isClaimed(grant)) {
            return;
        }
        MatchQueue queue = operation.queue();
        if (grant != null) {
            matcher.close(queue);
        }
        if (operation.state == Operation.State.QUEUED) {
            queue.remove(operation);
            outcomes.finish(operation, ErrorCode.ETIMEDOUT.negativeValue(), 0);
        }
        matcher.advanceInTurn(queue);
        matcher.offerReady(queue.client);
    }

    void cancel(long correlation, long reference, long zoidId) {
        if (correlation == 0) {
            state.serverFault(Fault.NO_CORRELATION);
            return;
        }
        state.count(SERVER_SESSION, EngineCounter.CANCELS);
        state.toServer.answered(
                ServerEvents.CANCEL_REPLY, correlation, reference, cancel(reference, zoidId));
    }

    private int cancel(long reference, long zoidId) {
        Operation operation = state.operations.find(zoidId);
        if (operation == null || !operation.ofServer || operation.reference != reference) {
            return ServerEvents.UNKNOWN;
        }
        if (operation.isCallOpen()) {
            outcomes.answerRegistered(operation);
        }
        Grant grant = operation.grant;
        if (grant != null && grants.isClaimed(grant)) {
            return ServerEvents.REQUESTED;
        }
        MatchQueue queue = operation.queue();
        if (grant != null) {
            matcher.close(queue);
        }
        operation.isUnwanted = operation.state == Operation.State.HANDED_OVER;
        boolean isCancelled = operation.state == Operation.State.QUEUED;
        if (isCancelled) {
            queue.remove(operation);
            outcomes.forget(operation);
        }
        matcher.advanceInTurn(queue);
        matcher.offerReady(queue.client);
        return isCancelled ? ServerEvents.CANCELLED : ServerEvents.REQUESTED;
    }
}
