package org.jbmi.shipper.server;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.Options;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.MalformedException;
import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.wire.Tags;
import org.jbmi.shipper.wire.Wire;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Where what clients send arrives: each message is copied, freed, read, and acted upon. Guarded by
 * the pump's lock.
 */
final class Desk {
    private static final int BATCH = 32;
    private static final int MOST_SENT_AWAY = 64;

    private final ServerCore core;
    private final Bmi bmi;
    private final SecureRandom random = new SecureRandom();
    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(BATCH);
    private final Decoder in = new Decoder();
    private final Map<Long, ServerSession> sessions = new HashMap<>();
    private final Map<Long, Lanes> lanes = new HashMap<>();
    private final Map<BulkHandle.Token, List<ServerSession>> owners = new HashMap<>();
    private byte[] copy = new byte[1024];
    private @Nullable UnexpectedListener listener;
    private final Set<Unknown> sendingAway = new HashSet<>();

    /** A session that a peer believes in and that is not known here. */
    private record Unknown(long peer, long session) {}

    /** The lanes of a peer: those of sessions, and those that were left with something on them. */
    private static final class Lanes {
        private final BitSet taken = new BitSet();
        private int sessions;
    }

    Desk(ServerCore core) {
        this.core = core;
        this.bmi = core.pump().bmi();
    }

    void open() {
        int tag = Tags.request(core.settings().tagPrefix());
        listener = bmi.openListener(UnexpectedFilter.ofTags(tag, tag));
    }

    void close() {
        UnexpectedListener open = listener;
        if (open != null && !bmi.isClosed()) {
            open.close();
        }
        listener = null;
    }

    int look() {
        UnexpectedListener open = listener;
        if (open == null) {
            return 0;
        }
        int count = open.test(messages, 0);
        for (int i = 0; i < count; i++) {
            PeerAddress peer = messages.peer(i);
            int size = copyOf(i);
            boolean good = messages.outcome(i).isSuccess();
            messages.free(i);
            if (good) {
                take(peer, size);
            }
            if (core.settings().countsReferences()) {
                peer.release();
            }
        }
        return count;
    }

    private int copyOf(int i) {
        int size = (int) messages.sizeBytes(i);
        if (copy.length < size) {
            copy = new byte[size];
        }
        MemorySegment.copy(
                messages.memory(i), ValueLayout.JAVA_BYTE, messages.offset(i), copy, 0, size);
        return size;
    }

    private void take(PeerAddress peer, int size) {
        in.reset(copy, 0, size);
        try {
            int kind = Wire.kind(in);
            long id = in.getLong();
            long number = in.getLong();
            if (kind == Wire.HELLO) {
                greet(peer);
                return;
            }
            ServerSession session = sessions.get(id);
            if (session == null) {
                sendAway(peer, id);
            } else if (session.peer().id() == peer.id()) { // and not one that is somebody else's
                act(session, kind, number);
            }
        } catch (MalformedException e) {
            core.counters().malformed.increment();
        }
    }

    /**
     * Tells a client that its session is not known here: it began with a server that is gone. The
     * number of a session tells its lane. The client takes no more of a session that has ended, so
     * a second goodbye might wait forever: there is one at a time for each session. A peer may
     * invent sessions, so only some are answered at a time.
     */
    private void sendAway(PeerAddress peer, long id) {
        int lane = (int) id & Tags.MAX_LANE;
        Unknown session = new Unknown(peer.id(), id);
        if (lane == 0 || sendingAway.size() >= MOST_SENT_AWAY || !sendingAway.add(session)) {
            return;
        }
        Outgoing message = core.outgoing().take();
        Wire.begin(message.out(), Wire.GOODBYE, id, 0);
        message.out().putInt(ErrorCode.ECONNRESET.negativeValue());
        message.out().putString("it does not know this session");
        message.listener(code -> sendingAway.remove(session));
        int tag = Tags.session(core.settings().tagPrefix(), lane, Tags.INBOX);
        core.pump().send(peer, message.message(), tag, false, message);
    }

    private void act(ServerSession session, int kind, long number) {
        switch (kind) {
            case Wire.CALL -> called(session, number);
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
                boolean unknown = in.getInt() == Wire.FLAG_UNKNOWN;
                ServerTransfer transfer = session.transfer(number);
                if (transfer != null) {
                    transfer.done(status, count, unknown);
                }
            }
            case Wire.BYE -> session.end(ErrorCode.EPIPE.negativeValue(), "The client closed.");
            default -> throw new MalformedException("Messages of kind " + kind + " do not come.");
        }
    }

    // ------------------------------------------------------------------ calls

    private void called(ServerSession session, long number) {
        long functionNumber = in.getLong();
        long fingerprint = in.getLong();
        int deadlineMs = in.getInt();
        int flags = in.getInt();
        core.counters().calls.increment();
        Served function = core.function(functionNumber);
        if (function == null) {
            refuse(session, number, ErrorCode.ENOSYS, "The server has no function of this name.");
        } else if (Wire.hash(function.signature()) != fingerprint) {
            refuse(
                    session,
                    number,
                    ErrorCode.EPROTOTYPE,
                    "The server's signature differs: " + function.signature());
        } else if (!session.hasSlot(number)
                || core.admission().waiting() >= core.settings().maxWaiting()) {
            core.counters().refusals.increment();
            refuse(session, number, ErrorCode.ETRYAGAIN, "Too many calls are under way.");
        } else {
            admit(new ServerCall(core, session, number, function), deadlineMs, flags);
        }
    }

    private void admit(ServerCall call, int deadlineMs, int flags) {
        ServerSession session = call.session();
        if (flags == Wire.FLAG_INPUT_BY_BULK) {
            BulkHandle handle = in.getHandle();
            if (handle.sizeBytes() > core.settings().maxInputBytes()) {
                refuse(
                        session,
                        call.number(),
                        ErrorCode.EMSGSIZE,
                        "The input has more bytes than the server takes.");
                return;
            }
            call.inputHandle = handle;
        } else {
            try {
                call.input(readInput(call.function(), in));
            } catch (BmiException e) {
                core.counters().malformed.increment();
                refuse(session, call.number(), e.code(), String.valueOf(e.getMessage()));
                return;
            }
        }
        if (!session.takeSlot(call)) {
            session.fail(ErrorCode.EBADMSG.negativeValue(), "A client uses a call's number twice.");
            return;
        }
        if (deadlineMs > 0) {
            call.deadlineNs(core.pump().nowNs() + deadlineMs * 1_000_000L);
        }
        core.admit(call);
    }

    /** Reads all of an input; whatever its constructors throw is the input's fault. */
    static Object readInput(Served function, Decoder from) {
        try {
            Object input = function.read(from);
            from.end();
            return input;
        } catch (MalformedException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new MalformedException("The input is refused: " + e.getMessage(), e);
        }
    }

    private void refuse(ServerSession session, long number, ErrorCode code, String why) {
        core.counters().failures.increment();
        Outgoing message = session.begin(Wire.REPLY, number);
        message.out().putInt(code.negativeValue());
        message.out().putInt(0);
        message.out().putString(Wire.text(why));
        session.postReply(message);
    }

    // ------------------------------------------------------------------ sessions

    private void greet(PeerAddress peer) {
        BulkHandle.Token owner = in.getToken();
        BulkHandle.Token nonce = in.getToken();
        int welcomeTag = in.getInt();
        int inboxBytes = in.getInt();
        int flags = in.getInt();
        in.end();
        if (!Tags.isWelcome(core.settings().tagPrefix(), welcomeTag)
                || inboxBytes < Wire.LEAST_INBOX_BYTES) {
            throw new MalformedException("A hello with impossible wishes came.");
        }
        Lanes of = lanes.computeIfAbsent(peer.id(), id -> new Lanes());
        int lane = of.taken.nextClearBit(1);
        boolean full =
                sessions.size() >= core.settings().maxSessions()
                        || of.sessions >= core.settings().maxSessionsPerPeer()
                        || lane > Tags.MAX_LANE;
        if (full) {
            welcome(peer, welcomeTag, nonce, null);
            return;
        }
        long largest = bmi.getOption(peer, Options.MAX_EXPECTED_BYTES);
        ServerSession session =
                new ServerSession(
                        core,
                        peer,
                        freshId(lane),
                        lane,
                        owner,
                        flags == Wire.FLAG_BULK,
                        (int) Math.min(inboxBytes, largest),
                        (int) Math.min(core.settings().chunkBytes(), largest));
        peer.retain();
        of.taken.set(lane);
        of.sessions++;
        sessions.put(session.id(), session);
        owners.computeIfAbsent(owner, token -> new ArrayList<>(1)).add(session);
        core.counters().sessions.set(sessions.size());
        session.start();
        welcome(peer, welcomeTag, nonce, session);
    }

    private long freshId(int lane) {
        long id = 0;
        while (id == 0 || sessions.containsKey(id)) {
            id = (random.nextLong() & ~Tags.MAX_LANE) | lane;
        }
        return id;
    }

    private void welcome(
            PeerAddress peer, int tag, BulkHandle.Token nonce, @Nullable ServerSession session) {
        Outgoing message = core.outgoing().take();
        Wire.begin(message.out(), Wire.WELCOME, session == null ? 0 : session.id(), 0);
        message.out().putToken(nonce);
        if (session == null) {
            message.out().putInt(ErrorCode.EBUSY.negativeValue());
            message.out().putString("it has as many as it may have");
        } else {
            message.out().putInt(0);
            message.out().putInt(session.lane());
            message.out().putInt(core.settings().maxCallsPerClient());
        }
        message.listener(
                code -> {
                    if (code != 0 && session != null) {
                        session.fail(code, "The client cannot be reached.");
                    }
                });
        core.pump().send(peer, message.message(), tag, false, message);
    }

    void forget(ServerSession session) {
        sessions.remove(session.id());
        List<ServerSession> mates = owners.get(session.owner());
        if (mates != null) {
            mates.remove(session);
            if (mates.isEmpty()) {
                owners.remove(session.owner());
            }
        }
        Lanes of = lanes.get(session.peer().id());
        if (of != null) {
            of.sessions--;
            if (session.isClean()) {
                of.taken.clear(session.lane());
            }
            if (of.taken.isEmpty()) {
                lanes.remove(session.peer().id());
            }
        }
        core.counters().sessions.set(sessions.size());
        if (!bmi.isClosed()) {
            session.peer().release();
        }
    }

    /** Over which session the memory of a client is reached. */
    @Nullable ServerSession route(BulkHandle.Token owner, ServerSession first) {
        List<ServerSession> candidates = owners.get(owner);
        if (candidates == null) {
            return null;
        }
        for (ServerSession candidate : candidates) {
            if (candidate.isPreferredForBulk()) {
                return candidate;
            }
        }
        return candidates.contains(first) ? first : candidates.getFirst();
    }

    void sayGoodbye() {
        for (ServerSession session : sessions.values()) {
            session.sayGoodbye(ErrorCode.EPIPE.negativeValue(), "The server closes.");
        }
    }

    void endAll(int code, String why) {
        for (ServerSession session : new ArrayList<>(sessions.values())) {
            session.end(code, why);
        }
    }
}
