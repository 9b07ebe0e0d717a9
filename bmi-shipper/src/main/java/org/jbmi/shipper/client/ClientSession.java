package org.jbmi.shipper.client;

import org.jbmi.ErrorCode;
import org.jbmi.Options;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.MalformedException;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.pump.Timed;
import org.jbmi.shipper.wire.Header;
import org.jbmi.shipper.wire.Tags;
import org.jbmi.shipper.wire.Wire;
import org.jbmi.spi.Failures;
import org.jspecify.annotations.Nullable;

/**
 * The session of a client with one server, and its calls and transfers. All replies and requests of
 * the server come into one inbox: receives on one tag, each of which takes any of these messages.
 * Guarded by the pump's lock.
 */
public final class ClientSession extends Timed {
    private static final int SPARE_RECEIVES = 2;

    private enum State {
        CONNECTING,
        OPEN,
        DEAD
    }

    private final ClientCore core;
    private final PeerAddress server;
    private final boolean preferredForBulk;
    private final Hello hello;
    private final Decoder in = new Decoder();
    private final Header header = new Header();
    private final CallWriter writer;
    private final Inboxes inboxes = new Inboxes(this);
    private final Controls controls = new Controls(this);
    private final Outgoing.Sent controlSent = this::controlSent;
    private final WaitingCalls waiting = new WaitingCalls(this);
    private final ClientTransfers transfers = new ClientTransfers(this);
    private State state = State.CONNECTING;
    private @Nullable SessionEnd ending;
    private long id;
    private int lane;
    private CallSlots slots = new CallSlots(0);

    ClientSession(ClientCore core, PeerAddress server, boolean preferredForBulk) {
        this.core = core;
        this.server = server;
        this.preferredForBulk = preferredForBulk;
        this.hello = new Hello(this);
        this.writer = new CallWriter(core);
    }

    ClientCore core() {
        return core;
    }

    PeerAddress server() {
        return server;
    }

    boolean isOpen() {
        return state == State.OPEN;
    }

    boolean isDead() {
        return state == State.DEAD;
    }

    boolean isPreferredForBulk() {
        return preferredForBulk;
    }

    /** Why it ended; null while it has not. */
    @Nullable SessionEnd ending() {
        return ending;
    }

    int tag(int channel) {
        return Tags.session(core.settings().tagPrefix(), lane, channel);
    }

    // ------------------------------------------------------------------ hello and welcome

    void hello() {
        hello.send(preferredForBulk);
        deadlineNs(core.pump().nowNs() + core.settings().connectTimeoutMs() * 1_000_000);
        core.timed().add(place());
    }

    @Override
    protected void expired() {
        if (state != State.DEAD) {
            String why = "The server did not answer the hello in time.";
            fail(ErrorCode.ETIMEDOUT.negativeValue(), why);
            return;
        }
        core.timed().remove(place());
        try {
            cancelAll(ErrorCode.ECANCEL.negativeValue());
        } catch (OutOfMemoryError e) {
            // It is done again, and nobody who makes progress could help.
        }
    }

    void welcomed(Welcome welcome) {
        if (welcome.status() != 0) {
            end(
                    Wire.checkedCode(welcome.status()),
                    "The server opens no session: " + welcome.why());
            return;
        }
        id = welcome.session();
        lane = welcome.lane();
        slots = new CallSlots(Math.min(welcome.window(), core.settings().maxCalls()));
        writer.open(id, core.pump().bmi().getOption(server, Options.MAX_UNEXPECTED_BYTES));
        state = State.OPEN;
        core.timed().remove(place());
        finish();
        postInboxes();
        waiting.sendAll();
    }

    // ------------------------------------------------------------------ calls

    <I> void forward(PendingCall call, Target<I, ?> target, I input, int leftMs) {
        call.session = this;
        if (state == State.OPEN) {
            sendCall(call, target, input, leftMs);
        } else {
            waiting.add(call, target, input);
        }
    }

    <I> void sendCall(PendingCall call, Target<I, ?> target, I input, int leftMs) {
        if (slots.isFull()) {
            core.refuse(
                    call, "As many calls are under way to this server as it allows: wait for one.");
            return;
        }
        Outgoing message = core.outgoing().take();
        boolean mayReceive;
        boolean isHandedOver = false;
        try {
            slots.take(call);
            core.underWay(1);
            writer.write(message, call, target, input, leftMs);
            // Enough receives are posted; the next one is posted while the server works.
            mayReceive = inboxes.size() > slots.taken() + core.exposedReceives();
            if (!mayReceive) {
                postInboxes();
            }
            if (state == State.OPEN) {
                isHandedOver = true;
                send(message, call);
            }
        } catch (RuntimeException | Error e) {
            freeSlot(call);
            throw e;
        } finally {
            if (!isHandedOver) {
                core.outgoing().give(message);
            }
        }
        if (mayReceive) {
            postInboxes();
        }
        core.counters().calls.increment();
    }

    void callSent(PendingCall call, int code) {
        if (code == 0 || state == State.DEAD) {
            return;
        }
        if (ClientCore.isTransient(code)) {
            endCall(call, code, "The call could not be sent.");
        } else {
            end(code, "The server cannot be reached.");
        }
    }

    private void freeSlot(PendingCall call) {
        if (slots.free(call)) {
            core.underWay(-1);
            core.withdraw(call.takeExposure());
        }
    }

    /** The program wants no outcome of a call any more: tells the server. */
    void tellCancelled(PendingCall call) {
        if (state == State.OPEN && call.number != 0) {
            sendShort(Wire.CANCEL, call.number);
        } else if (call.number == 0) {
            waiting.remove(call);
        }
    }

    private void replied(long number) {
        PendingCall call = slots.find(number);
        if (call == null) {
            throw new MalformedException("A reply to a call that was not made came.");
        }
        writer.answered(call);
        int status = in.getInt();
        if (status == 0 && header.has(Wire.FLAG_OUTPUT_TO_FETCH)) {
            fetch(call, in.getLong());
            return;
        }
        if (call.isFinished()) {
            core.counters().lateReplies.increment();
        } else if (status != 0) {
            call.fail(Wire.outcome(Wire.checkedCode(status)), in.getString(), true);
        } else if (in.remaining() > core.settings().maxOutputBytes()) {
            refuse(call, in.remaining());
        } else {
            read(call);
        }
        freeSlot(call);
    }

    private void read(PendingCall call) {
        byte[] fetched = call.takeFetched();
        if (fetched != null) {
            in.reset(fetched, 0, fetched.length);
        }
        try {
            Object output = call.target().output().decode(in);
            in.end();
            call.succeed(output);
        } catch (RuntimeException | Error e) { // constructors of the program may throw anything
            boolean full = e instanceof OutOfMemoryError;
            call.fail(
                    (full ? ErrorCode.ENOMEM : ErrorCode.EBADMSG).negativeValue(),
                    "The output cannot be read: " + Wire.words(e, Throwable::getMessage),
                    false);
        }
    }

    private void fetch(PendingCall call, long size) {
        core.withdraw(call.takeExposure());
        byte[] room = call.isFinished() ? null : call.roomFor(size);
        if (room == null) {
            refuse(call, size);
            sendShort(Wire.CANCEL, call.number);
            return;
        }
        BulkHandle handle = call.expose(room, Permission.WRITE);
        Outgoing message = core.outgoing().take();
        Wire.begin(message.out(), Wire.FETCH, id, call.number);
        message.out().putHandle(handle);
        send(message);
    }

    private void refuse(PendingCall call, long size) {
        boolean tooLarge = size <= 0 || size > core.settings().maxOutputBytes();
        call.fail(
                (tooLarge ? ErrorCode.EMSGSIZE : ErrorCode.ENOMEM).negativeValue(),
                tooLarge
                        ? "The output has " + size + " bytes, over shipper.maxOutputBytes."
                        : "There is no memory for an output of " + size + " bytes.",
                false);
    }

    /** Ends calls whose deadline has passed. */
    void tick(long nowNs) {
        slots.tick(nowNs);
        waiting.tick(nowNs);
    }

    // ------------------------------------------------------------------ transfers

    void sendGrant(long number) {
        sendShort(Wire.GRANT, number);
    }

    void sendDone(long number, int status, int chunks, int flags) {
        Outgoing message = core.outgoing().take();
        Wire.begin(message.out(), Wire.DONE, flags, id, number);
        message.out().putInt(status);
        message.out().putInt(chunks);
        send(message);
    }

    /** Whether a transfer of this session uses an exposure. */
    boolean uses(Exposure exposure) {
        return transfers.use(exposure);
    }

    void forget(ClientTransfer transfer) {
        transfers.forget(transfer);
    }

    // ------------------------------------------------------------------ messages

    private void sendShort(int kind, long number) {
        Outgoing message = core.outgoing().take();
        Wire.begin(message.out(), kind, id, number);
        send(message);
    }

    private void controlSent(int code) {
        if (code != 0) {
            failed(code, "A message could not be sent.", "The server cannot be reached.");
        }
    }

    void send(Outgoing message) {
        controls.send(message, controlSent);
    }

    void send(Outgoing message, Outgoing.Sent listener) {
        int tag = Tags.request(core.settings().tagPrefix());
        message.listener(listener);
        core.pump().send(server, message.toPost(server, false), tag, true, message);
    }

    private void postInboxes() {
        int wanted = slots.taken() + SPARE_RECEIVES + core.exposedReceives();
        while (inboxes.size() < wanted && state == State.OPEN) {
            inboxes.post();
        }
    }

    void arrived(Inboxes.Inbox inbox, int code, long bytes) {
        if (state == State.DEAD) {
            return;
        }
        if (code != 0) {
            failed(code, "There is no receive for the server's messages.", "The server has gone.");
            return;
        }
        try {
            in.reset(inbox.bytes, 0, (int) bytes);
            handle();
        } catch (RuntimeException | Error e) {
            unhandled(e);
        }
        if (state == State.OPEN) {
            inboxes.keep(inbox);
        }
        postInboxes();
    }

    /** A message of the server made no sense, or could not be handled: others may wait for it. */
    void unhandled(Throwable e) {
        boolean full = e instanceof OutOfMemoryError;
        fail(
                (full ? ErrorCode.ENOMEM : ErrorCode.EBADMSG).negativeValue(),
                full
                        ? "There is no memory for what the server sent."
                        : "The server sent what makes no sense: " + e.getMessage());
    }

    private void handle() {
        header.read(in);
        if (header.session() != id) {
            core.counters().lateReplies.increment(); // of an earlier session on this lane
            return;
        }
        long number = header.number();
        switch (header.kind()) {
            case Wire.REPLY -> replied(number);
            case Wire.PULL -> transfers.asked(false, number, in);
            case Wire.PUSH -> transfers.asked(true, number, in);
            case Wire.PUSH_INLINE -> transfers.pushedInline(number, in);
            case Wire.ABORT -> transfers.aborted(number, in);
            case Wire.GOODBYE -> {
                int code = Wire.checkedCode(in.getInt());
                end(code, "The server has ended the session: " + in.getString());
            }
            default ->
                    throw new MalformedException(
                            "Messages of kind " + header.kind() + " do not come.");
        }
    }

    // ------------------------------------------------------------------ the end

    /** Closes a session on the server. */
    void bye(long session) {
        Outgoing message = core.outgoing().take();
        Wire.begin(message.out(), Wire.BYE, session, 0);
        send(message, controlSent); // the last one is not limited
    }

    /** A message did not go or come, for want of room here or because the server has gone. */
    private void failed(int code, String whyHere, String whyThere) {
        if (ClientCore.isTransient(code)) {
            fail(code, whyHere);
        } else {
            end(code, whyThere);
        }
    }

    /** Ends the session after a failure that the server does not know of, and tells it. */
    void fail(int code, String why) {
        try {
            if (state == State.OPEN) {
                bye(id);
            } else if (state == State.CONNECTING) {
                hello.giveUp();
            }
        } finally {
            end(code, why);
        }
    }

    /** An operation of a transfer failed: the memory here is unusable, or the server has gone. */
    void transferFailed(int code) {
        String why = "A transfer failed.";
        switch (ErrorCode.of(code)) {
            case EFAULT, EINVAL, ECANCEL -> fail(code, why);
            case null, default -> failed(code, why, why); // a goodbye might only try to connect
        }
    }

    /**
     * Ends the session and everything in it; the next call begins a new one. The heap may be full,
     * so it makes no lists, and a step that fails skips none behind it; the caller gets the
     * failure.
     */
    void end(int code, String why) {
        if (state == State.DEAD) {
            return;
        }
        state = State.DEAD;
        ending = SessionEnd.FULL_HEAP;
        try {
            ending = new SessionEnd(ClientCore.outcome(code), why);
        } finally {
            try {
                leave();
            } finally {
                try {
                    cancelAll(code);
                } finally {
                    endCalls(code, why);
                }
            }
        }
    }

    private void leave() {
        try {
            core.timed().remove(place());
            core.forget(this);
        } finally {
            if (!isFinished()) {
                finish();
            }
        }
    }

    /** Cancels what is posted; if a cancel fails, it does so again at the next tick. */
    private void cancelAll(int code) {
        deadlineNs(core.pump().roundNs() + 1); // not in this tick: it might never end
        core.timed().add(place());
        try {
            inboxes.cancelAll();
        } finally {
            try {
                hello.cancel();
            } finally {
                try {
                    controls.cancelRefused();
                } finally {
                    transfers.cancelAll(code);
                }
            }
        }
        core.timed().remove(place());
    }

    private void endCalls(int code, String why) {
        Throwable failure = waiting.endAll(code, why);
        for (int i = 0; i < slots.made(); i++) {
            PendingCall call = slots.callAt(i);
            try {
                if (call != null) {
                    endCall(call, code, why);
                }
            } catch (RuntimeException | Error e) {
                failure = Failures.first(failure, e);
            }
        }
        Failures.rethrow(failure);
    }

    private void endCall(PendingCall call, int code, String why) {
        try {
            call.fail(code, why, false);
        } finally {
            freeSlot(call);
        }
    }
}
