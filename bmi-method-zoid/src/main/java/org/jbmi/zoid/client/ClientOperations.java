package org.jbmi.zoid.client;

import static org.jbmi.zoid.client.ClientOperation.CLAIMED;
import static org.jbmi.zoid.client.ClientOperation.OVER;
import static org.jbmi.zoid.client.ClientOperation.PENDING;
import static org.jbmi.zoid.client.ClientOperation.POSTING;
import static org.jbmi.zoid.client.ClientOperation.UNANSWERED;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.DeferredSlots;
import org.jbmi.zoid.common.MessagePool;
import org.jbmi.zoid.common.SlotTable;

/**
 * A client's operations in one session: posts, cancels, and what the engine says about them.
 *
 * <p>An operation's slot is guarded by its monitor, which is never held while a message is sent or
 * bytes are copied. Whoever moves a slot to {@code OVER} reports it, and nobody else does; whoever
 * takes a claimed slot from the deferred ones, or finds it at the end of its post, moves its bytes.
 */
final class ClientOperations {
    private static final System.Logger LOG = System.getLogger(ClientOperations.class.getName());
    private static final int FAULT = ErrorCode.EFAULT.negativeValue();
    private static final int HOST_DOWN = ErrorCode.EHOSTDOWN.negativeValue();
    private static final int NOT_SENT = ErrorCode.ETIMEDOUT.negativeValue();
    private static final int EPROTO = ErrorCode.EPROTO.negativeValue();
    private static final long NS_PER_MS = 1_000_000;

    private final MethodHost host;
    private final ClientLink link;
    private final ClientCounters counters;
    private final ClientCopies copies;
    private final ClientMemory memory;
    private final ClientWait wait;
    private final NanoClock clock;
    private final long callTimeoutNs;
    private final int eagerBytes;
    private final SlotTable<ClientOperation> table;
    private final DeferredSlots<ClientOperation> deferred =
            new DeferredSlots<>(ClientOperation.class);
    private final MessagePool messages = new MessagePool();
    private volatile int endCode;

    ClientOperations(
            MethodHost host,
            ClientLink link,
            ClientCounters counters,
            ClientMemory memory,
            ClientWait wait,
            ClientSession session,
            ClientSettings settings) {
        this.host = host;
        this.link = link;
        this.counters = counters;
        this.copies = new ClientCopies(link, counters.copies);
        this.memory = memory;
        this.wait = wait;
        this.clock = settings.clock();
        this.callTimeoutNs = settings.callTimeoutNs();
        this.eagerBytes = (int) settings.limits().eagerBytes();
        this.table =
                new SlotTable<>(
                        ClientOperation.class,
                        link.welcome().limits().maxOperations(),
                        index -> new ClientOperation(session, index));
    }

    boolean isAnyPending() {
        return table.used() > 0;
    }

    long post(Operation operation, int postTimeoutMs) {
        ClientOperation slot = table.take(operation);
        if (slot == null) {
            return ErrorCode.ENOBUFS.negativeValue();
        }
        operation.attachment(slot);
        memory.pin(slot);
        countUnaligned(operation);
        Message message = messages.take();
        try {
            if (!tryEncode(slot, operation, message, postTimeoutMs)) {
                discard(slot);
                return FAULT;
            }
            long timeoutNs = callTimeoutNs + postTimeoutMs * NS_PER_MS;
            int sent = link.call(message, message, timeoutNs);
            long result = settle(slot, sent, message);
            runDeferred();
            return result;
        } finally {
            messages.give(message);
        }
    }

    // False if the program's memory cannot be read: it was given back under the post.
    private boolean tryEncode(
            ClientOperation slot, Operation operation, Message message, int postTimeoutMs) {
        try {
            encode(slot, operation, message, postTimeoutMs);
            return true;
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a buffer cannot be read: {0}", e.getMessage());
            return false;
        }
    }

    private void encode(
            ClientOperation slot, Operation operation, Message message, int postTimeoutMs) {
        if (operation.kind() == OperationKind.RECEIVE) {
            counters.receive();
            ClientRequests.receive(
                    message,
                    0,
                    slot.reference(),
                    operation.tag(),
                    operation.sizeBytes(),
                    postTimeoutMs);
            return;
        }
        counters.send();
        if (operation.kind() == OperationKind.SEND) {
            announceEager(slot, operation);
            ClientRequests.send(
                    message,
                    0,
                    slot.reference(),
                    operation.tag(),
                    operation.sizeBytes(),
                    postTimeoutMs,
                    slot.eagerSlot,
                    slot.eagerSequence);
            return;
        }
        boolean inline = operation.sizeBytes() <= ClientRequests.MAX_INLINE_BYTES;
        if (!inline) {
            announceEager(slot, operation);
        }
        ClientRequests.sendUnexpected(
                message,
                0,
                slot.reference(),
                operation.tag(),
                operation.messageClass(),
                operation.sizeBytes(),
                postTimeoutMs,
                inline ? ClientRequests.INLINE : slot.eagerSlot,
                slot.eagerSequence);
        if (inline) {
            copies.putInline(operation, message);
        }
    }

    private void announceEager(ClientOperation slot, Operation operation) {
        if (operation.sizeBytes() > eagerBytes) {
            return;
        }
        int eagerSlot = link.takeEagerSlot();
        if (eagerSlot >= 0) {
            slot.eagerSlot = eagerSlot;
            copies.putEager(operation, eagerSlot);
            slot.eagerSequence = link.announceEager(eagerSlot);
        }
    }

    private void countUnaligned(Operation operation) {
        for (int i = 0; i < operation.bufferCount(); i++) {
            if ((operation.buffer(i).address() & 15) != 0) {
                counters.unaligned.increment();
            }
        }
    }

    // The posting thread's last word on its operation.
    private long settle(ClientOperation slot, int sent, Message reply) {
        int state;
        boolean withdrawn;
        long operationId;
        long reference;
        synchronized (slot) {
            slot.inPost = false;
            if (slot.state == POSTING) {
                settleReply(slot, sent, reply);
            }
            withdrawn = slot.state == PENDING && slot.cancelCode != 0 && takeBack(slot);
            state = slot.state;
            operationId = slot.operationId;
            reference = slot.reference();
        }
        if (state == PENDING || state == UNANSWERED) {
            announceDeadline(slot, operationId, reference);
            wait.arm();
            if (endCode != 0) {
                // A session that ended meanwhile has passed over what was in this thread's hands.
                end(slot, endCode);
            }
            return Method.PENDING;
        }
        if (withdrawn) {
            sendWithdrawal(operationId, reference);
        } else if (state == CLAIMED) {
            move(slot);
        }
        return immediate(slot);
    }

    // Eager bytes may be taken while nobody calls here, so the daemon minds their deadline as well.
    private void announceDeadline(ClientOperation slot, long operationId, long reference) {
        long remainingNs = Long.MAX_VALUE;
        synchronized (slot) {
            boolean isPending = slot.state == PENDING && slot.reference() == reference;
            Operation operation = isPending ? slot.operationOrNull() : null;
            if (operation != null && slot.eagerSlot >= 0) {
                remainingNs = operation.remainingNs(clock.nanoTime());
            }
        }
        if (remainingNs == Long.MAX_VALUE) {
            return;
        }
        Message note = messages.take();
        long leftMs = Math.max(0, remainingNs / NS_PER_MS);
        link.note(ClientRequests.expires(note, operationId, reference, leftMs), callTimeoutNs);
        messages.give(note);
    }

    private void settleReply(ClientOperation slot, int sent, Message reply) {
        if (sent == PeerChannel.OK) {
            takeReply(slot, reply, true);
        } else if (sent == PeerChannel.TIMED_OUT) {
            slot.state = UNANSWERED;
        } else {
            over(slot, sent == PeerChannel.BROKEN ? HOST_DOWN : NOT_SENT, 0);
        }
    }

    private long immediate(ClientOperation slot) {
        int code = slot.outcome;
        long bytes = slot.outcomeBytes;
        discard(slot);
        return code == 0 ? bytes : code;
    }

    private void takeReply(ClientOperation slot, Message reply, boolean claimed) {
        switch (reply.kind()) {
            case ClientEvents.PENDING -> {
                slot.operationId = ClientEvents.operationId(reply);
                slot.state = PENDING;
            }
            case ClientEvents.GRANT -> {
                if (claimed || (!isExpired(slot) && link.claim(reply))) {
                    slot.grant.copyFrom(reply);
                    slot.state = CLAIMED;
                } else {
                    counters.voidGrants.increment();
                    slot.operationId = ClientEvents.operationId(reply);
                    slot.state = PENDING;
                }
            }
            case ClientEvents.COMPLETED -> over(slot, 0, ClientEvents.completedBytes(reply));
            case ClientEvents.FAILED -> over(slot, codeOf(ClientEvents.failedCode(reply)), 0);
            default -> over(slot, codeOf(0), 0);
        }
    }

    // One whose time is over is not matched any more; the core is about to cancel it.
    private boolean isExpired(ClientOperation slot) {
        return slot.operation().hasDeadline() && slot.operation().isExpired(clock.nanoTime());
    }

    // The engine's code is a failure, whatever number it is.
    private int codeOf(int code) {
        if (code < 0 && ErrorCode.of(code) != null) {
            return code;
        }
        counters.protocolErrors.increment();
        return EPROTO;
    }

    private void over(ClientOperation slot, int code, long bytes) {
        boolean sound = code != 0 || (bytes >= 0 && bytes <= slot.operation().sizeBytes());
        slot.state = OVER;
        slot.outcome = sound ? code : codeOf(0);
        slot.outcomeBytes = bytes;
    }

    // With no lock held, by the one thread that has the claimed slot.
    private void move(ClientOperation slot) {
        Message grant = slot.grant;
        int status = tryMove(slot.operation(), grant);
        long bytes = status == 0 ? ClientEvents.grantBytes(grant) : 0;
        Message done = messages.take();
        ClientRequests.done(done, ClientEvents.grantId(grant), bytes, status);
        int sent = link.note(done, callTimeoutNs);
        messages.give(done);
        synchronized (slot) {
            int code = status;
            if (slot.failure != 0) {
                code = slot.failure;
            } else if (sent != PeerChannel.OK) {
                code = HOST_DOWN;
            }
            over(slot, code, bytes);
        }
    }

    // Whatever happens here, DONE must be sent: the server's operation waits for it.
    private int tryMove(Operation operation, Message grant) {
        try {
            return copies.move(operation, grant) ? 0 : EPROTO;
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "a buffer cannot be used: {0}", e.getMessage());
            return FAULT;
        }
    }

    private void discard(ClientOperation slot) {
        if (slot.eagerSlot >= 0) {
            link.releaseEagerSlot(slot.eagerSlot);
            slot.eagerSlot = ClientRequests.NOT_EAGER;
        }
        synchronized (slot) {
            memory.unpin(slot);
            table.release(slot);
        }
    }

    private void report(ClientOperation slot) {
        Operation operation = slot.operation();
        int code = slot.outcome;
        long bytes = slot.outcomeBytes;
        discard(slot);
        host.complete(operation, code, bytes);
    }

    CancelOutcome cancel(ClientOperation slot, Operation operation, long id, int code) {
        long operationId;
        long reference;
        synchronized (slot) {
            if (!slot.isOf(operation) || operation.id() != id) {
                return CancelOutcome.ALREADY_DONE;
            }
            if (slot.state == OVER) {
                return CancelOutcome.ALREADY_DONE;
            }
            slot.cancelCode = code;
            if (slot.inPost || slot.state != PENDING || !takeBack(slot)) {
                return CancelOutcome.REQUESTED;
            }
            operationId = slot.operationId;
            reference = slot.reference();
        }
        report(slot);
        sendWithdrawal(operationId, reference);
        return CancelOutcome.CANCELLED;
    }

    // Decides a cancel on this side alone: false if the engine has taken the bytes already.
    private boolean takeBack(ClientOperation slot) {
        if (slot.eagerSlot >= 0) {
            if (!link.withdrawEager(slot.eagerSlot, slot.eagerSequence)) {
                return false;
            }
            slot.eagerSlot = ClientRequests.NOT_EAGER;
        }
        over(slot, slot.cancelCode, 0);
        return true;
    }

    private void sendWithdrawal(long operationId, long reference) {
        Message note = messages.take();
        link.note(ClientRequests.withdraw(note, operationId, reference), callTimeoutNs);
        messages.give(note);
    }

    /** While messages are dispatched: news of an operation. */
    void onNews(Message news) {
        long reference = ClientEvents.reference(news);
        ClientOperation slot = table.find(reference);
        if (slot == null) {
            return; // cancelled, and the engine does not know yet
        }
        boolean isOver;
        synchronized (slot) {
            if (slot.reference() != reference || slot.state == OVER) {
                return;
            }
            if (slot.state == CLAIMED) {
                if (news.kind() == ClientEvents.FAILED) {
                    slot.failure = codeOf(ClientEvents.failedCode(news));
                }
                return;
            }
            takeReply(slot, news, false);
            if (slot.inPost) {
                return; // the posting thread is about to see it
            }
            if (slot.state == PENDING) {
                if (slot.cancelCode == 0 || !takeBack(slot)) {
                    return;
                }
                slot.withdrawDue = true;
            }
            isOver = slot.state == OVER && !slot.withdrawDue;
        }
        if (isOver) {
            report(slot);
        } else {
            deferred.add(slot);
            host.wake();
        }
    }

    /** With no lock held: does what was found while messages were dispatched. */
    int runDeferred() {
        int count = 0;
        for (ClientOperation slot = deferred.poll(); slot != null; slot = deferred.poll()) {
            if (slot.state == CLAIMED) {
                move(slot);
            }
            boolean withdraw = slot.withdrawDue;
            long operationId = slot.operationId;
            long reference = slot.reference();
            report(slot);
            if (withdraw) {
                sendWithdrawal(operationId, reference);
            }
            count++;
        }
        return count;
    }

    /** Asks the engine once for what is ready. */
    void ask(long timeoutNs) {
        counters.test();
        Message message = messages.take();
        link.call(ClientRequests.test(message, 0, 0), message, timeoutNs);
        messages.give(message);
        runDeferred();
    }

    /** Ends everything that is neither posted just now nor moved just now. */
    void endAll(int code) {
        endCode = code;
        table.forEach(slot -> end(slot, code));
    }

    private void end(ClientOperation slot, int code) {
        synchronized (slot) {
            boolean idle = slot.state == PENDING || slot.state == UNANSWERED;
            if (slot.operationOrNull() == null || slot.inPost || !idle) {
                return;
            }
            over(slot, code, 0);
        }
        deferred.add(slot);
        host.wake();
    }

    /** Takes back everything that can be taken back, for a close. */
    void cancelAll(int code) {
        table.forEach(
                slot -> {
                    Operation operation = slot.operationOrNull();
                    if (operation != null) {
                        cancel(slot, operation, operation.id(), code);
                    }
                });
    }
}
