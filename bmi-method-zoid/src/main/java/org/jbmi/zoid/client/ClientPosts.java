package org.jbmi.zoid.client;

import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zoid.common.SessionFailure;

import java.util.concurrent.TimeUnit;

/**
 * Sends posts, with their bytes if these are few. Through shared memory two kinds of post are
 * notes, which wait for no answer. One is a short unexpected message. The other is a receive for
 * which no send of the server waits, so that the answer could only be "registered". All other posts
 * are calls.
 */
final class ClientPosts {
    private static final System.Logger LOG = System.getLogger(ClientPosts.class.getName());

    /** {@link #send}: sent, and registered without an answer. */
    static final int REGISTERED = 100;

    private final ClientLink link;
    private final ClientNotes notes;
    private final ClientCounters counters;
    private final ClientCopies copies;
    private final int eagerBytes;
    private final long timeoutNs;

    /** How many withdrawals the engine had heard of when it sent the last answer. */
    private volatile int heardWithdrawals;

    ClientPosts(
            ClientLink link,
            ClientNotes notes,
            ClientCounters counters,
            ClientCopies copies,
            MethodLimits limits,
            long timeoutNs) {
        this.link = link;
        this.notes = notes;
        this.counters = counters;
        this.copies = copies;
        this.eagerBytes = (int) limits.eagerBytes();
        this.timeoutNs = timeoutNs;
    }

    /** Whether a post can be a short note, so that {@link #tryNote} may send it. */
    boolean mayBeShortNote(Operation operation, int postTimeoutMs) {
        return operation.kind() == OperationKind.RECEIVE
                ? postTimeoutMs == 0
                        && notes.withdrawals() == heardWithdrawals
                        && !link.mayHaveSend(operation.tag())
                : mayBeNote(operation, postTimeoutMs)
                        && operation.sizeBytes() <= ClientRequests.MAX_SHORT_BYTES;
    }

    /**
     * With the lock held: sends the note if there is room; the slot is then as after {@link #send}.
     *
     * @return see {@link ClientLink#tryNote}; also NOT_SENT if the program's memory cannot be read
     */
    int tryNote(ClientOperation slot, Operation operation) {
        try {
            encode(slot, operation, 0, true);
        } catch (RuntimeException | InternalError | OutOfMemoryError e) {
            return PeerChannel.NOT_SENT; // the slow path finds the reason
        }
        slot.isNoted = operation.kind() == OperationKind.RECEIVE;
        int said = link.tryNote(slot.post);
        if (said != PeerChannel.NOT_SENT) {
            countUnaligned(operation);
        }
        return said;
    }

    // False if the program's memory cannot be read because it was freed during the post.
    boolean tryEncode(ClientOperation slot, Operation operation, int postTimeoutMs) {
        countUnaligned(operation);
        try {
            encode(slot, operation, postTimeoutMs, false);
            return true;
        } catch (RuntimeException | InternalError | OutOfMemoryError e) {
            SessionFailure.warn(LOG, "a buffer cannot be read", e);
            return false;
        }
    }

    // A message is counted only if it is sent under the lock. Then the counted sends are here in
    // the order in which their messages are in the lane.
    private void encode(
            ClientOperation slot, Operation operation, int postTimeoutMs, boolean isCounted) {
        Message message = slot.post;
        if (operation.kind() == OperationKind.RECEIVE) {
            // This side checks the deadline when it claims.
            int dataRoom = operation.hasDeadline() ? ClientRequests.NO_DATA_ROOM : dataRoom();
            ClientRequests.receive(
                    message,
                    0,
                    slot.reference(),
                    operation.tag(),
                    operation.sizeBytes(),
                    postTimeoutMs,
                    dataRoom);
            return;
        }
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
        if (mayBeNote(operation, postTimeoutMs)
                && operation.sizeBytes() <= ClientRequests.MAX_SHORT_BYTES) {
            ClientRequests.sendShort(
                    message,
                    slot.reference(),
                    operation.tag(),
                    operation.messageClass(),
                    (int) operation.sizeBytes(),
                    isCounted);
            putInline(slot, operation, message);
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
            putInline(slot, operation, message);
        }
    }

    private int dataRoom() {
        return Math.min(link.dataRoom(), Math.max(ClientEvents.MAX_DATA_BYTES, eagerBytes));
    }

    private void putInline(ClientOperation slot, Operation operation, Message message) {
        copies.putInline(operation, message);
        slot.copiedBytes = operation.sizeBytes();
    }

    /**
     * Sends an encoded post, whose message becomes the reply, if there is one.
     *
     * @return {@link PeerChannel#OK}: replied; {@link PeerChannel#TIMED_OUT}: sent, and the reply
     *     comes as an event; {@link #REGISTERED}; {@link PeerChannel#NOT_SENT} or {@link
     *     PeerChannel#BROKEN}
     */
    int send(ClientOperation slot, Operation operation, int postTimeoutMs) {
        Message post = slot.post;
        int withdrawals = notes.withdrawals();
        if (operation.kind() == OperationKind.RECEIVE) {
            boolean isHeard = withdrawals == heardWithdrawals;
            if (postTimeoutMs == 0 && isHeard && !link.mayHaveSend(operation.tag())) {
                slot.isNoted = true;
                return note(post, REGISTERED);
            }
        } else if (post.kind() == ClientRequests.SEND_SHORT
                || (slot.eagerSlot >= 0 && mayBeNote(operation, postTimeoutMs))) {
            return note(post, PeerChannel.TIMED_OUT);
        }
        long mostNs = timeoutNs + TimeUnit.MILLISECONDS.toNanos(postTimeoutMs);
        int result = link.call(post, post, mostNs);
        if (result == PeerChannel.OK) {
            heardWithdrawals = withdrawals;
        }
        return result;
    }

    private int note(Message post, int sent) {
        return switch (link.note(post, timeoutNs)) {
            case PeerChannel.OK -> sent;
            case PeerChannel.TIMED_OUT -> PeerChannel.NOT_SENT;
            default -> PeerChannel.BROKEN;
        };
    }

    // Only unexpected sends: an expected one may complete at once, which only the engine knows. A
    // deadline can be told only to an engine that knows the operation's id. For the gateway see
    // docs/decisions/0016-posts-without-an-answer.md.
    private boolean mayBeNote(Operation operation, int postTimeoutMs) {
        return !link.movesLater()
                && operation.kind() == OperationKind.SEND_UNEXPECTED
                && postTimeoutMs == 0
                && !operation.hasDeadline();
    }

    private void announceEager(ClientOperation slot, Operation operation) {
        if (operation.sizeBytes() > eagerBytes) {
            return;
        }
        int eagerSlot = link.takeEagerSlot();
        if (eagerSlot >= 0) {
            slot.eagerSlot = eagerSlot;
            copies.putEager(operation, eagerSlot);
            slot.copiedBytes = operation.sizeBytes();
            slot.eagerSequence = link.announceEager(eagerSlot);
        }
    }

    private void countUnaligned(Operation operation) {
        for (int i = 0; i < operation.bufferCount(); i++) {
            counters.aligned(operation.buffer(i));
        }
    }
}
