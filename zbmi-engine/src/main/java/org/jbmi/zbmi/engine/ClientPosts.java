package org.jbmi.zbmi.engine;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import org.jbmi.ErrorCode;
import org.jbmi.zbmi.engine.port.EngineCounter;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.engine.state.ClientSession;
import org.jbmi.zbmi.engine.state.EngineState;
import org.jbmi.zbmi.engine.state.MatchQueue;
import org.jbmi.zbmi.engine.state.Operation;
import org.jbmi.zbmi.engine.state.TagQueue;
import org.jbmi.zbmi.engine.state.UnexpectedBlock;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

/**
 * Posts of clients. The engine answers a post at once, or holds the answer back for as long as the
 * client asked. A post without correlation is a note. It has no answer, and the engine offers
 * nothing for it unless a wait of the client is open. For a receive that is a note, the engine also
 * does not tell the client that it is registered.
 */
final class ClientPosts {
    private final EngineState state;
    private final Outcomes outcomes;
    private final Matcher matcher;
    private final Unexpected unexpected;
    private final long maxUnexpectedBytes;
    private final long maxLentBytes;

    ClientPosts(EngineState state, Outcomes outcomes, Matcher matcher, Unexpected unexpected) {
        this.state = state;
        this.outcomes = outcomes;
        this.matcher = matcher;
        this.unexpected = unexpected;
        this.maxUnexpectedBytes = state.limits.maxUnexpectedBytes();
        this.maxLentBytes = Math.min(state.limits.eagerBytes(), maxUnexpectedBytes);
    }

    void send(ClientSession client, Message m, long nowNs) {
        state.count(client.index, EngineCounter.CALLS_SEND);
        long correlation = ClientRequests.correlation(m);
        long bytes = ClientRequests.bytes(m);
        int timeoutMs = ClientRequests.timeoutMs(m);
        int eagerSlot = ClientRequests.eagerSlot(m);
        if (!isSound(client, correlation, bytes, timeoutMs)
                || !isSoundSlot(client, eagerSlot, bytes)) {
            return;
        }
        Operation operation = register(client, Operation.Kind.SEND, m, correlation, bytes, nowNs);
        if (operation != null) {
            operation.eagerSlot = eagerSlot;
            operation.eagerSequence = ClientRequests.eagerSequence(m);
            MatchQueue queue = client.tags.get(operation.tag).towardServer;
            match(client, operation, queue, timeoutMs, nowNs);
        }
    }

    void receive(ClientSession client, Message m, long nowNs) {
        state.count(client.index, EngineCounter.CALLS_RECEIVE);
        long correlation = ClientRequests.correlation(m);
        long roomBytes = ClientRequests.bytes(m);
        int timeoutMs = ClientRequests.timeoutMs(m);
        if (!isSound(client, correlation, roomBytes, timeoutMs)) {
            return;
        }
        long reference = ClientRequests.reference(m);
        if (correlation == 0 && !client.noted.isFree(reference)) {
            state.fault(client, Fault.BAD_REFERENCE);
            return;
        }
        TagQueue queues = client.tags.get(ClientRequests.tag(m));
        int refusal = matcher.refusal(queues.towardClient, roomBytes);
        if (refusal != 0) {
            state.output.failed(client.index, correlation, reference, refusal);
            return;
        }
        Operation operation =
                register(client, Operation.Kind.RECEIVE, m, correlation, roomBytes, nowNs);
        if (operation == null) {
            client.tags.removeIfEmpty(queues);
            return;
        }
        operation.dataRoom = ClientRequests.dataRoom(m);
        if (correlation == 0) {
            client.noted.add(operation);
        }
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
        boolean isCall = operation.isCallOpen();
        queue.append(operation);
        matcher.advance(queue);
        settle(client, operation, id, isCall, timeoutMs, nowNs);
    }

    void sendUnexpected(ClientSession client, Message m, long nowNs) {
        state.count(client.index, EngineCounter.CALLS_SEND);
        long correlation = ClientRequests.correlation(m);
        long bytes = ClientRequests.bytes(m);
        int timeoutMs = ClientRequests.timeoutMs(m);
        int eagerSlot = ClientRequests.eagerSlot(m);
        int messageClass = ClientRequests.messageClass(m);
        boolean isInline = eagerSlot == ClientRequests.INLINE;
        if (!isSound(client, correlation, bytes, timeoutMs)
                || (!isInline && !isSoundSlot(client, eagerSlot, bytes))
                || !isSoundClass(client, messageClass)) {
            return;
        }
        Operation operation =
                register(client, Operation.Kind.UNEXPECTED, m, correlation, bytes, nowNs);
        if (operation != null) {
            operation.messageClass = messageClass;
            operation.eagerSlot = eagerSlot;
            operation.eagerSequence = ClientRequests.eagerSequence(m);
            operation.inline = isInline ? m : null;
            enqueue(client, operation, timeoutMs, nowNs);
        }
    }

    void sendShort(ClientSession client, Message m, long nowNs) {
        state.count(client.index, EngineCounter.CALLS_SEND);
        long bytes = ClientRequests.shortBytes(m);
        int tag = ClientRequests.tag(m);
        int messageClass = ClientRequests.shortClass(m);
        if (!isSoundClass(client, messageClass)) {
            return;
        }
        if (ClientRequests.isKept(m)) {
            keep(client, tag, messageClass, bytes, m, nowNs);
            return;
        }
        long reference = ClientRequests.reference(m);
        if (ClientRequests.isCounted(m)
                && bytes <= maxUnexpectedBytes
                && unexpected.acceptAtOnce(client, reference, tag, messageClass, bytes, m)) {
            return;
        }
        Operation operation = register(client, Operation.Kind.UNEXPECTED, m, 0, bytes, nowNs);
        if (operation != null) {
            operation.messageClass = messageClass;
            operation.inline = m;
            enqueue(client, operation, 0, nowNs);
        }
    }

    private void enqueue(ClientSession client, Operation operation, int timeoutMs, long nowNs) {
        long id = operation.id();
        boolean isCall = operation.isCallOpen();
        client.unexpected.pending.addLast(operation);
        unexpected.advanceUnlessListed(client.unexpected);
        if (isStill(operation, id)) {
            // The caller reuses the message that carries the bytes, so from here on the client must
            // move them itself.
            operation.inline = null;
            advanceFirst(client, operation);
        }
        settle(client, operation, id, isCall, timeoutMs, nowNs);
    }

    // Its send is over: whatever stands in its way, it is not lost.
    private void keep(
            ClientSession client,
            int tag,
            int messageClass,
            long bytes,
            Message inline,
            long nowNs) {
        if (bytes > maxUnexpectedBytes) {
            state.fault(client, Fault.BAD_VALUE);
            return;
        }
        if (unexpected.acceptAtOnce(client, 0, tag, messageClass, bytes, inline)) {
            return;
        }
        Operation operation = takeKept(client, tag, messageClass, bytes, nowNs);
        if (operation != null) {
            operation.keep(inline);
            append(client, operation);
        }
    }

    void sendLent(ClientSession client, Message m, long nowNs) {
        state.count(client.index, EngineCounter.CALLS_SEND);
        int tag = ClientRequests.lentTag(m);
        int messageClass = ClientRequests.lentClass(m);
        long bytes = ClientRequests.lentBytes(m);
        if (bytes < 0 || bytes > maxLentBytes) {
            state.fault(client, Fault.BAD_VALUE);
            return;
        }
        if (!isSoundClass(client, messageClass)) {
            return;
        }
        int slot = ClientRequests.lentSlot(m);
        UnexpectedBlock block = unexpected.borrow(client, slot, tag, messageClass, bytes);
        if (block == null) {
            state.fault(client, Fault.BAD_EAGER_SLOT);
            return;
        }
        if (unexpected.acceptAtOnce(client, block)) {
            return;
        }
        Operation operation = takeKept(client, tag, messageClass, bytes, nowNs);
        if (operation == null) {
            unexpected.drop(block);
            return;
        }
        operation.keep(block);
        append(client, operation);
    }

    private @Nullable Operation takeKept(
            ClientSession client, int tag, int messageClass, long bytes, long nowNs) {
        Operation operation = client.kept.hasRoom() ? state.operations.takeSpare() : null;
        if (operation == null) {
            state.fault(client, Fault.TOO_MANY_KEPT);
            return null;
        }
        fillIn(operation, client, Operation.Kind.UNEXPECTED, 0, 0, bytes, nowNs);
        operation.tag = tag;
        operation.messageClass = messageClass;
        return operation;
    }

    private void append(ClientSession client, Operation kept) {
        client.kept.add();
        state.showKept(client);
        client.unexpected.pending.addLast(kept);
        unexpected.advanceUnlessListed(client.unexpected);
    }

    // For those behind others nothing has changed.
    private void advanceFirst(ClientSession client, Operation operation) {
        if (client.unexpected.pending.first() == operation) {
            unexpected.advance(client.unexpected);
        }
    }

    private boolean isSound(ClientSession client, long correlation, long bytes, int timeoutMs) {
        if (correlation == 0 && timeoutMs != 0) {
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

    private boolean isSoundClass(ClientSession client, int messageClass) {
        boolean isSound = messageClass >= 0 && messageClass <= 255;
        if (!isSound) {
            state.fault(client, Fault.BAD_VALUE);
        }
        return isSound;
    }

    private @Nullable Operation register(
            ClientSession client,
            Operation.Kind kind,
            Message m,
            long correlation,
            long bytes,
            long nowNs) {
        long reference = ClientRequests.reference(m);
        long maxBytes =
                kind == Operation.Kind.UNEXPECTED
                        ? maxUnexpectedBytes
                        : state.limits.maxExpectedBytes();
        ErrorCode refusal = bytes > maxBytes ? ErrorCode.EMSGSIZE : ErrorCode.ENOBUFS;
        boolean isFull =
                client.operations.size() - client.kept.count()
                        >= state.limits.maxClientOperations();
        Operation operation = bytes > maxBytes || isFull ? null : state.operations.take();
        if (operation == null) {
            state.output.failed(client.index, correlation, reference, refusal.negativeValue());
            return null;
        }
        fillIn(operation, client, kind, correlation, reference, bytes, nowNs);
        operation.tag = ClientRequests.tag(m);
        return operation;
    }

    private void fillIn(
            Operation operation,
            ClientSession client,
            Operation.Kind kind,
            long correlation,
            long reference,
            long bytes,
            long nowNs) {
        operation.kind = kind;
        operation.ofServer = false;
        operation.client = client;
        operation.correlation = correlation;
        operation.reference = reference;
        operation.bytes = bytes;
        operation.sinceNs = nowNs;
        client.operations.addFirst(operation.registration);
        state.count(client.index, EngineCounter.PENDING);
    }

    private static boolean isStill(Operation operation, long id) {
        return operation.state == Operation.State.QUEUED && operation.id() == id;
    }

    // If neither outcome nor grant has answered the call: answers it; with a timeout, later.
    private void settle(
            ClientSession client,
            Operation operation,
            long id,
            boolean isCall,
            int timeoutMs,
            long nowNs) {
        if (!isStill(operation, id) || (isCall && !operation.isCallOpen()) || operation.isNoted) {
            return;
        }
        if (timeoutMs == 0) {
            outcomes.answerRegistered(operation);
            return;
        }
        outcomes.hold(operation, nowNs + MILLISECONDS.toNanos(timeoutMs));
        // The client is in a call now: operations that became ready meanwhile are offered to it.
        matcher.offerReady(client);
    }
}
