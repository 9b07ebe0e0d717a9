package org.jbmi.zbmi.engine.state;

import static org.jbmi.zbmi.protocol.ClientRequests.NOT_EAGER;

import org.jbmi.spi.SlotTable;
import org.jbmi.zbmi.engine.port.OperationVisitor;
import org.jbmi.zbmi.engine.port.WaitReason;
import org.jbmi.zbmi.protocol.Message;
import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * One operation of a client or of the server, from its registration to its end; a pooled record.
 *
 * <pre>
 *   FREE -> QUEUED  <-> GRANTED -> FREE
 *             ^  `--------------> FREE
 *             `----> HANDED OVER -> FREE
 * </pre>
 *
 * <p>QUEUED: it waits in its queue. GRANTED: it is matched, and its client has been offered to move
 * the bytes; an offer that is taken back makes it QUEUED again. While {@link #correlation} is not
 * 0, the engine still has to answer the call that posted it. Scheduled in the {@link DeadlineHeap}
 * while that reply is held back, and after that if it has a deadline of its own. HANDED OVER: see
 * {@code HandOvers}.
 */
public final class Operation extends SlotTable.Slot {
    /** The kind of an operation; an unexpected one is always a client's. */
    public enum Kind {
        SEND,
        RECEIVE,
        UNEXPECTED
    }

    /** The state of an operation. */
    public enum State {
        FREE,
        QUEUED,
        GRANTED,
        HANDED_OVER
    }

    public Kind kind = Kind.SEND;
    public State state = State.FREE;
    public boolean ofServer;
    public @Nullable ClientSession client;
    public @Nullable MatchQueue queue;
    public @Nullable Grant grant;

    public long correlation;
    public long reference;
    public int tag;
    public int messageClass;
    public long bytes;
    public long offset;
    public long listOffset;
    public int listEntries;
    public int eagerSlot = NOT_EAGER;
    public long eagerSequence;
    public @Nullable Message inline;

    /** Whether its send is over for its client, so that the engine says nothing about it. */
    public boolean isKept;

    /** Where the engine keeps its bytes, if it must; used again. */
    public @Nullable Message own;

    /** The eager slot with its bytes, lent by its client; null if they are elsewhere. */
    public @Nullable UnexpectedBlock place;

    public boolean deferred;

    /** For a send that is handed over: whether the server has cancelled it meanwhile. */
    public boolean isUnwanted;

    /** For a receive: how many bytes it takes without a grant; negative for none. */
    public int dataRoom;

    /** Whether it is a receive that its client knows by its own reference only. */
    public boolean isNoted;

    /** The order of arrival over all sessions. */
    public long arrival;

    public long sinceNs;

    /** Whether it has a deadline of its own, and when. */
    public boolean expires;

    public long expiresNs;

    /** The node of its owner's list, and its entry in the {@link DeadlineHeap}. */
    public static final class Registration extends Timed {
        public final Operation operation;

        private Registration(Operation operation) {
            this.operation = operation;
        }
    }

    public final Registration registration = new Registration(this);

    public Operation(int slot) {
        super(slot);
    }

    public long id() {
        return reference();
    }

    /** Keeps the bytes of a message whose send is over. */
    public void keep(Message message) {
        Message copy = own == null ? new Message() : own;
        own = copy;
        copy.copyFrom(message);
        inline = copy;
        isKept = true;
    }

    /** Keeps the bytes of a message whose send is over where its client has put them. */
    public void keep(UnexpectedBlock block) {
        place = block;
        isKept = true;
    }

    public ClientSession client() {
        return Objects.requireNonNull(client, "an operation that is not in use");
    }

    public MatchQueue queue() {
        return Objects.requireNonNull(queue, "an operation that is not to be matched");
    }

    public boolean isEager() {
        return eagerSlot >= 0;
    }

    /** Whether its bytes are here, so that its client need not move them. */
    public boolean isHere() {
        return isEager() || inline != null || place != null;
    }

    /** Whether the call that posted it waits for an answer. */
    public boolean isCallOpen() {
        return correlation != 0;
    }

    public void show(OperationVisitor visitor, long nowNs, boolean isServerAttached) {
        visitor.operation(
                id(),
                client().index,
                ofServer,
                kind != Kind.RECEIVE,
                kind == Kind.UNEXPECTED,
                tag,
                bytes,
                nowNs - sinceNs,
                waitReason(isServerAttached));
    }

    private WaitReason waitReason(boolean isServerAttached) {
        if (state == State.HANDED_OVER) {
            return WaitReason.MOVING;
        }
        if (state == State.GRANTED) {
            boolean isGone = client().state == ClientSession.State.EVICTED;
            return isGone ? WaitReason.CLIENT_GONE : WaitReason.MOVING;
        }
        if (!isServerAttached) {
            return WaitReason.NO_SERVER;
        }
        return kind == Kind.UNEXPECTED ? unexpectedReason() : expectedReason();
    }

    private WaitReason expectedReason() {
        if (!queue().isPaired(this)) {
            return kind == Kind.SEND ? WaitReason.NO_RECEIVE : WaitReason.NO_SEND;
        }
        WaitReason reason = clientReason();
        return reason == null ? WaitReason.BEHIND_OLDER : reason;
    }

    private WaitReason unexpectedReason() {
        UnexpectedStream stream = client().unexpected;
        if (stream.pending.first() != this) {
            return WaitReason.BEHIND_OLDER;
        }
        WaitReason reason = stream.waitsForMemory() ? WaitReason.NO_MEMORY : clientReason();
        return reason == null ? WaitReason.BEHIND_OLDER : reason;
    }

    private @Nullable WaitReason clientReason() {
        if (!client().hasFreeGrant()) {
            return WaitReason.NO_CREDIT;
        }
        return client().isInCall() ? null : WaitReason.CLIENT_NOT_IN_CALL;
    }
}
