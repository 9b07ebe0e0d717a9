package org.jbmi.zbmi.socket;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.zbmi.link.CallTable;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * The messages of a client's link, and the transfers of the operations whose offers it has claimed.
 * Guarded by the lock of its link.
 *
 * <p>Reading never waits for room to write, so two ends with full buffers do not block each other.
 * Frames about a transfer stay with the transfer until there is room.
 */
final class LinkStream implements FrameHandler {
    private static final int FAULT = ErrorCode.EFAULT.negativeValue();
    private static final long FLUSH_BYTES = 1 << 20;

    private final LinkTransport transport;
    private final PeerEvents events;
    private final CallTable calls;
    private final LinkEager eager;
    private final NanoClock clock;
    private final FrameReader reader = new FrameReader(this, 0);
    private final FrameWriter writer;
    private final int longestMessage;
    private final LinkTransfers transfers;
    private final IntrusiveList<LinkTransfer> sends = new IntrusiveList<>();
    private final LinkUnsaid unsaid;
    private final Message event = new Message();
    private @Nullable LinkTransfer sending;
    private @Nullable LinkTransfer receiving;
    private long lastClaim;
    private boolean isFull;
    private volatile boolean isServerClosed;

    LinkStream(
            LinkTransport transport,
            SessionLimits limits,
            PeerEvents events,
            CallTable calls,
            LinkEager eager,
            NanoClock clock,
            int bufferBytes) {
        this.clock = clock;
        this.longestMessage = LinkFrame.MESSAGE_BYTES + limits.eagerBytes();
        this.writer = new FrameWriter(Math.max(bufferBytes, longestMessage));
        this.transport = transport;
        this.events = events;
        this.calls = calls;
        this.eager = eager;
        this.transfers = new LinkTransfers(limits.maxOperations());
        this.unsaid = new LinkUnsaid(writer, eager, limits.maxOperations(), this::endIfHeard);
    }

    long frames() {
        return reader.frames();
    }

    long read() throws IOException {
        return reader.read(transport.in());
    }

    /** Why the stream has ended. */
    String endReason() {
        return isServerClosed ? "The server has closed." : "The gateway has ended the link.";
    }

    /** The code that operations end with at the end of the stream. Any thread may call this. */
    ErrorCode endCode() {
        return isServerClosed ? ErrorCode.EPIPE : ErrorCode.EHOSTDOWN;
    }

    boolean isBlocked() {
        return reader.isBlocked();
    }

    boolean hasTransfers() {
        return transfers.size() > 0;
    }

    boolean wantsRoom() {
        return isFull;
    }

    boolean hasRoom() {
        return writer.room() >= longestMessage;
    }

    boolean offer(Message note) {
        int eagerBytes = eagerBytes(note);
        unsaid.say();
        if (!unsaid.isEmpty() || writer.room() < LinkFrame.MESSAGE_BYTES + eagerBytes) {
            isFull = true;
            return false;
        }
        long offset = eagerBytes > 0 ? eager.offset(ClientRequests.eagerSlot(note)) : 0;
        writer.message(note, eager.memory(), offset, eagerBytes);
        return true;
    }

    /** Sends a note that must be delivered, or keeps it; false if it cannot be kept. */
    boolean tell(Message note) {
        return offer(note) || unsaid.note(note);
    }

    boolean hasUnsaidNotes() {
        return unsaid.hasNotes();
    }

    private static int eagerBytes(Message note) {
        boolean isSend =
                note.kind() == ClientRequests.SEND || note.kind() == ClientRequests.SEND_UNEXPECTED;
        boolean isEager = isSend && ClientRequests.eagerSlot(note) >= 0;
        return isEager ? (int) ClientRequests.bytes(note) : 0;
    }

    boolean claim(Message grant) {
        LinkTransfer transfer = transfers.begin(grant, lastClaim + 1);
        if (transfer == null) {
            return false;
        }
        lastClaim++;
        unsaid.claim(transfer);
        return true;
    }

    int startMove(Operation operation, Message grant) {
        long reference = ClientEvents.reference(grant);
        LinkTransfer transfer = transfers.find(reference);
        if (transfer == null) {
            return ErrorCode.EPROTO.negativeValue();
        }
        transfer.operation = operation;
        transfer.cursor.begin(operation);
        if (transfer.end == LinkTransfer.OPEN) {
            boolean receives = operation.kind() == OperationKind.RECEIVE;
            if (!mayBeOffered(operation, transfer.bytes)) {
                transfer.failure = ErrorCode.EPROTO.negativeValue();
                unsaid.end(transfer);
            } else if (!receives && transfer.bytes > 0) {
                sends.addLast(transfer);
            }
            return ClientLink.MOVING;
        }
        if (unsaid.isEndUnsaid(transfer)) {
            return ClientLink.MOVING; // its outcome comes when the link ends
        }
        if (transfer.isOfferedAnew) {
            finish(transfer);
            return ClientLink.MOVING; // the offer has come as an event
        }
        int result = transfer.end == LinkTransfer.VOID ? ClientLink.VOIDED : outcome(transfer);
        // A message of another size may have replaced the one that was offered.
        long id = ClientEvents.grantId(grant);
        ClientEvents.grant(grant, 0, reference, transfer.operationId, id, transfer.bytes);
        forget(transfer);
        return result;
    }

    private static int outcome(LinkTransfer transfer) {
        return transfer.failure != 0 ? transfer.failure : transfer.status;
    }

    private void sendNextPiece() {
        LinkTransfer next = sending == null ? sends.poll() : sending;
        if (next == null || writer.isStreaming() || writer.room() < LinkFrame.NOTE_BYTES) {
            sending = next;
            return;
        }
        sending = next;
        int piece = (int) Math.min(LinkFrame.MAX_DATA_BYTES, next.bytes - next.moved);
        writer.data(next.reference, next.claim, next.moved, piece, next.cursor);
        next.moved += piece;
    }

    private void endPiece() {
        LinkTransfer sent = sending;
        if (sent == null || writer.isStreaming()) {
            return;
        }
        progressed(sent);
        boolean hasFailed = writer.hasPayloadFailed();
        if (sent.end != LinkTransfer.OPEN) {
            sending = null;
            finish(sent);
        } else if (hasFailed) {
            sending = null;
            sent.failure = FAULT;
            unsaid.end(sent);
        } else if (sent.moved == sent.bytes) {
            sending = null;
        }
    }

    /** Writes what is due, up to a limit; returns the bytes. */
    long flush() throws IOException {
        long total = 0;
        while (true) {
            unsaid.say();
            if (unsaid.isEmpty()) {
                sendNextPiece();
            }
            isFull = writer.hasPending(); // also with what goes beyond the limit
            if (!isFull || total >= FLUSH_BYTES) {
                return total;
            }
            long count = writer.write(transport.out());
            if (count == 0) {
                return total;
            }
            total += count;
            endPiece();
        }
    }

    /** Writes as much of a goodbye as there is room for. */
    void goodbye() throws IOException {
        if (!writer.isStreaming() && writer.room() >= LinkFrame.HEADER_BYTES) {
            writer.goodbye();
            writer.write(transport.out());
        }
    }

    void drop() {
        sending = null;
        receiving = null;
        while (!sends.isEmpty()) {
            sends.poll();
        }
        unsaid.clear();
        transfers.dropAll();
    }

    @Override
    public boolean mayTake(int kind, long reference) {
        if (kind != LinkFrame.DATA) {
            return true;
        }
        LinkTransfer transfer = transfers.find(reference);
        return transfer == null || transfer.operation != null;
    }

    @Override
    public void onMessage(Message message, MemorySegment memory, long offset, int length)
            throws FrameException {
        if (!ClientEvents.isWellFormed(message)) {
            throw new FrameException("it sent a message that no engine sends");
        }
        if (message.kind() != ClientEvents.TEST_REPLY) {
            LinkTransfer transfer = transfers.find(ClientEvents.reference(message));
            if (transfer != null) {
                crossed(transfer, message);
                return;
            }
        }
        CallTable.Call call = calls.claim(ClientEvents.correlation(message));
        if (call == null) {
            events.onEvent(message);
            return;
        }
        Thread caller = answer(call, message);
        if (caller != null) {
            transport.wake(caller);
        }
    }

    // The caller must not find its call in the state of being answered for ever, whatever fails
    // here. The heap may have no room for the transfer.
    private @Nullable Thread answer(CallTable.Call call, Message message) throws FrameException {
        boolean isToBeAnswered = false;
        try {
            if (message.kind() == ClientEvents.GRANT && !claim(message)) {
                throw new FrameException("it offered what is claimed already");
            }
            isToBeAnswered = true;
        } finally {
            if (!isToBeAnswered) {
                call.giveBack();
            }
        }
        return call.answer(message);
    }

    // Sent before the gateway knew of the claim: another offer, or the outcome.
    private void crossed(LinkTransfer transfer, Message message) throws FrameException {
        switch (message.kind()) {
            case ClientEvents.GRANT -> offeredAnew(transfer, message);
            case ClientEvents.COMPLETED -> {
                transfer.bytes = ClientEvents.completedBytes(message);
                over(transfer, 0);
            }
            case ClientEvents.FAILED -> over(transfer, ClientEvents.failedCode(message));
            default -> throw new FrameException("it registered what is claimed");
        }
    }

    // Offers from before are void now, and must not be claimed any more.
    private void over(LinkTransfer transfer, int status) {
        transfer.status = status;
        transfer.end = LinkTransfer.MOVED;
        transfer.isOfferedAnew = false;
        heard(transfer);
    }

    // The gateway claims the offer that the claim names, or none. Another offer instead is the
    // program's to take or to ignore, as any offer: the operation may have expired by now.
    private static void offeredAnew(LinkTransfer transfer, Message grant) throws FrameException {
        Operation operation = transfer.operation;
        boolean hasBytes =
                transfer.moved > 0
                        && operation != null
                        && operation.kind() == OperationKind.RECEIVE;
        if (hasBytes || transfer.end == LinkTransfer.MOVED) {
            throw new FrameException("it offered what is under way");
        }
        transfer.later.copyFrom(grant);
        transfer.isOfferedAnew = true;
    }

    // A message may be too long for its receive, which the gateway then ends without moving it.
    private static boolean mayBeOffered(Operation operation, long bytes) {
        return operation.kind() == OperationKind.RECEIVE
                ? bytes >= 0
                : bytes == operation.sizeBytes();
    }

    @Override
    public void onNote(int kind, long reference, long claim, long value) throws FrameException {
        LinkTransfer transfer = transfers.find(reference);
        boolean isKnown = kind == LinkFrame.MOVED || kind == LinkFrame.VOID;
        if (!isKnown || transfer == null || transfer.claim != claim) {
            throw new FrameException("it ended a transfer that is not under way");
        }
        if (transfer.end != LinkTransfer.OPEN) {
            throw new FrameException("it ended a transfer twice");
        }
        if (kind == LinkFrame.VOID) {
            transfer.end = LinkTransfer.VOID;
        } else {
            checkOutcome(transfer, value);
            transfer.end = LinkTransfer.MOVED;
            transfer.status = (int) value;
            transfer.isOfferedAnew = false;
        }
        heard(transfer);
    }

    private static void checkOutcome(LinkTransfer transfer, long status) throws FrameException {
        boolean isSound =
                status == 0
                        ? transfer.moved == transfer.bytes || transfer.failure != 0
                        : LinkFrame.isCode(status);
        if (!isSound) {
            throw new FrameException("it reported an outcome that cannot be");
        }
    }

    // Not before the thread that claimed has set the buffers, nor while they are read.
    private void heard(LinkTransfer transfer) {
        boolean isInUse = isSending(transfer) && writer.isStreaming();
        if (transfer.operation != null && !isInUse) {
            if (isSending(transfer)) {
                sending = null;
            }
            endIfHeard(transfer);
        }
    }

    @SuppressWarnings("ReferenceEquality") // the very transfer
    private boolean isSending(LinkTransfer transfer) {
        return sending == transfer;
    }

    private void endIfHeard(LinkTransfer transfer) {
        boolean isReady =
                transfer.end != LinkTransfer.OPEN
                        && transfer.operation != null
                        && !unsaid.isEndUnsaid(transfer);
        if (isReady) {
            finish(transfer);
        }
    }

    private void finish(LinkTransfer transfer) {
        int code = outcome(transfer);
        long reference = transfer.reference;
        if (transfer.end == LinkTransfer.VOID && transfer.isOfferedAnew) {
            event.copyFrom(transfer.later);
        } else if (transfer.end == LinkTransfer.VOID) {
            ClientEvents.pending(event, 0, reference, transfer.operationId);
        } else if (code != 0) {
            ClientEvents.failed(event, 0, reference, code);
        } else {
            ClientEvents.completed(event, 0, reference, transfer.bytes);
        }
        forget(transfer);
        events.onEvent(event);
    }

    private void forget(LinkTransfer transfer) {
        sends.remove(transfer);
        unsaid.forget(transfer);
        transfers.end(transfer);
    }

    @Override
    public @Nullable PayloadCursor onData(long reference, long claim, long position, int bytes)
            throws FrameException {
        LinkTransfer transfer = transfers.find(reference);
        if (transfer == null) {
            throw unclaimed();
        }
        Operation operation = transfer.operation;
        boolean isSound =
                operation != null
                        && operation.kind() == OperationKind.RECEIVE
                        && transfer.bytes <= operation.sizeBytes()
                        && transfer.claim == claim
                        && transfer.end == LinkTransfer.OPEN
                        && transfer.moved == position
                        && bytes <= transfer.bytes - position;
        if (!isSound) {
            throw unclaimed();
        }
        receiving = transfer;
        return transfer.failure == 0 ? transfer.cursor : DISCARD;
    }

    private static FrameException unclaimed() {
        return new FrameException("it sent payload that nobody claimed");
    }

    @Override
    public void onDataMoved(long bytes) {
        LinkTransfer transfer = receiving;
        if (transfer != null) {
            transfer.moved += bytes;
            progressed(transfer);
        }
    }

    // An idle deadline is moved by progress.
    private void progressed(LinkTransfer transfer) {
        Operation operation = transfer.operation;
        if (operation != null && operation.hasDeadline()) {
            operation.progressed(clock.nanoTime());
        }
    }

    @Override
    public void onDataEnd(boolean isStored) {
        LinkTransfer transfer = receiving;
        receiving = null;
        if (transfer == null) {
            return;
        }
        if (!isStored && transfer.failure == 0 && transfer.bytes > 0) {
            transfer.failure = FAULT;
        }
        if (transfer.moved == transfer.bytes) {
            unsaid.end(transfer);
        }
    }

    /** The gateway closes the link, since the server has closed normally. */
    @Override
    public void onGoodbye() {
        isServerClosed = true;
    }
}
