package org.jbmi.zbmi.socket;

import org.jbmi.spi.IntrusiveList;
import org.jbmi.zbmi.link.MessageBacklog;
import org.jbmi.zbmi.protocol.Message;

import java.util.Objects;
import java.util.function.Consumer;

/**
 * Frames of a client's link that have no room yet, in this order: claims, ends of transfers, notes,
 * requests for eager bytes. Bounded by what the client may have pending. Guarded by the lock of its
 * link.
 */
final class LinkUnsaid {
    private static final int SPARE_NOTES = 64;

    private final FrameWriter writer;
    private final LinkEager eager;
    private final Consumer<LinkTransfer> onEndSaid;
    private final IntrusiveList<LinkTransfer.Unsaid> claims = new IntrusiveList<>();
    private final IntrusiveList<LinkTransfer.Unsaid> ends = new IntrusiveList<>();
    private final MessageBacklog notes;
    private final Message oldestNote = new Message();

    LinkUnsaid(
            FrameWriter writer,
            LinkEager eager,
            int maxOperations,
            Consumer<LinkTransfer> onEndSaid) {
        this.writer = writer;
        this.eager = eager;
        this.notes = new MessageBacklog(2 * maxOperations + SPARE_NOTES);
        this.onEndSaid = onEndSaid;
    }

    boolean isEmpty() {
        return claims.isEmpty() && ends.isEmpty() && notes.isEmpty();
    }

    boolean hasNotes() {
        return !notes.isEmpty();
    }

    void claim(LinkTransfer transfer) {
        claims.addLast(transfer.unsaidClaim);
    }

    void end(LinkTransfer transfer) {
        if (!transfer.isEndDue) {
            transfer.isEndDue = true;
            ends.addLast(transfer.unsaidEnd);
        }
    }

    boolean isEndUnsaid(LinkTransfer transfer) {
        return transfer.unsaidEnd.isListed();
    }

    /** Keeps a copy; false if that is not possible. */
    boolean note(Message note) {
        return notes.add(note);
    }

    void forget(LinkTransfer transfer) {
        claims.remove(transfer.unsaidClaim);
        ends.remove(transfer.unsaidEnd);
    }

    void clear() {
        clear(claims);
        clear(ends);
        notes.clear();
    }

    private static void clear(IntrusiveList<LinkTransfer.Unsaid> list) {
        while (!list.isEmpty()) {
            list.poll();
        }
    }

    private static LinkTransfer taken(IntrusiveList<LinkTransfer.Unsaid> list) {
        return Objects.requireNonNull(list.poll()).transfer;
    }

    /** Writes the frames for which there is room. */
    void say() {
        while (!claims.isEmpty() && writer.room() >= LinkFrame.NOTE_BYTES) {
            LinkTransfer transfer = taken(claims);
            writer.note(LinkFrame.CLAIM, transfer.reference, transfer.claim, transfer.partner);
        }
        while (!ends.isEmpty() && claims.isEmpty() && writer.room() >= LinkFrame.NOTE_BYTES) {
            LinkTransfer transfer = taken(ends);
            writer.note(LinkFrame.END, transfer.reference, transfer.claim, transfer.failure);
            onEndSaid.accept(transfer);
        }
        while (!notes.isEmpty() && writer.room() >= LinkFrame.MESSAGE_BYTES) {
            notes.peek(oldestNote);
            notes.removeFirst();
            writer.message(oldestNote, eager.memory(), 0, 0);
        }
        while (isEmpty() && writer.room() >= LinkFrame.NOTE_BYTES) {
            Long reference = eager.takeRecall();
            if (reference == null) {
                return;
            }
            writer.note(LinkFrame.RECALL, reference, 0, 0);
        }
    }
}
