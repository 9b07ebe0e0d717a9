package org.jbmi.shipper.server;

import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.pump.Posted;
import org.jbmi.shipper.pump.PostedSet;
import org.jbmi.shipper.wire.Tags;
import org.jbmi.shipper.wire.Wire;
import org.jbmi.spi.Failures;
import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.LinkedNode;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * A client as its server sees it. One receive on a tag that is never used stays posted: it fails
 * when the client ends. Guarded by the pump's lock.
 */
public final class ServerSession extends LinkedNode {
    private static final int MOST_QUEUED_TRANSFERS = 1024;

    private final ServerCore core;
    private final PeerAddress peer;
    private final long id;
    private final int lane;
    private final BulkHandle.Token owner;
    private final boolean preferredForBulk;
    private final int inboxBytes;
    private final int chunkBytes;
    private final Share share;
    private final boolean poolShared;
    private final @Nullable ServerCall[] slots;
    private final SessionFunctions functions = new SessionFunctions();
    private final @Nullable ServerTransfer[] channels =
            new ServerTransfer[Tags.MAX_TRANSFER_CHANNEL + 1];
    private final IntrusiveList<Queued> queued = new IntrusiveList<>();
    private final Watch watch = new Watch();

    /**
     * Calls that wait for their turn, and the number of running ones; used by {@link Admission}.
     * There is room for all: a queue that cannot grow loses what is in it.
     */
    final ArrayDeque<ServerCall> waiting;

    int running;
    boolean inLine;

    /** Messages that the client has not received. */
    private final PostedSet<Outgoing> unreceived = new PostedSet<>();

    private final Outgoing.Sent sent = this::sent;
    private final Outgoing.Sent replySent = this::replySent;

    private int busyChannels;

    /** Whether queued transfers are being begun: any of them may end at once. */
    private boolean refilling;

    private boolean dirty;
    private boolean over;

    /** The place of a transfer that waits for a channel. */
    static final class Queued extends LinkedNode {
        private final ServerTransfer transfer;

        Queued(ServerTransfer transfer) {
            this.transfer = transfer;
        }
    }

    ServerSession(
            ServerCore core,
            PeerAddress peer,
            long id,
            int lane,
            BulkHandle.Token owner,
            boolean preferredForBulk,
            int inboxBytes,
            int chunkBytes,
            Share share) {
        this.core = core;
        this.peer = peer;
        this.id = id;
        this.lane = lane;
        this.owner = owner;
        this.preferredForBulk = preferredForBulk;
        this.inboxBytes = inboxBytes;
        this.chunkBytes = chunkBytes;
        this.share = share;
        this.poolShared = peer.isPoolShared();
        this.slots = new ServerCall[core.settings().maxCallsPerClient()];
        this.waiting = new ArrayDeque<>(slots.length);
    }

    ServerCore core() {
        return core;
    }

    /** The client. */
    public PeerAddress peer() {
        return peer;
    }

    long id() {
        return id;
    }

    int lane() {
        return lane;
    }

    BulkHandle.Token owner() {
        return owner;
    }

    boolean isPreferredForBulk() {
        return preferredForBulk;
    }

    /** The share of its peer, over all its sessions. */
    Share share() {
        return share;
    }

    boolean isOver() {
        return over;
    }

    int chunkBytes() {
        return chunkBytes;
    }

    int inboxBytes() {
        return inboxBytes;
    }

    /** Up to this size a push goes in the request itself, which is no longer than a reply. */
    int inlineBytes() {
        int longest = Wire.REPLY_BYTES + core.settings().maxOutputBytes();
        return Math.min(inboxBytes, longest) - Wire.PUSH_INLINE_BYTES;
    }

    int tag(int channel) {
        return Tags.session(core.settings().tagPrefix(), lane, channel);
    }

    /** Whether nothing of a transfer can still come on a channel, as in a new session. */
    boolean isClean() {
        return busyChannels == 0 && !dirty;
    }

    /** A transfer ends with the session, and the client may still send or receive its chunks. */
    void markDirty() {
        dirty = true;
    }

    void start() {
        core.pump().receive(peer, MemorySegment.ofArray(new byte[1]), tag(Tags.WATCH), watch);
    }

    // ------------------------------------------------------------------ calls

    /** Takes a slot; false if there is no such number, or if it is taken. */
    boolean takeSlot(ServerCall call) {
        int slot = slotOf(call.number());
        if (slot >= slots.length || slots[slot] != null) {
            return false;
        }
        slots[slot] = call;
        return true;
    }

    /** The functions by its client's indexes. */
    SessionFunctions functions() {
        return functions;
    }

    boolean hasSlot(long number) {
        return slotOf(number) < slots.length;
    }

    @Nullable ServerCall call(long number) {
        int slot = slotOf(number);
        ServerCall call = slot < slots.length ? slots[slot] : null;
        return call != null && call.number() == number ? call : null;
    }

    void freeSlot(ServerCall call) {
        int slot = slotOf(call.number());
        if (slots[slot] == call) {
            slots[slot] = null;
        }
    }

    private static int slotOf(long number) {
        return (int) number & (1 << Wire.SLOT_BITS) - 1;
    }

    // ------------------------------------------------------------------ messages

    Outgoing begin(int kind, long number) {
        Outgoing message = core.outgoing().take();
        Wire.begin(message.out(), kind, id, number);
        return message;
    }

    void post(Outgoing message) {
        if (mayPost(message)) {
            message.listener(sent);
            send(message);
        }
    }

    void postReply(Outgoing message) {
        if (!mayPost(message)) {
            return;
        }
        message.listener(replySent);
        try {
            send(message);
        } catch (RuntimeException | Error e) { // the client would wait
            ErrorCode code = e instanceof OutOfMemoryError ? ErrorCode.ENOMEM : ErrorCode.EIO;
            fail(code.negativeValue(), "A reply could not be sent.");
            throw e;
        }
    }

    /**
     * Returns a message to its pool if the session is over, or if the client leaves too many: then
     * the session ends.
     */
    private boolean mayPost(Outgoing message) {
        boolean floods = unreceived.size() >= Tags.MOST_UNTAKEN + 2 * slots.length;
        if (over || floods) {
            core.outgoing().give(message);
        }
        if (floods) {
            fail(ErrorCode.EOVERFLOW.negativeValue(), "A client floods, and takes no messages.");
        }
        return !over;
    }

    /** If it fails, the message is not posted. */
    private void send(Outgoing message) {
        try {
            unreceived.makeRoom();
        } catch (RuntimeException | Error e) { // it is not posted, and no outcome comes
            message.listener(null);
            core.outgoing().give(message);
            throw e;
        }
        MemorySegment bytes = message.toPost(peer, poolShared);
        core.pump().send(peer, bytes, tag(Tags.INBOX), false, message);
        if (message.isPending()) {
            unreceived.add(message);
        }
    }

    private void replySent(int code) {
        if (code != 0) {
            fail(code, "A reply could not be sent.");
        }
    }

    private void sent(int code) {
        if (code != 0) {
            fail(code, "The client cannot be reached.");
        }
    }

    // ------------------------------------------------------------------ transfers

    /** Begins a transfer, or queues it for a channel; false if too many wait. */
    boolean offer(ServerTransfer transfer) {
        int channel = freeChannel();
        if (channel > 0) {
            begin(transfer, channel);
        } else if (queued.size() < MOST_QUEUED_TRANSFERS) {
            queued.addLast(transfer.queued);
        } else {
            return false;
        }
        return true;
    }

    private void begin(ServerTransfer transfer, int channel) {
        channels[channel] = transfer;
        busyChannels++;
        transfer.begin(core.nextTransfer(), channel);
    }

    private int freeChannel() {
        if (busyChannels == Tags.MAX_TRANSFER_CHANNEL) {
            return 0;
        }
        int channel = 1;
        while (channels[channel] != null) {
            channel++;
        }
        return channel;
    }

    void freeChannel(ServerTransfer transfer) {
        if (channels[transfer.channel] != transfer) {
            return;
        }
        channels[transfer.channel] = null;
        busyChannels--;
        if (!refilling) {
            refill();
        }
    }

    // A loop: transfers that fail as they begin would otherwise fill the stack.
    private void refill() {
        refilling = true;
        try {
            while (!over && !queued.isEmpty() && busyChannels < Tags.MAX_TRANSFER_CHANNEL) {
                ServerTransfer next = nextQueued();
                if (next != null) {
                    begin(next, freeChannel());
                }
            }
        } finally {
            refilling = false;
        }
    }

    private @Nullable ServerTransfer nextQueued() {
        Queued next = queued.poll();
        return next == null ? null : next.transfer;
    }

    /** Removes a transfer if it waits for a channel. */
    void unqueue(ServerTransfer transfer) {
        queued.remove(transfer.queued);
    }

    @Nullable ServerTransfer transfer(long number) {
        for (ServerTransfer transfer : channels) {
            if (transfer != null && transfer.id == number) {
                return transfer;
            }
        }
        return null;
    }

    // ------------------------------------------------------------------ the end

    /** Ends it and everything in it, because of a failure. */
    void fail(int code, String why) {
        if (!over) {
            core.counters().brokenSessions.increment();
            try {
                sayGoodbye(code, why);
            } finally {
                end(code, why);
            }
        }
    }

    /** Tells the client, which may be alive. */
    void sayGoodbye(int code, String why) {
        Outgoing message = begin(Wire.GOODBYE, 0);
        message.out().putInt(code);
        message.out().putString(Wire.text(why));
        core.sessionManager().sayGoodbye(this, message);
    }

    /**
     * Ends it and everything in it. The heap may be full, so it makes no lists, and a step that
     * fails skips none behind it; the caller gets the failure.
     */
    void end(int code, String why) {
        if (over) {
            return;
        }
        over = true;
        try {
            cancelMessages();
        } finally {
            try {
                endCalls(code, why);
            } finally {
                try {
                    endTransfers(code, why);
                } finally {
                    core.sessionManager().forget(this);
                }
            }
        }
    }

    private void cancelMessages() {
        try {
            core.pump().cancel(watch);
        } finally {
            unreceived.cancelAll(core.pump()); // no receive will match them
        }
    }

    private void endCalls(int code, String why) {
        Throwable failure = null;
        for (ServerCall call : slots) {
            if (call != null) {
                try {
                    core.answers().abandon(call, code, why);
                } catch (RuntimeException | Error e) {
                    failure = Failures.first(failure, e);
                }
            }
        }
        Failures.rethrow(failure);
    }

    private void endTransfers(int code, String why) {
        Throwable failure = null;
        ServerTransfer next = nextQueued();
        while (next != null) {
            failure = endTransfer(next, code, why, failure);
            next = nextQueued();
        }
        for (ServerTransfer transfer : channels) {
            if (transfer != null) {
                failure = endTransfer(transfer, code, why, failure);
            }
        }
        Failures.rethrow(failure);
    }

    /** Returns the first failure. */
    private static @Nullable Throwable endTransfer(
            ServerTransfer transfer, int code, String why, @Nullable Throwable before) {
        try {
            transfer.sessionOver(code, why);
            return before;
        } catch (RuntimeException | Error e) {
            return Failures.first(before, e);
        }
    }

    /** Ends when the client does. */
    private final class Watch extends Posted {
        @Override
        protected void done(int code, long bytes) {
            if (!over) {
                fail(
                        code == 0 ? ErrorCode.EBADMSG.negativeValue() : code,
                        code == 0
                                ? "A client sent on a tag that is not for it."
                                : "The client has gone.");
            }
        }
    }
}
