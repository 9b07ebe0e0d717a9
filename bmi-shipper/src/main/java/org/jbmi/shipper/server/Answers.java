package org.jbmi.shipper.server;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.wire.Wire;
import org.jbmi.spi.Failures;
import org.jspecify.annotations.Nullable;

/** Answers calls, each of them once. State is guarded by the pump's lock. */
public final class Answers {
    private static final String ANSWERED = "The call was answered meanwhile.";
    private static final long NS_PER_MS = 1_000_000;

    private final ServerCore core;

    Answers(ServerCore core) {
        this.core = core;
    }

    void endIfOver(ServerCall call) {
        if (call.answered && call.handlerOver && call.held() == null && !call.hasTransfers()) {
            core.retire(call);
            if (call.isOver()) {
                core.memory().freeLeases(call); // not while a transfer may use them
                if (core.pump().isClosed()) {
                    core.memory().tick(); // no round does so any more
                }
            }
        }
    }

    /**
     * The server is closed, and no outcome of a transfer comes any more. The leases of the call end
     * now, or when its handler returns, or when its deferred answer comes.
     */
    void endTransfersOf(ServerCall call) {
        CallExtras own = call.extrasOrNull();
        if (own != null) {
            own.transfers.clear();
        }
        endIfOver(call);
    }

    /** A handler has returned; answers, if it has neither answered nor deferred the answer. */
    void handlerOver(ServerCall call) {
        if (!call.answered && !call.deferred) {
            fail(
                    call,
                    ErrorCode.ENODATA.negativeValue(),
                    "The handler returned without an answer.");
        } else if (!call.answered) {
            call.stage(ServerCall.Stage.DEFERRED);
        }
        endIfOver(call);
    }

    /**
     * Answers a call with an output. False if this output was not sent: it was answered before or
     * abandoned, or is answered with an error now.
     */
    public <O> boolean answer(ServerCall call, Codec<O> codec, O output) {
        return postOrFail(call, write(call, codec, output));
    }

    /**
     * Encodes an answer for {@link #post}, without the lock; null if it cannot be written, and then
     * the call was answered with an error.
     */
    public <O> @Nullable Outgoing write(ServerCall call, Codec<O> codec, O output) {
        Outgoing message = core.outgoing().take();
        try {
            beginReply(message, call, 0, 0);
            codec.encode(output, message.out());
            return message;
        } catch (RuntimeException | Error e) {
            core.outgoing().give(message);
            fail(
                    call,
                    Wire.codeOf(e, ErrorCode.EINVAL).negativeValue(),
                    "The output cannot be sent: " + Wire.words(e, Throwable::getMessage));
            return null;
        }
    }

    /** Sends an output, if there is one; true as for {@link #post}, false if that fails. */
    boolean postOrFail(ServerCall call, @Nullable Outgoing message) {
        try {
            return message != null && post(call, message);
        } catch (RuntimeException | OutOfMemoryError e) {
            failBy(call, e);
            return false;
        }
    }

    /** Answers with a handler's exception. */
    void failBy(ServerCall call, Throwable e) {
        ErrorCode code = e instanceof BmiException known ? known.code() : ErrorCode.EREMOTE;
        String why =
                e instanceof BmiException
                        ? Wire.words(e, Throwable::getMessage)
                        : "The handler failed: " + Wire.words(e, Throwable::toString);
        fail(call, code.negativeValue(), why);
    }

    /**
     * Sends an encoded answer, unless the call was answered before, or abandoned, or there is no
     * memory to keep the output; false then.
     */
    boolean post(ServerCall call, Outgoing message) {
        try (var _ = core.pump().held()) {
            if (isUseless(call)) {
                core.outgoing().give(message);
                return false;
            }
            if (message.out().size() <= call.session().inboxBytes()) {
                try {
                    answered(call);
                    call.record(0);
                } finally { // the client would wait
                    postReply(call, message);
                }
                return true;
            }
            return hold(call, message);
        }
    }

    private static void beginReply(Outgoing message, ServerCall call, int flags, int status) {
        Wire.begin(message.out(), Wire.REPLY, flags, call.session().id(), call.number());
        message.out().putInt(status);
    }

    /** The output is too large for the inbox: keeps it until the client fetches it. */
    private boolean hold(ServerCall call, Outgoing message) {
        int length = message.out().size() - Wire.REPLY_BYTES;
        boolean isKept = keep(call, message, length);
        core.outgoing().give(message);
        if (!isKept) {
            fail(
                    call,
                    ErrorCode.ENOMEM.negativeValue(),
                    "The server has no memory for so large an output.");
            return false;
        }
        call.answered = true;
        call.stage(ServerCall.Stage.OUTPUT);
        endTransfers(call, ErrorCode.ECANCEL.negativeValue(), ANSWERED);
        call.deadlineNs =
                Math.min(
                        call.deadlineNs,
                        core.pump().nowNs() + core.settings().transferIdleMs() * NS_PER_MS);
        Outgoing announcement = core.outgoing().take();
        beginReply(announcement, call, Wire.FLAG_OUTPUT_TO_FETCH, 0);
        announcement.out().putLong(length);
        call.session().postReply(announcement);
        return true;
    }

    /** Reserves memory for an output and copies the message there; false if there is none. */
    private boolean keep(ServerCall call, Outgoing message, int length) {
        if (!core.memory().hold(length)) {
            return false;
        }
        try {
            byte[] bytes = message.out().toByteArray();
            call.extras().held = new HeldOutput(bytes, Wire.REPLY_BYTES, length, call.deadlineNs);
            return true;
        } catch (OutOfMemoryError e) {
            core.memory().unhold(length);
            return false;
        }
    }

    /** The client passes a handle for a large output. */
    void fetch(ServerCall call, BulkHandle handle) {
        if (call.held() == null || call.stage() != ServerCall.Stage.OUTPUT) {
            call.session().fail(ErrorCode.EBADMSG.negativeValue(), "A client fetches nothing.");
            return;
        }
        if (call.extras().fetched) {
            call.session().fail(ErrorCode.EBADMSG.negativeValue(), "A client fetches twice.");
            return;
        }
        call.extras().fetched = true;
        core.memory().pushHeld(call, handle);
    }

    /** A large output was pushed, or failed. */
    void outputOver(ServerCall call, int code, String why) {
        HeldOutput held = call.held();
        if (held == null) {
            return;
        }
        core.memory().unhold(held.length());
        call.extras().held = null;
        call.session().freeSlot(call);
        call.deadlineNs = ServerCall.NEVER;
        reply(call, code, why);
        call.stage(ServerCall.Stage.ANSWERED);
    }

    /** Sends the outcome, and ends the call if it is over. */
    private void reply(ServerCall call, int found, String why) {
        int code = Wire.outcome(found);
        try {
            call.record(code);
            if (call.session().isOver()) {
                return;
            }
            Outgoing message = core.outgoing().take();
            beginReply(message, call, 0, code);
            if (code != 0) {
                message.out().putString(Wire.text(why));
                core.counters().failures.increment();
            }
            call.session().postReply(message);
        } catch (RuntimeException | Error e) { // no other answer comes, and the client would wait
            ErrorCode told = e instanceof OutOfMemoryError ? ErrorCode.ENOMEM : ErrorCode.EIO;
            call.session().fail(told.negativeValue(), "A reply could not be sent.");
            throw e;
        } finally {
            endIfOver(call);
        }
    }

    private void postReply(ServerCall call, Outgoing message) {
        try {
            call.session().postReply(message);
        } finally {
            endIfOver(call);
        }
    }

    private boolean isUseless(ServerCall call) {
        call.answeredByProgram = true;
        if (call.answered) {
            core.counters().uselessAnswers.increment();
            endIfOver(call);
        }
        return call.answered;
    }

    private void answered(ServerCall call) {
        call.answered = true;
        call.stage(ServerCall.Stage.ANSWERED);
        call.session().freeSlot(call);
        call.deadlineNs = ServerCall.NEVER;
        endTransfers(call, ErrorCode.ECANCEL.negativeValue(), ANSWERED);
    }

    /**
     * Ends the transfers of a call: the client may use its memory from here on. One that fails
     * skips none behind it; the caller gets the failure.
     */
    private static void endTransfers(ServerCall call, int code, String why) {
        CallExtras own = call.extrasOrNull();
        if (own == null) {
            return;
        }
        Throwable failure = null;
        for (int i = own.transfers.size() - 1; i >= 0; i--) { // no copy: the heap may be full
            if (i < own.transfers.size()) { // one that fails may take others along
                try {
                    own.transfers.get(i).fail(code, why);
                } catch (RuntimeException | Error e) {
                    failure = Failures.first(failure, e);
                }
            }
        }
        Failures.rethrow(failure);
    }

    /**
     * Answers a call with an error, a negative code; false if it was answered before, or abandoned.
     */
    public boolean fail(ServerCall call, int code, String why) {
        try (var _ = core.pump().held()) {
            if (isUseless(call)) {
                return false;
            }
            try {
                answered(call);
            } finally { // the client would wait
                reply(call, Wire.checkedCode(code), why);
            }
            return true;
        }
    }

    /** The client wants no answer any more: tells the handler and ends its transfers. */
    void abandon(ServerCall call, int code, String why) {
        if (call.abandoned() != 0 || (call.answered && call.held() == null)) {
            return;
        }
        call.abandon(code);
        core.counters().abandoned.increment();
        boolean holdsOutput = call.held() != null;
        try {
            endTransfers(call, code, why);
        } finally {
            endHandler(call);
            if (holdsOutput) {
                outputOver(call, code, why);
            } else {
                try {
                    answered(call);
                } finally {
                    reply(call, code, why);
                }
            }
        }
    }

    private void endHandler(ServerCall call) {
        Thread runner = call.runner;
        if (runner != null) {
            runner.interrupt();
        }
        if (call.stage() == ServerCall.Stage.WAITING) {
            call.handlerOver = core.withdraw(call);
        }
    }
}
