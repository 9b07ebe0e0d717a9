package org.jbmi.loopback;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.spi.MatchTable;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.spi.OperationQueue;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Everything on its way to one member: the sends of others to it, its own receives, and the
 * unexpected messages.
 *
 * <p><b>Locking.</b> An operation concerns one inbox only, that of its receiver, and whoever works
 * on it holds that inbox's lock (this object's monitor) and no other one. An operation stands in a
 * queue under the lock, or it was <i>granted</i>: taken out of its queue under the lock, and from
 * then on the thread that took it out is the only one that may touch it. That thread moves the
 * bytes and reports the outcome outside the lock. A monitor and no {@code ReentrantLock}, since
 * waiting for a monitor allocates nothing. An operation's first word holds the number of the member
 * that sends. Unexpected messages are short and are copied under the lock, so that they arrive in
 * order.
 */
final class Inbox {
    /** What a method state of an operation says that was taken out of its queue. */
    static final int GRANTED = 1;

    private static final int EPIPE = ErrorCode.EPIPE.negativeValue();
    private static final int ECANCEL = ErrorCode.ECANCEL.negativeValue();
    private static final int EPROTO = ErrorCode.EPROTO.negativeValue();
    private static final int EMSGSIZE = ErrorCode.EMSGSIZE.negativeValue();
    private static final int EFAULT = ErrorCode.EFAULT.negativeValue();

    private final LoopbackMethod owner;
    private final MatchTable table = new MatchTable();
    private final UnexpectedStore store;

    Inbox(LoopbackMethod owner, UnexpectedStore store) {
        this.owner = owner;
        this.store = store;
    }

    /** A member sends to the owner. */
    long send(Operation send, LoopbackMethod from) {
        Operation receive;
        synchronized (this) {
            if (!from.isOpen() || !owner.isOpen()) {
                return refusal(from);
            }
            send.word0(from.number());
            MatchTable.Entry entry = table.findOrAdd(from.number(), send.tag());
            receive = firstLive(entry.receives());
            if (receive == null) {
                entry.sends().add(send);
                return Method.PENDING;
            }
            entry.receives().remove(receive);
            table.recycleIfEmpty(entry);
            grant(receive, owner);
        }
        if (receive.sizeBytes() < send.sizeBytes()) {
            owner.countTruncated();
            owner.completeGranted(receive, EMSGSIZE, 0);
            return send.sizeBytes();
        }
        return move(send, receive, receive, owner, from);
    }

    /** The owner receives from a member. */
    long receive(Operation receive, LoopbackMethod from) {
        Operation send;
        synchronized (this) {
            if (!from.isOpen() || !owner.isOpen()) {
                return refusal(owner);
            }
            receive.word0(from.number());
            MatchTable.Entry entry = table.findOrAdd(from.number(), receive.tag());
            send = firstLive(entry.sends());
            if (send == null) {
                entry.receives().add(receive);
                return Method.PENDING;
            }
            if (send.sizeBytes() > receive.sizeBytes()) {
                return EPROTO;
            }
            entry.sends().remove(send);
            table.recycleIfEmpty(entry);
            grant(send, from);
        }
        return move(send, receive, send, from, owner);
    }

    /** Takes the oldest operation that has not expired; those wait for their owner to end them. */
    static @Nullable Operation firstLive(OperationQueue queue) {
        Operation oldest = queue.peek();
        return oldest == null || !oldest.hasDeadline() ? oldest : firstUnexpired(oldest);
    }

    private static @Nullable Operation firstUnexpired(Operation oldest) {
        long nowNs = System.nanoTime();
        Operation operation = oldest;
        while (operation != null && operation.isExpired(nowNs)) {
            operation = operation.next();
        }
        return operation;
    }

    private static void grant(Operation operation, LoopbackMethod itsMember) {
        operation.methodState(GRANTED);
        itsMember.callbackBegins();
    }

    /**
     * Moves the bytes and completes the operation that was waiting; the other one is being posted.
     */
    private static long move(
            Operation send,
            Operation receive,
            Operation waiting,
            LoopbackMethod waitingMember,
            LoopbackMethod poster) {
        long sizeBytes = send.sizeBytes();
        try {
            poster.payloads().copy(send, receive);
        } catch (IllegalStateException | IllegalArgumentException | IndexOutOfBoundsException e) {
            // One of the programs closed the arena of its buffer under way.
            waitingMember.completeGranted(waiting, EFAULT, 0);
            return EFAULT;
        }
        waitingMember.completeGranted(waiting, 0, sizeBytes);
        return sizeBytes;
    }

    /** A member sends an unexpected message to the owner. */
    long sendUnexpected(Operation send, LoopbackAddress to) {
        LoopbackMethod from = to.local();
        synchronized (this) {
            if (!from.isOpen() || !owner.isOpen()) {
                return refusal(from);
            }
            if (send.sizeBytes() > owner.limits().maxUnexpectedBytes()) {
                return EMSGSIZE;
            }
            send.word0(from.number());
            UnexpectedSender sender = to.sender;
            if (sender == null || sender.receiver() != owner) {
                sender = new UnexpectedSender(owner, from, owner.recordOf(from));
                to.sender = sender;
            }
            return store.offer(sender, send);
        }
    }

    /** Takes the memory of an unexpected message back. */
    synchronized void unexpectedFree(long token) {
        if (owner.isOpen()) {
            store.free(token);
        }
    }

    CancelOutcome cancel(Operation operation, long id, int code) {
        LoopbackMethod itsMember;
        synchronized (this) {
            if (operation.id() != id) {
                return CancelOutcome.ALREADY_DONE;
            }
            if (!remove(operation)) {
                return operation.methodState() == GRANTED
                        ? CancelOutcome.REQUESTED
                        : CancelOutcome.ALREADY_DONE;
            }
            itsMember = memberOf(operation);
            grant(operation, itsMember);
        }
        itsMember.completeGranted(operation, code, 0);
        return CancelOutcome.CANCELLED;
    }

    private boolean remove(Operation operation) {
        if (operation.kind() == OperationKind.SEND_UNEXPECTED) {
            return store.remove(operation);
        }
        MatchTable.Entry entry = table.find(operation.word0(), operation.tag());
        if (entry == null
                || !(entry.sends().remove(operation) || entry.receives().remove(operation))) {
            return false;
        }
        table.recycleIfEmpty(entry);
        return true;
    }

    /** The owner leaves: nobody's operations wait here any more. */
    void close() {
        List<Operation> gone = drain(operation -> true, true);
        for (Operation operation : gone) {
            LoopbackMethod itsMember = memberOf(operation);
            itsMember.completeGranted(operation, itsMember == owner ? ECANCEL : EPIPE, 0);
        }
    }

    /** Another member leaves: its operations, and those that wait for it, end. */
    void peerClosed(LoopbackMethod peer) {
        List<Operation> gone = drain(operation -> operation.word0() == peer.number(), false);
        for (Operation operation : gone) {
            LoopbackMethod itsMember = memberOf(operation);
            itsMember.completeGranted(operation, itsMember == peer ? ECANCEL : EPIPE, 0);
        }
        synchronized (this) {
            LoopbackAddress record = owner.forget(peer);
            if (record != null && owner.isOpen()) {
                owner.host().peerFailed(record, EPIPE);
            }
        }
    }

    private synchronized List<Operation> drain(Predicate<Operation> which, boolean closeStore) {
        List<Operation> gone = new ArrayList<>();
        table.drain(which, gone::add);
        store.drain(which, gone::add);
        for (Operation operation : gone) {
            grant(operation, memberOf(operation));
        }
        if (closeStore) {
            store.close();
        }
        return gone;
    }

    private int refusal(LoopbackMethod poster) {
        return poster.isOpen() ? EPIPE : ECANCEL;
    }

    static LoopbackMethod memberOf(Operation operation) {
        return addressOf(operation).local();
    }

    private static LoopbackAddress addressOf(Operation operation) {
        return (LoopbackAddress) operation.address();
    }
}
