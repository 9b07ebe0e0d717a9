package org.jbmi.shipper.server;

import org.jbmi.ErrorCode;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Encoder;
import org.jbmi.shipper.pump.Chunk;
import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.pump.Posted;
import org.jbmi.shipper.pump.PostedSet;
import org.jbmi.shipper.pump.SegmentList;
import org.jbmi.shipper.pump.Timed;
import org.jbmi.shipper.watch.BulkTransferEvent;
import org.jbmi.shipper.watch.ShipperEvents;
import org.jbmi.shipper.wire.Wire;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * One transfer between a server's memory and a client's exposed memory, in chunks of one message
 * each, on a channel of its own. It is finished when no chunk of it touches the server's memory any
 * more. Guarded by the pump's lock.
 *
 * <p>The server uses the channel again only when the client has said how much it has sent or
 * received. Before, it must also have taken everything else from the wire. So no chunk ever meets
 * the receive of another transfer.
 */
public final class ServerTransfer extends Timed {
    private static final int UNSETTLED = -1;
    private static final int EFAULT = ErrorCode.EFAULT.negativeValue();
    private static final int ENOMEM = ErrorCode.ENOMEM.negativeValue();

    private final ServerSession session;
    private final ServerCall call;
    private final boolean push;
    private final BulkHandle handle;
    private final long remoteOffset;
    private SegmentList local;
    private final long localOffset;
    private final long length;
    private final int chunkBytes;
    private final int chunks;
    private final @Nullable Runnable listener;
    private final PostedSet<Part> posted = new PostedSet<>();
    final ServerSession.Queued queued = new ServerSession.Queued(this);
    long id;
    int channel;
    private int nextChunk;
    private int moved;
    private int failure;
    private @Nullable String why;
    private @Nullable BulkTransferEvent event;
    private boolean begun;
    private boolean granted;
    private boolean abortSent;

    /** Whether the client has confirmed the end. */
    private boolean over;

    /** For a failed pull: how many chunks the client has sent, once it has told. */
    private int sentByClient = UNSETTLED;

    /** While it receives a chunk that is not needed any more. */
    private @Nullable Sink sink;

    /** A chunk was refused, and its outcome comes later: no other one may overtake it. */
    private boolean hasRefused;

    ServerTransfer(
            ServerSession session,
            ServerCall call,
            boolean push,
            BulkHandle handle,
            long remoteOffset,
            SegmentList local,
            long localOffset,
            long length,
            @Nullable Runnable listener) {
        this.session = session;
        this.call = call;
        this.push = push;
        this.handle = handle;
        this.remoteOffset = remoteOffset;
        this.local = local;
        this.localOffset = localOffset;
        this.length = length;
        this.listener = listener;
        this.chunkBytes = session.chunkBytes();
        this.chunks = (int) ((length + chunkBytes - 1) / chunkBytes);
    }

    /** Its session. */
    public ServerSession session() {
        return session;
    }

    /** How it ended, 0 or a negative code. Known once it is finished. */
    public int code() {
        return failure;
    }

    /** Why it failed. Known once it is finished. */
    public String text() {
        return why == null ? ErrorCode.statusString(failure) : why;
    }

    /** Begins on a channel; if there is no memory for that, it ends, and no other one does. */
    void begin(long number, int onChannel) {
        id = number;
        channel = onChannel;
        begun = true;
        over = true; // nobody has asked the client to send or to receive
        sentByClient = 0;
        try {
            ask();
        } catch (RuntimeException | Error e) {
            fail(
                    e instanceof OutOfMemoryError ? ENOMEM : ErrorCode.EIO.negativeValue(),
                    "The transfer could not begin.");
        }
    }

    private void ask() {
        event = session.core().events().beginTransfer();
        progress();
        session.core().timed().add(place());
        if (isInline()) {
            pushInline();
            return;
        }
        if (!push) {
            postMore();
        }
        if (failure == 0) {
            Outgoing message = session.begin(push ? Wire.PUSH : Wire.PULL, id);
            Encoder out = message.out();
            out.putLong(handle.number());
            out.putToken(handle.key());
            out.putLong(remoteOffset);
            out.putLong(length);
            out.putInt(chunkBytes);
            out.putInt(channel);
            post(message);
        }
    }

    private void post(Outgoing message) {
        session.post(message);
        over = false;
        sentByClient = UNSETTLED;
    }

    private boolean isInline() {
        return push && length <= session.inlineBytes();
    }

    private void pushInline() {
        byte[] bytes = new byte[(int) length];
        try {
            local.copyTo(localOffset, MemorySegment.ofArray(bytes), length);
        } catch (RuntimeException e) {
            fail(EFAULT, "The memory to be pushed cannot be read.");
            return;
        }
        Outgoing message = session.begin(Wire.PUSH_INLINE, id);
        Encoder out = message.out();
        out.putLong(handle.number());
        out.putToken(handle.key());
        out.putLong(remoteOffset);
        out.putBytes(bytes);
        nextChunk = chunks;
        moved = chunks;
        post(message);
    }

    private void progress() {
        deadlineNs(
                session.core().pump().nowNs()
                        + session.core().settings().transferIdleMs() * 1_000_000);
    }

    private void postMore() {
        while (!hasRefused
                && failure == 0
                && nextChunk < chunks
                && posted.size() < session.core().settings().chunksInFlight()) {
            int index = nextChunk++;
            int size = (int) Math.min(chunkBytes, length - (long) index * chunkBytes);
            try {
                Part chunk = new Part(localOffset + (long) index * chunkBytes, size);
                post(chunk);
                hasRefused = chunk.isRefused();
            } catch (RuntimeException e) {
                memoryFailed(EFAULT);
            } catch (OutOfMemoryError e) {
                memoryFailed(ENOMEM);
            }
        }
    }

    /** There is no memory for a message, or else the program has freed its own meanwhile. */
    private void memoryFailed(int code) {
        if (code == ENOMEM) {
            fail(ENOMEM, "There is no memory to post a message.");
        } else {
            fail(EFAULT, "The server's memory cannot be used.");
        }
    }

    /** The client has posted the receives of a push. */
    void granted() {
        if (push && !granted && !abortSent) {
            granted = true;
            progress();
            postMore();
        }
    }

    /** The client confirms the end, perhaps also the abort that it gets after that. */
    void done(int status, int count, boolean unknown) {
        if (over) {
            return;
        }
        if (push) {
            if (status == 0 && nextChunk < chunks && failure == 0) {
                session.fail(ErrorCode.EBADMSG.negativeValue(), "A client ended a push too early.");
                return;
            }
            over = true;
            if (status != 0) {
                refusedByClient(status);
            } else if (isInline()) {
                session.core().countMoved(true, length);
            }
        } else {
            int sent = unknown ? chunks : count;
            if (sent < 0 || sent > chunks || sent < moved) {
                session.fail(ErrorCode.EBADMSG.negativeValue(), "A client miscounts its chunks.");
                return;
            }
            sentByClient = sent;
            over = true;
            refusedByClient(status == 0 ? ErrorCode.ECANCEL.negativeValue() : status);
        }
        settle();
    }

    private void refusedByClient(int status) {
        if (failure == 0) {
            failure = Wire.checkedCode(status);
            why = "The client refused the transfer: " + words(failure) + ".";
            session.core().counters().bulkRefusals.increment();
        }
    }

    private static String words(int code) {
        return switch (ErrorCode.ofOutcome(code)) {
            case ENOENT -> "the memory is not exposed (any more)";
            case EACCES -> "the key is wrong";
            case EPERM -> "the handle has no permission for it";
            case EFAULT -> "the range lies outside of the memory, or the memory is freed";
            default -> ErrorCode.statusString(code);
        };
    }

    /** Ends it early; does nothing if it is over. */
    void fail(int code, String reason) {
        if (isFinished() || failure != 0) {
            return;
        }
        failure = code;
        why = reason;
        if (!begun) {
            session.unqueue(this);
            end();
            return;
        }
        progress();
        settle();
    }

    @Override
    protected void expired() {
        if (session.isOver()) {
            progress();
            settle(); // a cancel has failed
        } else if (failure == 0) {
            fail(ErrorCode.ETIMEDOUT.negativeValue(), "The transfer stood still.");
        } else {
            session.fail(ErrorCode.ETIMEDOUT.negativeValue(), "A client does not end a transfer.");
        }
    }

    /** Checks its state after a change. */
    private void settle() {
        if (session.isOver()) {
            posted.cancelAll(session.core().pump());
            Sink pending = sink;
            if (pending != null) {
                session.core().pump().cancel(pending);
            } else if (posted.isEmpty()) {
                if (!isSettled()) {
                    session.markDirty();
                }
                leave();
            }
            return;
        }
        if (failure == 0) {
            boolean complete = moved == chunks && posted.isEmpty() && (over || !push);
            if (complete) {
                leave();
            }
            return;
        }
        posted.cancelAll(session.core().pump());
        if (!posted.isEmpty()) {
            return;
        }
        try {
            end(); // the memory is free; the channel may not be
        } finally {
            settleChannel();
        }
    }

    private void settleChannel() {
        if (!over) {
            sendAbort();
        } else if (!push && moved < sentByClient) {
            if (sink == null) {
                Sink next = new Sink();
                next.post();
                sink = next; // not before: it may find no memory
            }
        } else {
            leave();
        }
    }

    /** Whether none of its chunks is on its way, or can still be sent. */
    private boolean isSettled() {
        if (!begun || isInline()) {
            return true;
        }
        return push ? over : moved == chunks || (over && moved >= sentByClient);
    }

    private void sendAbort() {
        if (!abortSent) {
            abortSent = true;
            progress();
            Outgoing message = session.begin(Wire.ABORT, id);
            message.out().putInt(moved);
            session.post(message);
        }
    }

    /** The session has ended, with all its channels. */
    void sessionOver(int code, String reason) {
        if (failure == 0 && !isFinished()) {
            failure = code;
            why = reason;
        }
        progress();
        settle();
    }

    private void leave() {
        session.core().timed().remove(place());
        try {
            session.freeChannel(this);
        } finally {
            end();
        }
    }

    private void end() {
        if (isFinished()) {
            return;
        }
        finish();
        local = session.core().memory().nothing; // it is not kept for a channel that stays in use
        call.extras().transfers.remove(this);
        try {
            record();
        } finally {
            endForCall();
        }
    }

    /** Each step is taken even if one before it finds no memory. */
    private void endForCall() {
        try {
            session.core().memory().transferOver(call);
        } finally {
            try {
                if (listener != null) {
                    listener.run();
                }
            } finally {
                session.core().answers().endIfOver(call);
            }
        }
    }

    /** Whether it may read or write bytes of this memory. */
    boolean touches(MemorySegment memory) {
        return local.overlaps(memory);
    }

    private void record() {
        BulkTransferEvent begunEvent = event;
        event = null;
        if (begunEvent != null) {
            begunEvent.end();
            begunEvent.client = session.peer().displayName();
            begunEvent.push = push;
            begunEvent.sizeBytes = length;
            begunEvent.error = ShipperEvents.words(failure);
            begunEvent.commit();
        }
    }

    private void chunkOver(Part chunk, int code, long bytes) {
        if (code == 0 && !push && bytes != chunk.lengthBytes()) {
            session.fail(
                    ErrorCode.EBADMSG.negativeValue(), "A client sent a chunk of a wrong size.");
        } else if (code == 0) {
            progress();
            moved++;
            session.core().countMoved(push, chunk.lengthBytes());
            if (!chunk.arrived()) {
                memoryFailed(EFAULT);
            }
        } else if (failure == 0 && chunk.isRefused()) {
            memoryFailed(code);
        } else if (failure == 0) {
            session.fail(code, "A transfer with the client failed.");
        }
        if (failure == 0) {
            postMore();
        }
        settle();
    }

    private void post(Part chunk) {
        MemorySegment[] parts = chunk.parts();
        posted.add(chunk); // its outcome comes from here on
        if (push) {
            session.core().pump().send(session.peer(), parts, session.tag(channel), chunk);
        } else {
            session.core().pump().receive(session.peer(), parts, session.tag(channel), chunk);
        }
    }

    /** One message of it. */
    private final class Part extends Chunk {
        Part(long from, int sizeBytes) {
            super(local, from, sizeBytes, push);
        }

        @Override
        protected void done(int code, long bytes) {
            chunkOver(this, code, bytes);
        }
    }

    /** Receives a chunk that is not needed any more. */
    private final class Sink extends Posted {
        void post() {
            MemorySegment room = session.core().memory().sink().asSlice(0, chunkBytes);
            session.core().pump().receive(session.peer(), room, session.tag(channel), this);
        }

        @Override
        protected void done(int code, long bytes) {
            sink = null;
            if (code == 0) {
                moved++;
                progress();
            } else {
                session.fail(code, "What a client had sent could not be taken.");
            }
            settle();
        }
    }
}
