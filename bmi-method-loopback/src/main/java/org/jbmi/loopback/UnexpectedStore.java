package org.jbmi.loopback;

import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;
import org.jbmi.spi.HashMaps;
import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.Method;
import org.jbmi.spi.Operation;
import org.jbmi.spi.Payloads;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The memory in which a member keeps unexpected messages, and the order in which senders get it.
 * Guarded by the inbox of the member, its counters included.
 *
 * <p><b>Fairness.</b> Senders that found no room stand in a round. When memory is freed, the first
 * sender of the round gets room for its oldest message and goes to the end of the round. If no free
 * piece is long enough for that message, no sender behind it is served, so that large messages do
 * not starve.
 *
 * <p>A sender that holds memory gets more only if room for one largest message stays free, for a
 * sender that holds none. Until then the round passes over it. So a single sender that floods the
 * member locks nobody out.
 */
final class UnexpectedStore {
    private static final int ENOMEM = ErrorCode.ENOMEM.negativeValue();

    private final long maxMessageBytes;
    private final UnexpectedMemory memory;
    private final IntrusiveList<UnexpectedSender> round = new IntrusiveList<>();

    /** One for each member that sends, under however many names it knows the receiver. */
    private final Map<LoopbackMethod, UnexpectedSender> senders =
            HashMaps.prepared(new HashMap<>());

    private final Counter accepted;
    private final Counter waits;
    private final Counter heldBytes;

    UnexpectedStore(Configuration configuration, Counters counters) {
        maxMessageBytes = configuration.get(LoopbackKnobs.MAX_UNEXPECTED_BYTES);
        memory = new UnexpectedMemory(configuration.get(LoopbackKnobs.UNEXPECTED_BYTES));
        accepted = counters.register(2004, "loopback.unexpectedAccepted", "messages");
        waits = counters.register(2005, "loopback.unexpectedWaits", "messages");
        heldBytes = counters.register(2006, "loopback.unexpectedHeldBytes", "bytes");
    }

    /** What is kept for a member that sends. */
    UnexpectedSender senderOf(LoopbackMethod receiver, LoopbackMethod member) {
        return senders.computeIfAbsent(
                member, from -> new UnexpectedSender(receiver, from, receiver.recordOf(from)));
    }

    /** A member has closed: it sends no more. */
    void forget(LoopbackMethod member) {
        senders.remove(member);
    }

    /** Accepts a message, queues it, or returns the code of a refusal. */
    long offer(UnexpectedSender sender, Operation send) {
        long outcome = mayTryAtOnce(sender) ? accept(sender, send) : Method.PENDING;
        if (outcome == Method.PENDING) {
            sender.waiting.addLast(send);
            enterRound(sender);
            waits.addBySingleWriter(1);
        }
        return outcome;
    }

    /** Only a sender that holds nothing may pass waiting ones, while all of them hold something. */
    private boolean mayTryAtOnce(UnexpectedSender sender) {
        if (round.isEmpty()) {
            return true;
        }
        if (sender.heldBytes > 0 || sender.isListed()) {
            return false;
        }
        for (UnexpectedSender each = round.first(); each != null; each = round.next(each)) {
            if (each.heldBytes == 0) {
                return false;
            }
        }
        return true;
    }

    /** Frees memory and gives it to waiting messages. */
    void free(long token) {
        UnexpectedSender sender = memory.holder(token);
        if (sender != null) {
            giveBack(sender, token, memory.blockBytes(token));
            serve();
        }
    }

    /** Removes a waiting message. */
    boolean remove(Operation send) {
        UnexpectedSender sender =
                send.addressOrNull() instanceof LoopbackAddress to ? senders.get(to.local()) : null;
        if (sender == null || !sender.waiting.remove(send)) {
            return false;
        }
        serve();
        return true;
    }

    void drain(Predicate<Operation> which, Consumer<Operation> sink) {
        for (UnexpectedSender each = round.first(); each != null; each = round.next(each)) {
            each.waiting.drain(which, sink);
        }
        serve();
    }

    void close() {
        heldBytes.addBySingleWriter(-memory.usedBytes());
        memory.close();
    }

    /** Frees the memory, without the lock, after {@link #close}. */
    void freeAll(long deadlineNs) {
        memory.freeAll(deadlineNs);
    }

    /** Accepts messages that wait, in turn, as long as the next one fits. */
    private void serve() {
        int passedOver = 0; // in a row; each still stands in the round
        for (UnexpectedSender sender = round.first();
                sender != null && passedOver < round.size();
                sender = round.first()) {
            Operation send = Operation.firstLive(sender.waiting);
            if (send == null || mustLeaveRoom(sender, send)) {
                takeTurn(sender);
                passedOver += sender.isListed() ? 1 : 0;
            } else {
                long outcome = accept(sender, send);
                if (outcome == Method.PENDING) {
                    return;
                }
                sender.waiting.remove(send);
                sender.member().complete(send, (int) Math.min(outcome, 0), send.sizeBytes());
                takeTurn(sender);
                passedOver = 0;
            }
        }
    }

    /** Whether the free memory is reserved for a sender that holds nothing yet. */
    private boolean mustLeaveRoom(UnexpectedSender sender, Operation send) {
        return sender.heldBytes > 0 && memory.freeBytes() < send.sizeBytes() + maxMessageBytes;
    }

    private void takeTurn(UnexpectedSender sender) {
        round.remove(sender);
        if (!sender.waiting.isEmpty()) {
            enterRound(sender);
        }
    }

    private void enterRound(UnexpectedSender sender) {
        if (!sender.isListed()) {
            round.addLast(sender);
        }
    }

    /**
     * Returns the size of the message, PENDING if there is no room now, or a negative code. Never
     * fails: other members' operations may wait for the same round.
     */
    private long accept(UnexpectedSender sender, Operation send) {
        if (mustLeaveRoom(sender, send)) {
            return Method.PENDING;
        }
        try {
            long token = memory.allocate(send.sizeBytes(), sender);
            return token < 0 ? Method.PENDING : fill(sender, send, token);
        } catch (RuntimeException | Error e) {
            return ENOMEM; // the JVM has no memory for a record, here or in the core
        }
    }

    private long fill(UnexpectedSender sender, Operation send, long token) {
        long sizeBytes = send.sizeBytes();
        try {
            sender.receiver().countCopy(sizeBytes);
            Payloads.copyInUncounted(send, memory.segment(), token);
        } catch (RuntimeException | InternalError | OutOfMemoryError e) {
            // The program closed the arena of its buffer, or shortened the file that the buffer
            // maps, or the JVM runs out of memory. The error for a shortened file may come later,
            // see Inbox.
            memory.free(token);
            return ErrorCode.EFAULT.negativeValue();
        }
        deliver(sender, send, token);
        return sizeBytes;
    }

    private void deliver(UnexpectedSender sender, Operation send, long token) {
        long blockBytes = memory.blockBytes(token);
        sender.heldBytes += blockBytes;
        heldBytes.addBySingleWriter(blockBytes);
        try {
            sender.receiver()
                    .host()
                    .deliverUnexpected(
                            sender.record(),
                            send.tag(),
                            send.messageClass(),
                            ErrorCode.SUCCESS,
                            memory.segment(),
                            token,
                            send.sizeBytes(),
                            token);
        } catch (RuntimeException | Error e) {
            giveBack(sender, token, blockBytes);
            throw e;
        }
        accepted.addBySingleWriter(1);
    }

    private void giveBack(UnexpectedSender sender, long token, long blockBytes) {
        memory.free(token);
        sender.heldBytes -= blockBytes;
        heldBytes.addBySingleWriter(-blockBytes);
    }
}
