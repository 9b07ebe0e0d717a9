package org.jbmi.shipper.server;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.Options;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.MalformedException;
import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.pump.Timed;
import org.jbmi.shipper.wire.Tags;
import org.jbmi.shipper.wire.Wire;
import org.jbmi.spi.Failures;
import org.jbmi.spi.HashMaps;
import org.jbmi.spi.NumberTable;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Begins and ends sessions. A peer need not receive welcomes and goodbyes, so their number for each
 * peer is limited, and each waits for a limited time. Guarded by the pump's lock.
 */
final class SessionManager {
    /** How many messages without a session may wait for a peer to receive them. */
    private static final int MAX_UNTAKEN_ANSWERS = 16;

    private static final int FEW_VISITORS = 64;
    private static final long NS_PER_MS = 1_000_000;

    private final ServerCore core;
    private final Bmi bmi;
    private final SecureRandom random = new SecureRandom();
    private final NumberTable<ServerSession> sessions = new NumberTable<>();
    private final NumberTable<PeerRecord> visitors = new NumberTable<>();
    private final Map<BulkHandle.Token, List<ServerSession>> owners =
            HashMaps.prepared(new HashMap<>());
    private final LaneTurn lanes;
    private int nextSweep = FEW_VISITORS;

    /** A peer that has sessions, or used lanes, or unreceived messages. */
    private static final class PeerRecord {
        private final long peer;

        /** The lanes of its sessions, and those that were left in use. */
        private final NumberTable<Boolean> lanes = new NumberTable<>();

        /** Sessions that the peer believes to be open and that are being refused. */
        private final Set<Long> sendingAway = HashMaps.set();

        private final Share share = new Share();
        private int sessions;
        private int refusals;

        /** Welcomes and goodbyes that it has not received. */
        private int untaken;

        PeerRecord(long peer) {
            this.peer = peer;
        }
    }

    /** A message that its receiver need not take: it is cancelled after a while. */
    private final class UntakenAnswer extends Timed {
        private final Outgoing message;

        UntakenAnswer(Outgoing message) {
            this.message = message;
        }

        @Override
        protected void expired() {
            core.pump().cancel(message);
        }
    }

    SessionManager(ServerCore core) {
        this.core = core;
        this.bmi = core.pump().bmi();
        this.lanes = bmi.shared(LaneTurn.class, LaneTurn::new);
    }

    @Nullable ServerSession session(long id) {
        return sessions.get(id);
    }

    // ------------------------------------------------------------------ hello

    /** Handles a hello; {@code isForBulk} tells whether transfers prefer its session. */
    void greet(PeerAddress peer, Decoder in, boolean isForBulk) {
        BulkHandle.Token owner = Wire.ownerOf(in.getToken());
        BulkHandle.Token nonce = in.getToken();
        int welcomeTag = in.getInt();
        int inboxBytes = in.getInt();
        in.end();
        if (!Tags.isWelcome(core.settings().tagPrefix(), welcomeTag)
                || inboxBytes < Wire.LEAST_INBOX_BYTES) {
            throw new MalformedException("A hello with impossible wishes came.");
        }
        long largest = bmi.getOption(peer, Options.MAX_EXPECTED_BYTES); // fails if it has gone
        PeerRecord visitor = visitor(peer);
        if (core.isClosed()) {
            refuse(visitor, peer, welcomeTag, nonce, ErrorCode.EPIPE, "it closes");
            return;
        }
        int most = core.settings().maxSessionsPerPeer();
        boolean full =
                sessions.size() >= core.settings().maxSessions()
                        || visitor.sessions >= most
                        || visitor.untaken >= most + MAX_UNTAKEN_ANSWERS;
        int lane = full ? 0 : lanes.next(visitor.lanes); // a refusal takes no turn
        if (lane == 0) {
            core.counters().refusals.increment();
            String why = "it has as many as it may have";
            refuse(visitor, peer, welcomeTag, nonce, ErrorCode.EBUSY, why);
            return;
        }
        ServerSession session =
                new ServerSession(
                        core,
                        peer,
                        freshId(lane),
                        lane,
                        owner,
                        isForBulk,
                        (int) Math.min(Math.min(inboxBytes, Wire.MOST_INBOX_BYTES), largest),
                        (int) Math.min(core.settings().chunkBytes(), largest),
                        visitor.share);
        visitor.lanes.put(lane, true);
        if (core.settings().countsReferences()) {
            peer.retain(); // elsewhere the program's own view of the peer must not end with this
        }
        visitor.sessions++;
        try {
            sessions.put(session.id(), session);
            owners.computeIfAbsent(owner, token -> new ArrayList<>(1)).add(session);
            core.counters().sessions.set(sessions.size());
            session.start();
            welcome(visitor, welcomeTag, nonce, session);
        } catch (RuntimeException | Error e) { // the client does not know this session
            session.end(ErrorCode.ENOMEM.negativeValue(), "The server cannot begin a session.");
            throw e;
        }
    }

    private long freshId(int lane) {
        long id = 0;
        while (id == 0 || sessions.get(id) != null) {
            id = (random.nextLong() & ~Tags.MAX_LANE) | lane;
        }
        return id;
    }

    private void welcome(
            PeerRecord visitor, int tag, BulkHandle.Token nonce, ServerSession session) {
        Outgoing message = core.outgoing().take();
        Wire.begin(message.out(), Wire.WELCOME, session.id(), 0);
        message.out().putToken(nonce);
        message.out().putInt(0);
        message.out().putInt(session.lane());
        message.out().putInt(core.settings().maxCallsPerClient());
        tell(
                visitor,
                session.peer(),
                message,
                tag,
                code -> {
                    if (code != 0) {
                        session.fail(code, "The client cannot be reached.");
                    }
                });
    }

    private void refuse(
            PeerRecord visitor,
            PeerAddress peer,
            int tag,
            BulkHandle.Token nonce,
            ErrorCode code,
            String why) {
        if (visitor.refusals >= MAX_UNTAKEN_ANSWERS) {
            return; // its hello times out
        }
        Outgoing message = core.outgoing().take();
        Wire.begin(message.out(), Wire.WELCOME, 0, 0);
        message.out().putToken(nonce);
        message.out().putInt(code.negativeValue());
        message.out().putString(why);
        tell(visitor, peer, message, tag, outcome -> visitor.refusals--);
        visitor.refusals++;
    }

    // ------------------------------------------------------------------ goodbye

    /**
     * Tells a client that its session is unknown here: it began with a server that has ended. The
     * number of a session gives its lane. The client receives nothing more for an ended session, so
     * only one goodbye for each session waits at a time. A peer may invent sessions, so the number
     * of answers for each peer is limited.
     */
    void sendAway(PeerAddress peer, long id) {
        int lane = (int) id & Tags.MAX_LANE;
        if (lane == 0 || bmi.findPeer(peer.id()) == null) {
            return;
        }
        PeerRecord visitor = visitor(peer);
        if (visitor.sendingAway.size() >= MAX_UNTAKEN_ANSWERS || visitor.sendingAway.contains(id)) {
            return;
        }
        Outgoing message = core.outgoing().take();
        Wire.begin(message.out(), Wire.GOODBYE, id, 0);
        message.out().putInt(ErrorCode.ECONNRESET.negativeValue());
        message.out().putString("it does not know this session");
        int tag = Tags.session(core.settings().tagPrefix(), lane, Tags.INBOX);
        tell(visitor, peer, message, tag, code -> visitor.sendingAway.remove(id));
        visitor.sendingAway.add(id);
    }

    /** Tells the client of a session that it ends. */
    void sayGoodbye(ServerSession session, Outgoing message) {
        PeerAddress peer = session.peer();
        tell(visitor(peer), peer, message, session.tag(Tags.INBOX), code -> {});
    }

    void sayGoodbye() {
        int code = ErrorCode.EPIPE.negativeValue();
        forEach(session -> session.sayGoodbye(code, "The server closes."));
    }

    void endAll(int code, String why) {
        forEach(session -> session.end(code, why));
    }

    /** One that fails skips none behind it. */
    private void forEach(Consumer<ServerSession> step) {
        Throwable failure = null;
        for (ServerSession session : sessions.values()) {
            try {
                step.accept(session);
            } catch (RuntimeException | Error e) {
                failure = Failures.first(failure, e);
            }
        }
        Failures.rethrow(failure);
    }

    /** A session has ended. */
    void forget(ServerSession session) {
        sessions.remove(session.id());
        List<ServerSession> mates = owners.get(session.owner());
        if (mates != null) {
            mates.remove(session);
            if (mates.isEmpty()) {
                owners.remove(session.owner());
            }
        }
        PeerAddress peer = session.peer();
        PeerRecord visitor = visitors.get(peer.id());
        if (visitor != null) {
            visitor.sessions--;
            if (session.isClean()) {
                visitor.lanes.remove(session.lane());
            }
            forgetIfIdle(visitor);
        }
        core.counters().sessions.set(sessions.size());
        if (core.settings().countsReferences() && bmi.findPeer(peer.id()) != null) {
            peer.release();
        }
    }

    /** A handler has returned whose session is over: it may be the last thing of its peer. */
    void outlived(ServerSession session) {
        PeerRecord visitor = visitors.get(session.peer().id());
        if (visitor != null) {
            forgetIfIdle(visitor);
        }
    }

    // ------------------------------------------------------------------ messages

    // The listener is called at the end of the round, and not in the post.
    private void tell(
            PeerRecord visitor, PeerAddress peer, Outgoing message, int tag, Outgoing.Sent then) {
        UntakenAnswer unheard = new UntakenAnswer(message);
        unheard.deadlineNs(core.pump().nowNs() + core.settings().transferIdleMs() * NS_PER_MS);
        MemorySegment bytes = message.toPost(peer, false); // if it throws, nothing is told
        message.listener(
                code -> {
                    core.timed().remove(unheard.place());
                    visitor.untaken--;
                    then.sent(code);
                    forgetIfIdle(visitor);
                });
        core.timed().add(unheard.place());
        visitor.untaken++;
        core.pump().send(peer, bytes, tag, false, message);
    }

    // ------------------------------------------------------------------ peers

    private PeerRecord visitor(PeerAddress peer) {
        PeerRecord known = visitors.get(peer.id());
        if (known != null) {
            return known;
        }
        if (visitors.size() >= nextSweep) {
            for (PeerRecord each : visitors.values()) {
                boolean isIdle = each.sessions == 0 && each.untaken == 0 && each.share.isUnused();
                if (isIdle && bmi.findPeer(each.peer) == null) {
                    visitors.remove(each.peer);
                }
            }
            nextSweep = Math.max(FEW_VISITORS, 2 * visitors.size());
        }
        PeerRecord visitor = new PeerRecord(peer.id());
        visitors.put(peer.id(), visitor);
        return visitor;
    }

    private void forgetIfIdle(PeerRecord visitor) {
        boolean isIdle =
                visitor.lanes.size() == 0 && visitor.untaken == 0 && visitor.share.isUnused();
        if (isIdle && visitors.get(visitor.peer) == visitor) { // else it has a newer record
            visitors.remove(visitor.peer);
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
}
