package org.jbmi.loopback;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.spi.MatchTable;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.spi.Payloads;
import org.jbmi.spi.SpinLock;

import java.lang.foreign.MemorySegment;

/**
 * Everything on its way to one member: the sends of others to it, its own receives, and the
 * unexpected messages.
 *
 * <p><b>Locking.</b> An operation concerns one inbox only, that of its receiver. A thread that
 * works on the operation holds that inbox's lock and no other lock of the method. The lock guards
 * the queues of operations. A short message is copied, and its outcome reported, under the lock as
 * well.
 *
 * <p>For a longer message both operations are <i>granted</i> to the thread that posts one of them.
 * This thread takes the other operation out of its queue under the lock, and from then on no other
 * thread may touch them. It moves the bytes and reports the outcome outside the lock. (In zoid, a
 * grant is something else.)
 *
 * <p>Unexpected messages are short and are copied under the lock, so that they arrive in order. An
 * operation's first word holds the number of the member that sends.
 */
final class Inbox {
    /** The method state of an operation that one thread alone may touch. */
    static final int GRANTED = 1;

    /** Up to this size a copy takes less time than taking the lock again. */
    private static final long SHORT_BYTES = 1024;

    /** The same for the number of buffers. */
    private static final int FEW_BUFFERS = 32;

    private static final int EPIPE = ErrorCode.EPIPE.negativeValue();
    private static final int ECANCEL = ErrorCode.ECANCEL.negativeValue();
    private static final int EPROTO = ErrorCode.EPROTO.negativeValue();
    private static final int EMSGSIZE = ErrorCode.EMSGSIZE.negativeValue();
    private static final int EFAULT = ErrorCode.EFAULT.negativeValue();

    private final LoopbackMethod owner;
    private final SpinLock lock = new SpinLock();
    private final MatchTable table = new MatchTable();
    private final UnexpectedStore store;

    /**
     * Whether the operation that was queued last is a receive. A send without the lock reads it,
     * and only guesses by it whether a receive waits.
     */
    private boolean receivesWait;

    Inbox(LoopbackMethod owner, UnexpectedStore store) {
        this.owner = owner;
        this.store = store;
    }

    /**
     * Whether {@link #sendAtOnce} is worth a try. A longer message needs an operation while it is
     * copied.
     */
    boolean mayTakeAtOnce(long sizeBytes) {
        return receivesWait && sizeBytes <= SHORT_BYTES;
    }

    /**
     * A member sends a short message, for which a receive waits, to the owner. One that fails needs
     * an operation.
     *
     * @return as {@link Method#sendAtOnce}
     */
    long sendAtOnce(LoopbackMethod from, MemorySegment message, int tag) {
        long sizeBytes = message.byteSize();
        lock.lock();
        try {
            MatchTable.Entry entry = table.find(from.number(), tag);
            Operation receive = entry == null ? null : Operation.firstLive(entry.receives());
            if (entry == null || receive == null || sizeBytes > receive.sizeBytes()) {
                return Method.PENDING;
            }
            if (receive.bufferCount() > FEW_BUFFERS) {
                return Method.PENDING;
            }
            if (!from.isOpen() || !owner.isOpen()) {
                return Method.PENDING;
            }
            entry.receives().remove(receive);
            table.recycleIfEmpty(entry);
            owner.countCopy(sizeBytes);
            int error = copy(message, receive);
            owner.complete(receive, error, sizeBytes);
            return error == 0 ? sizeBytes : error;
        } finally {
            lock.unlock();
        }
    }

    /** A member sends to the owner. */
    long send(Operation send, LoopbackMethod from) {
        Operation receive;
        lock.lock();
        try {
            if (!from.isOpen() || !owner.isOpen()) {
                return refusal(from);
            }
            send.word0(from.number());
            MatchTable.Entry entry = table.findOrAdd(from.number(), send.tag());
            receive = Operation.firstLive(entry.receives());
            if (receive == null) {
                entry.sends().addLast(send);
                receivesWait = false;
                return Method.PENDING;
            }
            entry.receives().remove(receive);
            table.recycleIfEmpty(entry);
            if (receive.sizeBytes() < send.sizeBytes()) {
                owner.countTruncated();
                owner.complete(receive, EMSGSIZE, 0);
                return send.sizeBytes();
            }
            owner.countCopy(send.sizeBytes());
            if (isShort(send, receive)) {
                int error = copy(send, receive);
                owner.complete(receive, error, send.sizeBytes());
                return error == 0 ? send.sizeBytes() : error;
            }
            grant(receive, owner);
            grant(send, from);
        } finally {
            lock.unlock();
        }
        return move(send, receive, receive, from);
    }

    /** The owner receives from a member. */
    long receive(Operation receive, LoopbackMethod from) {
        Operation send;
        lock.lock();
        try {
            if (!from.isOpen() || !owner.isOpen()) {
                return refusal(owner);
            }
            receive.word0(from.number());
            MatchTable.Entry entry = table.findOrAdd(from.number(), receive.tag());
            send = Operation.firstLive(entry.sends());
            if (send == null) {
                entry.receives().addLast(receive);
                receivesWait = true;
                return Method.PENDING;
            }
            if (send.sizeBytes() > receive.sizeBytes()) {
                return EPROTO;
            }
            entry.sends().remove(send);
            table.recycleIfEmpty(entry);
            owner.countCopy(send.sizeBytes());
            if (isShort(send, receive)) {
                int error = copy(send, receive);
                from.complete(send, error, send.sizeBytes());
                return error == 0 ? send.sizeBytes() : error;
            }
            grant(send, from);
            grant(receive, owner);
        } finally {
            lock.unlock();
        }
        return move(send, receive, send, owner);
    }

    private static boolean isShort(Operation send, Operation receive) {
        return send.sizeBytes() <= SHORT_BYTES
                && send.bufferCount() <= FEW_BUFFERS
                && receive.bufferCount() <= FEW_BUFFERS;
    }

    static void grant(Operation operation, LoopbackMethod itsMember) {
        operation.methodState(GRANTED);
        itsMember.transferBegins();
    }

    /**
     * Moves the bytes and completes the operation that was waiting; the other one is being posted.
     */
    private static long move(
            Operation send, Operation receive, Operation waiting, LoopbackMethod poster) {
        long sizeBytes = send.sizeBytes();
        try {
            int error = copy(send, receive);
            memberOf(waiting).completeGranted(waiting, error, sizeBytes);
            return error == 0 ? sizeBytes : error;
        } finally {
            poster.transferEnds();
        }
    }

    /**
     * Copies the bytes; returns 0 or EFAULT. It fails if a program closed the arena of its buffer,
     * or shortened the file that its buffer maps. It also fails if the JVM runs out of memory.
     *
     * <p>A shortened file is not always noticed: compiled code may throw the InternalError after
     * this method. Then the message counts as moved, and the caller's thread gets the error.
     */
    private static int copy(Operation send, Operation receive) {
        try {
            Payloads.copyUncounted(send, receive);
            return 0;
        } catch (RuntimeException | InternalError | OutOfMemoryError e) {
            return EFAULT;
        }
    }

    /** The same for a message that is sent without an operation. */
    private static int copy(MemorySegment message, Operation receive) {
        try {
            Payloads.scatter(message, 0, message.byteSize(), receive, 0);
            return 0;
        } catch (RuntimeException | InternalError | OutOfMemoryError e) {
            return EFAULT;
        }
    }

    /** A member sends an unexpected message to the owner. */
    long sendUnexpected(Operation send, LoopbackAddress to) {
        LoopbackMethod from = to.local();
        lock.lock();
        try {
            if (!from.isOpen() || !owner.isOpen()) {
                return refusal(from);
            }
            if (send.sizeBytes() > owner.limits().maxUnexpectedBytes()) {
                return EMSGSIZE;
            }
            send.word0(from.number());
            UnexpectedSender sender = to.sender;
            if (sender == null || sender.receiver() != owner) {
                sender = store.senderOf(owner, from);
                to.sender = sender;
            }
            return store.offer(sender, send);
        } finally {
            lock.unlock();
        }
    }

    /** Frees the memory of an unexpected message. */
    void unexpectedFree(long token) {
        lock.lock();
        try {
            if (owner.isOpen()) {
                store.free(token);
            }
        } finally {
            lock.unlock();
        }
    }

    CancelOutcome cancel(Operation operation, long id, int code) {
        LoopbackMethod itsMember;
        lock.lock();
        try {
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
        } finally {
            lock.unlock();
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

    /** The owner closes: all operations that wait here end. */
    void close(Departure departure) {
        lock.lock();
        try {
            table.drain(departure.all, departure.taker);
            store.drain(departure.all, departure.taker);
            store.close();
        } finally {
            lock.unlock();
        }
        departure.complete();
    }

    /**
     * Frees the memory of the unexpected messages, after {@link #close}. This may wait, and fail,
     * because of a native call of the program; no operation of any member depends on it.
     */
    void freeMemory(long deadlineNs) {
        store.freeAll(deadlineNs);
    }

    /** Another member closes: its operations, and those that wait for it, end. */
    void peerClosed(LoopbackMethod peer, Departure departure) {
        lock.lock();
        try {
            table.drain(departure.ofMember, departure.taker);
            store.drain(departure.ofMember, departure.taker);
        } finally {
            lock.unlock();
        }
        departure.complete();
        lock.lock();
        try {
            store.forget(peer);
            LoopbackAddress record = owner.forget(peer);
            if (record != null && owner.isOpen()) {
                owner.host().peerFailed(record, EPIPE);
            }
        } catch (OutOfMemoryError | LinkageError e) { // a class may find no memory at its first use
            // The core keeps its handle of the peer, to which every post is refused.
        } finally {
            lock.unlock();
        }
    }

    /** For the owner while it opens and closes. */
    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
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
