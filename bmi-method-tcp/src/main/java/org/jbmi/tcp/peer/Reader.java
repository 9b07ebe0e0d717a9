package org.jbmi.tcp.peer;

import org.jbmi.ErrorCode;
import org.jbmi.spi.Operation;
import org.jbmi.tcp.io.BufferWindow;
import org.jbmi.tcp.io.InBuffer;
import org.jbmi.tcp.io.Sockets;
import org.jbmi.tcp.io.SystemErrors;
import org.jbmi.tcp.settings.TcpCodes;
import org.jbmi.tcp.wire.Dialect;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;

/**
 * Reads connections; called by the lead only. A read fills one large buffer, from which all
 * complete messages are taken. A large payload whose receive is known goes straight into the
 * program's memory. A connection whose message has no place is parked: it is not read until there
 * is a place, so that TCP slows the peer down.
 */
@SuppressWarnings("ReferenceEquality") // this very operation
final class Reader {
    private static final int MAX_READS = 16;

    /** From this size on a payload is read into its place rather than copied there. */
    private static final long DIRECT_BYTES = 16 << 10;

    /**
     * After a read of fewer bytes of a large message the connection is left alone for a moment.
     * Each read takes the socket's lock, which the sender's processor needs to add bytes.
     */
    private static final int LITTLE_READ_BYTES = 64 << 10;

    /**
     * How many bytes one pass over all sockets reads ahead, if several have some: each socket gets
     * its share. A socket that is read until it is empty keeps the others waiting. If tcp reads
     * much from one socket at once, the system makes the buffer of that socket larger. That socket
     * then takes an even larger part.
     */
    private static final int ROUND_BYTES = 4 << 20;

    private static final int LEAST_SHARE_BYTES = 16 << 10;

    private static final System.Logger LOG = System.getLogger("org.jbmi.tcp");
    private static final long LOG_PAUSE_NS = 10_000_000_000L;
    private static final int OPEN = 1;

    private final TcpState state;
    private final Endings endings;
    private final Arrivals arrivals;
    private final Directory directory;
    private final Sockets sockets;
    private final Dialect dialect;
    private final long restNs;
    private final InBuffer scratch;
    private int messages;
    private int messagesBefore;
    private long bodyBefore;
    private long bytes;
    private long dialectLoggedNs = System.nanoTime() - LOG_PAUSE_NS;
    private long headerLoggedNs = dialectLoggedNs;

    Reader(
            TcpState state,
            Endings endings,
            Arrivals arrivals,
            Directory directory,
            Sockets sockets) {
        this.state = state;
        this.endings = endings;
        this.arrivals = arrivals;
        this.directory = directory;
        this.sockets = sockets;
        this.dialect = state.settings.dialect;
        this.restNs = state.settings.readRestNs;
        this.scratch = InBuffer.direct(state.settings.readBytes + Dialect.MAX_HEADER_BYTES);
    }

    /** Reads a socket, within limits; returns how much was done. */
    int readable(Connection connection) {
        return readable(connection, 1);
    }

    /** The same for one of several sockets that have bytes: it gets its share of the round. */
    int readable(Connection connection, int sockets) {
        if (connection.ended || connection.incoming.isParked() || rests(connection)) {
            return 0;
        }
        long before = bytes;
        takeHold(connection);
        int outcome = readOn(connection, shareBytes(sockets));
        boolean moved = bytes != before;
        letGo(connection);
        settle(connection, outcome, moved);
        return outcome != OPEN || moved ? 1 : 0;
    }

    private static long shareBytes(int sockets) {
        return sockets == 1 ? Long.MAX_VALUE : Math.max(LEAST_SHARE_BYTES, ROUND_BYTES / sockets);
    }

    /**
     * Whether the last read brought so few bytes of a large message that the connection is left
     * alone for a moment.
     */
    boolean rests(Connection connection) {
        long since = connection.incoming.restsSinceNs;
        return since != 0 && System.nanoTime() - since < restNs;
    }

    /** Retries a parked message, and the bytes that were read behind it. */
    int resume(Connection connection) {
        if (connection.ended || !connection.established) {
            return 0;
        }
        int outcome = OPEN;
        int before = messages;
        takeHold(connection);
        if (connection.incoming.isParked()) {
            outcome = digestStash(connection);
        }
        if (outcome == OPEN && !connection.incoming.isParked()) {
            state.stashes.drop(connection);
            state.interests.want(connection, SelectionKey.OP_READ);
            outcome = readOn(connection, Long.MAX_VALUE);
        }
        letGo(connection);
        settle(connection, outcome, messages != before);
        return messages - before;
    }

    private int digestStash(Connection connection) {
        InBuffer stash = connection.incoming.stash;
        if (stash == null) {
            scratch.bytes.clear().limit(0);
            stash = scratch;
        }
        try {
            return digest(connection, stash);
        } catch (RuntimeException | Error e) {
            return Endings.codeOf(e);
        }
    }

    /** From here on the lead ends a cancelled receive that is being filled. */
    private void takeHold(Connection connection) {
        messagesBefore = messages;
        bodyBefore = bodyDone(connection);
        synchronized (state.lock) {
            connection.touching = connection.inOperation != null;
        }
    }

    private static long bodyDone(Connection connection) {
        Incoming incoming = connection.incoming;
        return incoming.phase == Incoming.BODY ? incoming.bodyDone : 0;
    }

    private void letGo(Connection connection) {
        if (connection.inOperation == null && connection.inEarly == null) {
            return; // only the lead sets them while the connection is not parked
        }
        // Bytes of the message before it do not count, but bytes that were kept for it do.
        boolean moved = bodyDone(connection) > (messages == messagesBefore ? bodyBefore : 0);
        synchronized (state.lock) {
            Operation operation = connection.inOperation;
            connection.touching = false;
            if (operation != null && connection.inCancelCode != 0) {
                connection.inOperation = null;
                int code = connection.inCancelCode;
                connection.inCancelCode = 0;
                state.complete(operation, code, 0);
                return;
            }
            EarlyMessage early = connection.inEarly;
            Operation gains = operation == null && early != null ? early.claimant : operation;
            if (moved && gains != null && gains.hasDeadline()) {
                gains.progressed(System.nanoTime());
            }
        }
    }

    private void settle(Connection connection, int outcome, boolean moved) {
        if (outcome != OPEN) {
            endings.end(connection, outcome);
            return;
        }
        if (connection.incoming.noteWait(moved)) {
            state.beginsTime();
        }
        if (connection.incoming.isParked()) {
            state.interests.unwant(connection, SelectionKey.OP_READ);
        }
    }

    /**
     * Reads until the socket is empty or has had its share, which large payloads that are read into
     * their place do not count for. Returns OPEN, or the code that the connection ends with.
     */
    private int readOn(Connection connection, long shareBytes) {
        Incoming incoming = connection.incoming;
        long left = shareBytes;
        try {
            for (int i = 0; i < MAX_READS; i++) {
                boolean direct =
                        incoming.phase == Incoming.BODY
                                && incoming.bodyLeft >= DIRECT_BYTES
                                && connection.inOperation != null;
                long before = bytes;
                int outcome = direct ? readDirect(connection) : readAhead(connection, left);
                if (outcome != 0) {
                    return outcome;
                }
                left -= direct ? 0 : bytes - before;
                if (left <= 0 && !incoming.hasFlooded && !incoming.largeBefore) {
                    incoming.hasFlooded = true;
                    incoming.hasFloodBuffer = sockets.receivesFlood(connection.channel);
                }
                if (incoming.isParked() || left <= 0) {
                    return OPEN;
                }
            }
            return OPEN;
        } catch (IOException e) {
            return SystemErrors.codeOf(e, ErrorCode.ECONNRESET).negativeValue();
        } catch (RuntimeException | Error e) {
            return Endings.codeOf(e); // this connection is broken, the others are not
        }
    }

    /**
     * How much may be read ahead. tcp may have to keep all of it, so it is little while a
     * connection waits for memory. It is also little where a large message is likely, since the
     * bytes of that message would be copied.
     */
    private long aheadBytes(Connection connection) {
        long most = Stashes.LITTLE_BYTES;
        if (!connection.incoming.largeBefore && !state.hasStalled()) {
            most += state.roomFor(connection.peer);
        }
        return Math.min(most, state.stashes.roomBytes());
    }

    /** Returns 0 to go on, OPEN when the socket is empty, or a code. */
    private int readAhead(Connection connection, long shareBytes) throws IOException {
        Incoming incoming = connection.incoming;
        ByteBuffer in = scratch.bytes.clear();
        incoming.putPartial(in);
        boolean inBody = incoming.phase == Incoming.BODY;
        long wanted = inBody ? incoming.bodyLeft : dialect.headerBytes();
        long most = wanted + Math.min(shareBytes, aheadBytes(connection));
        if (most < in.limit()) {
            in.limit((int) most);
        }
        int room = in.remaining();
        int n = connection.channel.read(in);
        state.counters.reads.addBySingleWriter(1);
        if (n < 0) {
            return TcpCodes.EPIPE;
        }
        bytes += n;
        in.flip();
        int outcome = digest(connection, scratch);
        return outcome != OPEN ? outcome : n < room ? OPEN : 0;
    }

    private int readDirect(Connection connection) throws IOException {
        Incoming incoming = connection.incoming;
        Operation operation = connection.inOperation;
        if (operation == null) {
            return 0;
        }
        BufferWindow window = incoming.window;
        try {
            if (incoming.windowOperation != operation) {
                incoming.windowOperation = operation;
                window.begin(operation, incoming.bodyDone, incoming.bodyLeft);
            }
            int count = window.prepare(operation);
            long offered = window.offeredBytes();
            ByteBuffer single = window.single();
            long n =
                    single != null
                            ? connection.channel.read(single)
                            : connection.channel.read(window.buffers, BufferWindow.FIRST, count);
            state.counters.reads.addBySingleWriter(1);
            if (n < 0) {
                return TcpCodes.EPIPE;
            }
            bytes += n;
            incoming.advance(n);
            boolean isLittle =
                    n < LITTLE_READ_BYTES && incoming.bodyLeft >= LITTLE_READ_BYTES && restNs > 0;
            incoming.restsSinceNs = isLittle ? System.nanoTime() : 0;
            if (incoming.bodyLeft == 0) {
                finish(connection);
            }
            return n < offered ? OPEN : 0;
        } catch (IllegalStateException e) {
            arrivals.abandon(connection); // the program closed the arena of its buffer
            return 0;
        }
    }

    // ---- looking at what was read ----

    /** Passes on all complete messages. Returns OPEN, or the code that the connection ends with. */
    private int digest(Connection connection, InBuffer from) {
        Incoming incoming = connection.incoming;
        ByteBuffer in = from.bytes;
        while (true) {
            if (incoming.phase == Incoming.BODY) {
                if (incoming.bodyLeft > 0) {
                    long length = Math.min(in.remaining(), incoming.bodyLeft);
                    arrivals.store(connection, from.memory, in.position(), length);
                    in.position(in.position() + (int) length);
                    incoming.advance(length);
                    if (incoming.bodyLeft > 0) {
                        return OPEN;
                    }
                }
                finish(connection);
            }
            if (incoming.phase == Incoming.HEADER) {
                int outcome = nextHeader(connection, in);
                if (outcome != 0) {
                    return outcome;
                }
            }
            if (!identify(connection) || !arrivals.place(connection, mayWait(connection, from))) {
                keep(connection, from);
                return OPEN;
            }
            incoming.beginBody();
            if (incoming.bodyLeft == 0) {
                finish(connection);
            }
        }
    }

    // The program is about to get a message, and may answer with the receive that a large message
    // behind it needs. So a large message waits a moment before it is kept and copied, unless most
    // of it was read already.
    private boolean mayWait(Connection connection, InBuffer from) {
        return messages != messagesBefore
                && connection.incoming.header.sizeBytes >= DIRECT_BYTES
                && from.bytes.remaining() <= Stashes.LITTLE_BYTES;
    }

    /** Returns 0 if there is a header, OPEN if more bytes must come, or a code. */
    private int nextHeader(Connection connection, ByteBuffer in) {
        Incoming incoming = connection.incoming;
        int at = in.position();
        int there = in.remaining();
        int headerBytes = dialect.headerBytes();
        if (there < headerBytes) {
            if (there >= Dialect.MAGIC_BYTES && in.getInt(at) != dialect.magic()) {
                return refuse(connection, in.getInt(at));
            }
            incoming.keepPartial(in);
            return OPEN;
        }
        if (!dialect.read(in, at, incoming.header)
                || !incoming.header.isAllowed(
                        state.settings.takenExpectedBytes, state.settings.takenUnexpectedBytes)) {
            return refuse(connection, in.getInt(at));
        }
        in.position(at + headerBytes);
        incoming.hasSpoken = true;
        incoming.largeBefore = incoming.header.sizeBytes >= DIRECT_BYTES;
        if (incoming.largeBefore && incoming.hasFloodBuffer) {
            incoming.hasFloodBuffer = false;
            Sockets.receivesLarge(connection.channel);
        }
        return 0;
    }

    private int refuse(Connection connection, int magic) {
        state.counters.protocolErrors.increment();
        Dialect other = Dialect.ofMagic(magic);
        boolean isOther = other != null && other != dialect;
        long nowNs = System.nanoTime();
        // A hostile peer must not fill the log: one line for each kind of fault in a period.
        boolean quiet = nowNs - (isOther ? dialectLoggedNs : headerLoggedNs) < LOG_PAUSE_NS;
        if (isOther) {
            dialectLoggedNs = nowNs;
        } else {
            headerLoggedNs = nowNs;
        }
        LOG.log(
                quiet ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
                () -> complaint(connection, other));
        return TcpCodes.EBADMSG;
    }

    private String complaint(Connection connection, @Nullable Dialect other) {
        if (other != null && other != dialect) {
            return connection.peer
                    + " speaks the dialect \""
                    + other.label()
                    + "\", we speak \""
                    + dialect.label()
                    + "\" (knob tcp.dialect); the connection is closed.";
        }
        return connection.peer
                + " sent a header that the protocol does not allow ("
                + (other == null ? "no magic number" : connection.incoming.header)
                + "); the connection is closed.";
    }

    /** Whether the peer of the connection is known; if not, the connection waits. */
    private boolean identify(Connection connection) {
        Incoming incoming = connection.incoming;
        if (!connection.accepted
                || incoming.header.sourceHash == 0
                || incoming.identifiedVersion == directory.version()
                || connection.peer.isLookedUp()) {
            incoming.awaitsNameSinceNs = 0;
            return true;
        }
        boolean known = directory.identify(connection, incoming.header.sourceHash);
        if (known) {
            incoming.awaitsNameSinceNs = 0;
        }
        return known;
    }

    private void keep(Connection connection, InBuffer from) {
        connection.incoming.phase = Incoming.PARKED;
        if (from != connection.incoming.stash) {
            state.stashes.keep(connection, from.bytes);
        }
    }

    private void finish(Connection connection) {
        connection.incoming.phase = Incoming.HEADER;
        connection.incoming.waitingSinceNs = 0; // the next header has a time of its own
        messages++;
        arrivals.finish(connection);
        // Also after a cancel: the next receive may be the same object, with other buffers.
        connection.incoming.endWindow();
    }
}
