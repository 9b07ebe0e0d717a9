package org.jbmi.shipper.server;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.MalformedException;
import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.pump.Work;
import org.jbmi.shipper.wire.Header;
import org.jbmi.shipper.wire.Tags;
import org.jbmi.shipper.wire.Wire;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Receives the messages of clients: each is copied, decoded and executed. The pump's lock guards
 * all fields but the received messages. Only the driving thread uses these. It frees them at the
 * latest before it takes more.
 */
final class MessageReceiver {
    private static final System.Logger LOG = System.getLogger(MessageReceiver.class.getName());
    private static final int BATCH = 32;

    private final ServerCore core;
    private final SessionManager sessionManager;
    private final Bmi bmi;
    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(BATCH);
    private final Decoder in = new Decoder();
    private final Header header = new Header();
    private byte[] copy = new byte[1024];
    private volatile @Nullable UnexpectedListener listener;

    /** How many messages were taken, and how many of them executed. */
    private int arrived;

    private int taken;

    MessageReceiver(ServerCore core, SessionManager sessionManager) {
        this.core = core;
        this.sessionManager = sessionManager;
        this.bmi = core.pump().bmi();
    }

    void open() {
        int tag = Tags.request(core.settings().tagPrefix());
        listener = bmi.openListener(UnexpectedFilter.ofTags(tag, tag));
    }

    void close() {
        UnexpectedListener open = listener;
        listener = null; // so that a thread that polls just now knows why it cannot
        if (open != null && !bmi.isClosed()) {
            open.close();
        }
    }

    /** Takes messages from the instance, without the lock; makes progress if there are none. */
    int peek() {
        UnexpectedListener open = listener;
        if (open == null) {
            return Work.NOT_LOOKED;
        }
        release();
        if (taken < arrived) {
            return arrived - taken; // an error came between
        }
        try {
            arrived = open.test(messages, 0);
        } catch (BmiException e) {
            if (listener != null || bmi.isClosed()) {
                throw e; // otherwise it was closed just now
            }
        }
        return arrived;
    }

    /** Executes the messages; returns whether there may be more. */
    boolean look() {
        while (taken < arrived) {
            int i = taken++;
            try {
                actOn(i);
            } catch (BmiException e) {
                LOG.log(System.Logger.Level.DEBUG, "The sender of a message has gone.", e);
            }
        }
        return arrived == BATCH;
    }

    private void actOn(int i) {
        PeerAddress peer = messages.peer(i);
        try {
            int size = (int) messages.sizeBytes(i);
            copyOf(i, Math.min(size, copy.length));
            if (messages.outcome(i).isSuccess()) {
                take(peer, i, size);
            }
        } finally {
            if (core.settings().countsReferences()) {
                peer.release();
            }
        }
    }

    /** Whether there are messages to be freed. */
    boolean isHolding() {
        return taken > 0;
    }

    /** Frees executed messages, if all were executed; by the driving thread. */
    void release() {
        if (taken < arrived) {
            return;
        }
        while (taken > 0) {
            messages.free(--taken);
        }
        arrived = 0;
    }

    private void copyOf(int i, int size) {
        MemorySegment.copy(
                messages.memory(i), ValueLayout.JAVA_BYTE, messages.offset(i), copy, 0, size);
        in.reset(copy, 0, size);
    }

    /** The beginning of the message is copied, with its header; of most messages that is all. */
    private void take(PeerAddress peer, int i, int size) {
        try {
            header.read(in);
            if (header.kind() == Wire.HELLO) {
                sessionManager.greet(peer, in, header.has(Wire.FLAG_BULK));
                return;
            }
            ServerSession session = sessionManager.session(header.session());
            if (session == null) {
                sessionManager.sendAway(peer, header.session());
            } else if (session.peer().id() == peer.id()) { // and not another peer's session
                take(session, i, size);
            }
        } catch (MalformedException e) {
            core.counters().malformed.increment();
        }
    }

    /**
     * Acts on a message of a session. If that fails, for whatever reason, the session ends: else
     * the client would wait for ever.
     */
    private void take(ServerSession session, int i, int size) {
        try {
            if (copy.length < size) {
                copy = new byte[size];
                copyOf(i, size);
                header.read(in);
            }
            act(session, header.kind(), header.number());
        } catch (BmiException e) { // it is malformed, or its sender has gone
            throw e;
        } catch (RuntimeException | Error e) {
            ErrorCode code = e instanceof OutOfMemoryError ? ErrorCode.ENOMEM : ErrorCode.EIO;
            try {
                session.fail(code.negativeValue(), "The server could not handle a message.");
            } finally {
                LOG.log(
                        System.Logger.Level.ERROR,
                        "A message of a client could not be handled.",
                        e);
            }
        }
    }

    private void act(ServerSession session, int kind, long number) {
        switch (kind) {
            case Wire.CALL -> called(session, number);
            case Wire.NAMED_CALL -> named(session, number);
            case Wire.CANCEL -> {
                ServerCall call = session.call(number);
                if (call != null) {
                    core.answers()
                            .abandon(
                                    call,
                                    ErrorCode.ECANCEL.negativeValue(),
                                    "The client cancelled it.");
                }
            }
            case Wire.FETCH -> {
                BulkHandle handle = in.getHandle();
                ServerCall call = session.call(number);
                if (call != null) {
                    core.answers().fetch(call, handle);
                }
            }
            case Wire.GRANT -> {
                ServerTransfer transfer = session.transfer(number);
                if (transfer != null) {
                    transfer.granted();
                }
            }
            case Wire.DONE -> {
                int status = in.getInt();
                int count = in.getInt();
                ServerTransfer transfer = session.transfer(number);
                if (transfer != null) {
                    transfer.done(status, count, header.has(Wire.FLAG_UNKNOWN));
                }
            }
            case Wire.BYE -> session.end(ErrorCode.EPIPE.negativeValue(), "The client closed.");
            default -> throw new MalformedException("Messages of kind " + kind + " do not come.");
        }
    }

    // ------------------------------------------------------------------ calls

    /** A call that names its function, and may give the index that the client uses for it. */
    private void named(ServerSession session, long number) {
        long functionNumber = in.getLong();
        long fingerprint = in.getLong();
        int index = header.functionIndex();
        if (index == 0 || session.functions().give(index, functionNumber, fingerprint)) {
            called(session, number, functionNumber, fingerprint);
        } else {
            session.fail(
                    ErrorCode.EBADMSG.negativeValue(), "A client gives an index to two functions.");
        }
    }

    /** A call of a function by its index. */
    private void called(ServerSession session, long number) {
        int index = header.functionIndex();
        SessionFunctions known = session.functions();
        if (known.isGiven(index)) {
            called(session, number, known.function(index), known.fingerprint(index));
        } else {
            session.fail(
                    ErrorCode.EBADMSG.negativeValue(), "A client calls what it has not named.");
        }
    }

    private void called(ServerSession session, long number, long functionNumber, long fingerprint) {
        if (core.isClosed()) {
            return; // the goodbye ends this call as well
        }
        int deadlineMs = in.getInt();
        if (deadlineMs < 0) {
            throw new MalformedException("A deadline is 0 ms or more.");
        }
        core.counters().calls.increment();
        Served function = core.functions().find(functionNumber);
        if (function == null) {
            refuse(session, number, ErrorCode.ENOSYS, "The server has no function of this name.");
        } else if (function.fingerprint() != fingerprint) {
            refuse(
                    session,
                    number,
                    ErrorCode.EPROTOTYPE,
                    "The server's signature differs: " + function.signature());
        } else if (!session.hasSlot(number)
                || !(function.isImmediate() || core.admission().mayWait(session))) {
            core.counters().refusals.increment();
            refuse(session, number, ErrorCode.ETRYAGAIN, "Too many calls are under way.");
        } else {
            admit(new ServerCall(session, number, function), deadlineMs);
        }
    }

    private void admit(ServerCall call, int deadlineMs) {
        ServerSession session = call.session();
        BulkHandle handle = header.has(Wire.FLAG_INPUT_BY_BULK) ? in.getHandle() : null;
        long bytes = handle == null ? in.remaining() : handle.sizeBytes();
        if (bytes > core.settings().maxInputBytes()) {
            String why = "The input has more bytes than the server takes.";
            refuse(session, call.number(), ErrorCode.EMSGSIZE, why);
            return;
        }
        if (handle != null) {
            call.extras().inputHandle = handle;
        } else {
            try {
                call.input(readInput(call.function(), in));
            } catch (BmiException e) {
                if (e instanceof MalformedException) {
                    core.counters().malformed.increment();
                }
                refuse(session, call.number(), e.code(), String.valueOf(e.getMessage()));
                return;
            }
        }
        if (!session.takeSlot(call)) {
            session.fail(ErrorCode.EBADMSG.negativeValue(), "A client uses a call's number twice.");
            return;
        }
        if (deadlineMs > 0) {
            call.deadlineNs = core.pump().roundNs() + deadlineMs * 1_000_000L;
        }
        core.admit(call);
    }

    /** Decodes an input; an exception of its constructors ends this call only. */
    static Object readInput(Served function, Decoder from) {
        try {
            Object input = function.read(from);
            from.end();
            return input;
        } catch (MalformedException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new MalformedException(
                    "The input is refused: " + Wire.words(e, Throwable::getMessage), e);
        } catch (OutOfMemoryError e) {
            throw new BmiException(ErrorCode.ENOMEM, "The server has no memory for the input.");
        } catch (Error e) {
            throw new MalformedException(
                    "The input is refused: " + Wire.words(e, Throwable::toString), e);
        }
    }

    private void refuse(ServerSession session, long number, ErrorCode code, String why) {
        core.counters().failures.increment();
        Outgoing message = session.begin(Wire.REPLY, number);
        message.out().putInt(code.negativeValue());
        message.out().putString(Wire.text(why));
        session.postReply(message);
    }
}
