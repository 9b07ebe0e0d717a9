package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.ClientLink;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.socket.FrameException;
import org.jbmi.zbmi.socket.FrameHandler;
import org.jbmi.zbmi.socket.FrameWriter;
import org.jbmi.zbmi.socket.LinkFrame;
import org.jbmi.zbmi.socket.PayloadCursor;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/** The requests of a remote client to its relay, and the transfers that follow. */
final class RelayRequests implements FrameHandler {
    /** The bytes that the relay itself may have to send to its client for one frame. */
    static final int ANSWER_ROOM = 1 << 10;

    /** Room for all events of one poll of the lane. */
    private static final int EVENT_ROOM = 260 * LinkFrame.MESSAGE_BYTES + ANSWER_ROOM;

    static final long FLUSH_BYTES = 1 << 20;

    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);
    private static final int TOO_LONG = ErrorCode.EMSGSIZE.negativeValue();
    private static final int BAD_PLACE = ErrorCode.EPROTO.negativeValue();

    private final ClientLink lane;
    private final FrameWriter writer;
    private final RelayOperations operations;
    private final int eagerLimit;
    private final ArrayDeque<RelayOperation> outgoing = new ArrayDeque<>();
    private final ArrayDeque<RelayOperation> missed = new ArrayDeque<>();
    private final ArrayDeque<Message> unsaidDones = new ArrayDeque<>();
    private final Message note = new Message();
    private @Nullable RelayOperation sending;
    private @Nullable RelayOperation receiving;
    private int transfers;
    private long nowNs;
    private long lastMoveNs;
    private long lastLookNs;
    private boolean isOver;

    RelayRequests(
            ClientLink lane,
            FrameWriter writer,
            SharedMemory memory,
            SegmentMap map,
            PoolViews views) {
        this.lane = lane;
        this.writer = writer;
        int entries = lane.limits().maxListEntries();
        this.eagerLimit = lane.limits().eagerBytes();
        this.operations =
                new RelayOperations(
                        lane.limits().maxOperations(),
                        () -> new RelayOperation(new PoolCursor(memory, map, views, entries)));
    }

    void now(long timeNs) {
        nowNs = timeNs;
    }

    boolean isOver() {
        return isOver;
    }

    int transfers() {
        return transfers;
    }

    // Looked at several times in this time. After a pause of the whole gateway, what a client has
    // sent meanwhile may not be read yet.
    boolean isStalled(long timeNs, long stallNs) {
        if (timeNs - lastLookNs > stallNs / 2) {
            lastMoveNs = timeNs;
        }
        lastLookNs = timeNs;
        return transfers > 0 && timeNs - lastMoveNs >= stallNs;
    }

    @Nullable RelayOperation find(long reference) {
        return operations.find(reference);
    }

    /** The engine has ended an operation that moved no bytes here. */
    void forget(RelayOperation operation) {
        if (operation.eagerSlot >= 0) {
            lane.releaseEagerSlot(operation.eagerSlot);
        }
        missed.remove(operation);
        operations.end(operation);
    }

    /** The engine offers a place for an operation that is not moving: tells the client. */
    void offer(RelayOperation operation, Message grant) {
        missed.remove(operation);
        operation.operationId = ClientEvents.operationId(grant);
        operation.grant.copyFrom(grant);
        tell(operation, ClientEvents.correlation(grant));
    }

    // The client need not know where the place is.
    private void tell(RelayOperation operation, long correlation) {
        operation.state = RelayOperation.OFFERED;
        int partner = (int) ClientEvents.partner(operation.grant);
        ClientEvents.grant(
                note,
                correlation,
                operation.reference,
                operation.operationId,
                ClientEvents.grantId(operation.grant),
                ClientEvents.grantBytes(operation.grant));
        writer.message(ClientEvents.grantPlace(note, 0, 0, 0, 0, partner, 0), NOTHING, 0, 0);
    }

    /**
     * Whether messages that waited for room in the lane can be sent; if not, the lane's socket will
     * become readable.
     *
     * @param isBlocked whether a frame waits
     */
    boolean canGoOn(boolean isBlocked) {
        return unsaidDones.isEmpty() ? isBlocked && mayTake(0, 0) : lane.hasRoom();
    }

    /** Whether the buffer toward the client has room for all events of one poll of the lane. */
    boolean hasEventRoom() {
        return writer.room() >= EVENT_ROOM;
    }

    // Not without room for events: the engine would answer what is taken here, and keep the answers
    // of a client that reads none.
    @Override
    public boolean mayTake(int kind, long reference) {
        return hasEventRoom() && unsaidDones.isEmpty() && lane.hasRoom();
    }

    @Override
    public void onMessage(Message message, MemorySegment memory, long offset, int length)
            throws FrameException {
        if (!ClientRequests.isWellFormed(message)) {
            throw new FrameException("it sent a message that no client sends");
        }
        switch (message.kind()) {
            case ClientRequests.SEND, ClientRequests.RECEIVE, ClientRequests.SEND_UNEXPECTED ->
                    post(message, memory, offset, length);
            case ClientRequests.DONE ->
                    throw new FrameException("it ended a transfer that is not its to end");
            case ClientRequests.CANCELLED ->
                    throw new FrameException("it cancelled what no link can have posted");
            case ClientRequests.SEND_SHORT, ClientRequests.SEND_LENT ->
                    throw new FrameException("it posted without a call, which no link does");
            default -> {
                if (length != 0) {
                    throw new FrameException("it sent bytes with a message that has none");
                }
                pass(message);
            }
        }
    }

    private void post(Message message, MemorySegment memory, long offset, int length)
            throws FrameException {
        if (ClientRequests.correlation(message) == 0) {
            throw new FrameException("it posted without a call, which no link does");
        }
        boolean receives = message.kind() == ClientRequests.RECEIVE;
        RelayOperation operation =
                operations.begin(
                        ClientRequests.reference(message), receives, ClientRequests.bytes(message));
        if (operation == null) {
            throw new FrameException("it posted too much, or one operation twice");
        }
        if (receives) { // the relay moves its bytes
            int tag = ClientRequests.tag(message);
            message.setWord(2, Message.pack(tag, ClientRequests.NO_DATA_ROOM));
        }
        int slot = receives ? ClientRequests.NOT_EAGER : ClientRequests.eagerSlot(message);
        if (slot < 0 ? length != 0 : !putEager(operation, message, memory, offset, length)) {
            throw new FrameException("it sent eager bytes that it may not send");
        }
        say(message);
    }

    private boolean putEager(
            RelayOperation operation,
            Message message,
            MemorySegment memory,
            long offset,
            int length) {
        int slot =
                length == ClientRequests.bytes(message) && length <= eagerLimit
                        ? lane.takeEagerSlot()
                        : ClientRequests.NOT_EAGER;
        if (slot < 0) {
            return false;
        }
        lane.putEager(slot, 0, memory, offset, length);
        operation.eagerSlot = slot;
        operation.eagerSequence = lane.announceEager(slot);
        message.setWord(2, Message.pack(ClientRequests.tag(message), slot));
        message.setWord(5, operation.eagerSequence);
        return true;
    }

    private void pass(Message message) throws FrameException {
        if (message.kind() == ClientRequests.WITHDRAW) {
            RelayOperation operation = find(ClientRequests.reference(message));
            if (operation == null) {
                return; // it crossed the outcome
            }
            if (operation.isMoving() || operation.eagerSlot >= 0) {
                throw new FrameException("it withdrew what is under way");
            }
            long withdrawn = ClientRequests.withdrawnOperation(message);
            if (!operation.isAnswered() || operation.operationId != withdrawn) {
                throw new FrameException("it withdrew an operation under another one's reference");
            }
            forget(operation);
        }
        say(message);
    }

    private void say(Message message) {
        if (lane.note(message, 0) != PeerChannel.OK) {
            Message kept = new Message();
            kept.copyFrom(message);
            unsaidDones.add(kept);
        }
    }

    /**
     * Sends messages for which the lane had no room: the ends of transfers, which bound their
     * number.
     */
    void sayDones() {
        while (!unsaidDones.isEmpty() && lane.note(unsaidDones.element(), 0) == PeerChannel.OK) {
            unsaidDones.remove();
        }
    }

    private void done(RelayOperation operation, int status) {
        Message grant = operation.grant;
        long bytes = status == 0 ? ClientEvents.grantBytes(grant) : 0;
        say(ClientRequests.done(note, ClientEvents.grantId(grant), bytes, status));
        transfers--;
        lastMoveNs = nowNs;
        operations.end(operation);
    }

    private void answer(int kind, RelayOperation operation, int status) {
        writer.note(kind, operation.reference, operation.claim, status);
    }

    @Override
    public void onNote(int kind, long reference, long claim, long value) throws FrameException {
        RelayOperation operation = find(reference);
        switch (kind) {
            case LinkFrame.CLAIM -> claim(operation, claim, value);
            case LinkFrame.END -> end(operation, claim, value);
            case LinkFrame.RECALL -> recall(operation);
            default -> throw new FrameException("it sent a frame that is the gateway's");
        }
    }

    // The present offer is claimed: perhaps a later one than the client saw, but of the same
    // message. Of another message the client has been told, and it claims or ignores that: the
    // operation may have expired when that message was posted.
    private void claim(@Nullable RelayOperation operation, long claim, long partner)
            throws FrameException {
        if (operation == null) {
            return; // it crossed the outcome
        }
        if (operation.isMoving()) {
            throw new FrameException("it claimed an offer twice");
        }
        operation.claim = claim;
        if (operation.isOfferOfAnother(partner)) {
            answer(LinkFrame.VOID, operation, 0);
            return;
        }
        if (operation.state != RelayOperation.OFFERED || !lane.claim(operation.grant)) {
            miss(operation);
            return;
        }
        offerNext(operation.grant);
        if (transfers++ == 0) {
            lastMoveNs = nowNs;
        }
        operation.moved = 0;
        operation.state = operation.receives ? RelayOperation.OUTBOUND : RelayOperation.INBOUND;
        if (operation.isTooLong()) {
            conclude(operation, TOO_LONG);
            return;
        }
        boolean isSound = operation.cursor.begin(operation.grant);
        if (!isSound || ClientEvents.grantBytes(operation.grant) == 0) {
            conclude(operation, isSound ? 0 : BAD_PLACE);
        } else if (operation.receives) {
            outgoing.add(operation);
        }
    }

    private void miss(RelayOperation operation) {
        if (operation.state == RelayOperation.OFFERED) {
            operation.state = RelayOperation.MISSED;
            missed.add(operation);
        }
        answer(LinkFrame.VOID, operation, 0);
    }

    // Claims cross offers. If the claim of an older offer was void and the engine offers it again,
    // the claims of younger offers come first. They are void as well. The engine waits for claims
    // of these, and would not offer them again before the client's wait ends.
    private void offerNext(Message claimed) {
        for (RelayOperation each : missed) {
            if (each.isNextAfter(claimed)) {
                missed.remove(each);
                tell(each, 0);
                return;
            }
        }
    }

    /** Tells both sides that a transfer is over; the client need not answer. */
    private void conclude(RelayOperation operation, int status) {
        int code = status == 0 ? operation.failure : status;
        answer(LinkFrame.MOVED, operation, code);
        done(operation, status);
    }

    private void end(@Nullable RelayOperation operation, long claim, long value)
            throws FrameException {
        if (operation == null || !operation.isMoving() || operation.claim != claim) {
            return; // it crossed the outcome
        }
        if (value != 0 && !LinkFrame.isCode(value)) {
            throw new FrameException("it ended a transfer with a code that there is not");
        }
        int status = (int) value;
        switch (operation.state) {
            case RelayOperation.AWAIT_END -> done(operation, status);
            case RelayOperation.OUTBOUND -> abort(operation, status);
            default -> {
                if (status == 0) {
                    throw new FrameException("it ended a transfer before its last byte");
                }
                conclude(operation, status);
            }
        }
    }

    // A piece that is half written must be finished first.
    private void abort(RelayOperation operation, int status) throws FrameException {
        if (status == 0) {
            throw new FrameException("it ended a transfer before its last byte");
        }
        if (isSending(operation) && writer.isStreaming()) {
            operation.aborted = status;
            return;
        }
        if (isSending(operation)) {
            sending = null;
        }
        outgoing.remove(operation);
        conclude(operation, status);
    }

    @SuppressWarnings("ReferenceEquality") // the very operation
    private boolean isSending(RelayOperation operation) {
        return sending == operation;
    }

    private void recall(@Nullable RelayOperation operation) {
        if (operation == null || operation.eagerSlot < 0 || !operation.isAnswered()) {
            return; // it crossed the outcome
        }
        if (!lane.withdrawEager(operation.eagerSlot, operation.eagerSequence)) {
            return; // the engine has the bytes, and will report that
        }
        say(ClientRequests.withdraw(note, operation.operationId, operation.reference));
        ClientEvents.failed(note, 0, operation.reference, ErrorCode.ECANCEL.negativeValue());
        writer.message(note, NOTHING, 0, 0);
        operations.end(operation);
    }

    @Override
    public @Nullable PayloadCursor onData(long reference, long claim, long position, int bytes)
            throws FrameException {
        RelayOperation operation = find(reference);
        receiving = null;
        if (operation == null
                || operation.state != RelayOperation.INBOUND
                || operation.claim != claim) {
            return DISCARD; // its claim came too late, or its transfer has failed
        }
        if (position != operation.moved
                || bytes > ClientEvents.grantBytes(operation.grant) - position) {
            throw new FrameException("it sent payload that does not belong there");
        }
        receiving = operation;
        return operation.cursor;
    }

    @Override
    public void onDataMoved(long bytes) {
        RelayOperation operation = receiving;
        if (operation != null) {
            operation.moved += bytes;
            lastMoveNs = nowNs;
        }
    }

    @Override
    public void onDataEnd(boolean isStored) {
        RelayOperation operation = receiving;
        receiving = null;
        if (operation == null) {
            return;
        }
        if (!isStored) {
            conclude(operation, BAD_PLACE);
        } else if (operation.moved == ClientEvents.grantBytes(operation.grant)) {
            conclude(operation, 0);
        }
    }

    @Override
    public void onGoodbye() {
        isOver = true;
    }

    /** Begins the next piece of payload for the client, if there is one and room for it. */
    void sendNextPiece() {
        if (writer.isStreaming() || writer.room() < ANSWER_ROOM) {
            return;
        }
        RelayOperation next = sending == null ? outgoing.poll() : sending;
        sending = next;
        if (next == null) {
            return;
        }
        long left = ClientEvents.grantBytes(next.grant) - next.moved;
        int piece = (int) Math.min(LinkFrame.MAX_DATA_BYTES, left);
        writer.data(next.reference, next.claim, next.moved, piece, next.cursor);
        next.moved += piece;
    }

    /** Called after bytes were written. */
    void written() {
        RelayOperation sent = sending;
        if (sent == null) {
            return;
        }
        lastMoveNs = nowNs;
        if (writer.isStreaming()) {
            return;
        }
        if (writer.hasPayloadFailed() || sent.aborted != 0) {
            sending = null;
            conclude(sent, sent.aborted == 0 ? BAD_PLACE : sent.aborted);
        } else if (sent.moved == ClientEvents.grantBytes(sent.grant)) {
            sending = null;
            sent.state = RelayOperation.AWAIT_END;
            answer(LinkFrame.MOVED, sent, sent.failure);
        }
    }
}
