package org.jbmi.zbmi.host;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.IntrusiveList;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.place.HostSocket;
import org.jbmi.zbmi.host.place.MemoryShortage;
import org.jbmi.zbmi.host.place.PeerProcesses;
import org.jbmi.zbmi.host.place.Refusals;
import org.jbmi.zbmi.host.place.SessionCounters;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.handshake.AskOperations;
import org.jbmi.zbmi.protocol.handshake.Goodbye;
import org.jbmi.zbmi.protocol.handshake.HandshakeCodec;
import org.jbmi.zbmi.protocol.handshake.HandshakeException;
import org.jbmi.zbmi.protocol.handshake.HandshakeFrame;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jbmi.zbmi.protocol.handshake.OtherVersionException;
import org.jbmi.zbmi.protocol.handshake.Redirect;
import org.jbmi.zbmi.protocol.handshake.Refused;
import org.jbmi.zbmi.protocol.handshake.Ring;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The host's end of the Unix-domain socket. It accepts connections, checks their processes, passes
 * them to the engine, and passes the engine's answers back. It notices ends. If a peer went without
 * a goodbye, it checks when the process has ended. In a daemon a thread of its own runs it; in a
 * server that hosts the engine the keeper calls {@link #turn}.
 *
 * <p>Everything is bounded: connections in number, handshakes in time, frames in size. Nothing here
 * waits for a peer or for the engine.
 *
 * <p>A turn that finds no memory ends, and a later one does what it left. So this thread acts first
 * and records then, and what is not done yet stands in lists that need no memory.
 */
public final class Sessions implements Runnable {
    private static final System.Logger LOG = System.getLogger(Sessions.class.getName());
    private static final int SPARE_CONNECTIONS = 16;
    private static final long BACKLOG_POLL_MS = 2;
    // So that many new connections do not delay the others.
    private static final int ACCEPTED_AT_ONCE = 16;
    private static final long ACCEPT_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final HostSocket socket;
    private final Selector selector;
    private final PeerProcesses processes;
    private final PeerNews news;
    private final ErrorLog errors;
    private final SessionCounters counters;
    private final NanoClock clock;
    private final int maxConnections;
    private final long handshakeTimeoutNs;
    private final Queue<Connection> requests;
    private final IntrusiveList<Connection> connections = new IntrusiveList<>();
    private final Consumer<SelectionKey> onReady = this::onReady;
    private final MemoryShortage shortage;
    private final SelectionKey acceptKey;
    private long acceptAgainNs;
    private volatile boolean closing;
    // Some requests are not in the queue, which was full, or a turn was cut short.
    private volatile boolean mustServeAll;

    Sessions(Path socket, HostContext context, int maxClients, SessionEvent.Taker events)
            throws IOException {
        this.news = new PeerNews(events, context.liveness());
        this.errors = context.errors();
        this.counters = context.sessionCounters();
        this.clock = context.clock();
        this.acceptAgainNs = clock.nanoTime();
        this.handshakeTimeoutNs = context.handshakeTimeoutNs();
        this.maxConnections = maxClients + 1 + SPARE_CONNECTIONS;
        this.requests = new MpscVarHandleArrayQueue<>(4 * maxConnections);
        this.processes =
                new PeerProcesses(
                        Files.getOwner(socket.toAbsolutePath().getParent()), context.liveness());
        this.selector = Selector.open();
        boolean listens = false;
        try {
            this.shortage =
                    new MemoryShortage(selector, errors, "There was no memory to serve the peers.");
            this.socket = HostSocket.listen(socket, maxConnections, selector);
            listens = true;
        } finally {
            if (!listens) {
                selector.close();
            }
        }
        this.acceptKey = this.socket.key();
    }

    /** From a thread that runs the engine: requests an action on a connection. */
    void request(Connection connection, int bit) {
        if (connection.request(bit)) {
            if (!requests.offer(connection)) {
                mustServeAll = true; // many that have closed since are in the queue
            }
            selector.wakeup();
        }
    }

    /** From any thread: ends the loop soon. */
    public void stop() {
        closing = true;
        selector.wakeup();
    }

    /**
     * Watches one more socket: its end is reported from {@link #turn}, once.
     *
     * @param channel non-blocking; bytes that come are dropped
     * @param onEnd called when the other side has closed
     */
    void watch(SocketChannel channel, Runnable onEnd) throws IOException {
        channel.register(selector, SelectionKey.OP_READ, new WatchedSocket(channel, onEnd));
    }

    /** Ends the sleep of {@link #turn}, or prevents the next one. */
    void wakeup() {
        selector.wakeup();
    }

    /**
     * Waits for the sockets, and does what is due.
     *
     * @param timeoutMs longest wait; 0 for ever
     */
    void turn(long timeoutMs) throws IOException {
        try {
            if (shortage.end()) {
                selector.selectNow(onReady);
            } else {
                long own = selectTimeoutMs();
                boolean isOneForEver = own == 0 || timeoutMs == 0;
                selector.select(onReady, isOneForEver ? own + timeoutMs : Math.min(own, timeoutMs));
            }
            duties();
        } catch (OutOfMemoryError e) {
            mustServeAll = true;
            shortage.pause(e);
        }
    }

    /** Tells all peers that the server in this process has closed normally. */
    void sayServerClosed() {
        for (Connection c = connections.first(); c != null; c = connections.next(c)) {
            try {
                c.sayServerClosed();
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "a peer does not hear of the end", e);
            }
        }
    }

    @Override
    public void run() {
        try {
            while (!closing) {
                turn(0);
            }
        } catch (IOException | RuntimeException | Error e) {
            // First the log, which needs no file.
            LOG.log(System.Logger.Level.ERROR, "the sessions thread failed", e);
            errors.record("The sessions thread failed: " + e);
        } finally {
            close();
        }
    }

    private void duties() {
        for (Connection next = requests.poll(); next != null; next = requests.poll()) {
            serve(next);
        }
        if (mustServeAll) {
            mustServeAll = false;
            serveAll(connections);
            serveAll(news.awaitingExit());
        }
        news.tellKept();
        long now = clock.nanoTime();
        acceptAgain(now);
        closeSilent(now);
        news.pollExits(now);
    }

    private void serveAll(IntrusiveList<Connection> all) {
        for (Connection c = all.first(), next; c != null; c = next) {
            next = all.next(c);
            if (c.isOpen()) {
                read(c); // a frame of it may have come in a turn that was cut short
            }
            serve(c);
        }
    }

    private long selectTimeoutMs() {
        if (news.untoldCount() > 0) {
            return BACKLOG_POLL_MS;
        }
        if (!news.awaitingExit().isEmpty() || acceptKey.interestOps() == 0) {
            return TimeUnit.NANOSECONDS.toMillis(PeerNews.EXIT_POLL_NS);
        }
        long least = Long.MAX_VALUE;
        long now = clock.nanoTime();
        for (Connection c = connections.first(); c != null; c = connections.next(c)) {
            if (c.hello() == null) {
                least = Math.min(least, c.handshakeDeadlineNs() - now);
            }
        }
        return least == Long.MAX_VALUE ? 0 : Math.max(1, TimeUnit.NANOSECONDS.toMillis(least) + 1);
    }

    private void onReady(SelectionKey key) {
        if (!key.isValid()) {
            return;
        }
        if (key.attachment() instanceof Connection connection) {
            read(connection);
        } else if (key.attachment() instanceof WatchedSocket watched) {
            watched.look(key);
        } else {
            accept();
        }
    }

    // Without free descriptors the listener stays ready, so it is not selected for a while.
    private void accept() {
        try {
            SocketChannel channel = shortage.accept(socket.channel());
            for (int i = 1; channel != null; i++) {
                greet(channel);
                channel = i < ACCEPTED_AT_ONCE ? shortage.accept(socket.channel()) : null;
            }
        } catch (IOException e) {
            acceptAgainNs = clock.nanoTime() + ACCEPT_PAUSE_NS;
            acceptKey.interestOps(0);
            errors.record("A connection could not be taken: " + e.getMessage());
        }
    }

    // While the engine is far behind none is taken, so that what it has not heard yet is bounded.
    private void acceptAgain(long nowNs) {
        boolean mayAccept = nowNs - acceptAgainNs >= 0 && news.untoldCount() < maxConnections;
        if (acceptKey.isValid() && mayAccept == (acceptKey.interestOps() == 0)) {
            acceptKey.interestOps(mayAccept ? SelectionKey.OP_ACCEPT : 0);
        }
    }

    private void greet(SocketChannel channel) throws IOException {
        boolean isTaken = false;
        try {
            channel.configureBlocking(false);
            Connection connection = new Connection(channel, clock.nanoTime() + handshakeTimeoutNs);
            String refusal = processes.refusalOf(channel);
            if (refusal != null) {
                refuse(connection, ErrorCode.EACCES, refusal);
            } else if (connections.size() >= maxConnections) {
                refuse(connection, ErrorCode.ENOBUFS, "This host has no room for another peer.");
            } else {
                channel.register(selector, SelectionKey.OP_READ, connection);
                connections.addLast(connection);
            }
            isTaken = true;
        } catch (IOException | RuntimeException e) {
            errors.record("A connection could not be taken: " + e);
        } finally {
            if (!isTaken) {
                channel.close();
            }
        }
    }

    private void refuse(Connection connection, ErrorCode code, String sentence) {
        Refused refused = new Refused(code.negativeValue(), sentence);
        sendRefusal(connection, sentence, HandshakeCodec.encode(refused));
        close(connection);
    }

    private void sendRefusal(Connection connection, String sentence, ByteBuffer frame) {
        counters.refused.increment();
        errors.record("Refused a peer: " + sentence);
        try {
            counters.sent(connection.write(frame));
        } catch (IOException e) {
            errors.record("A refusal could not be sent: " + e.getMessage());
        }
    }

    private void read(Connection connection) {
        try {
            boolean more = connection.read();
            HandshakeFrame frame = connection.nextFrame();
            while (frame != null && connection.isOpen()) {
                take(connection, frame);
                connection.taken(counters); // only now: without memory a later turn takes it
                frame = connection.nextFrame();
            }
            if (!more && connection.isOpen()) {
                end(connection, false);
            }
        } catch (OtherVersionException e) {
            refuseVersion(connection, e);
        } catch (HandshakeException e) {
            end(connection, false);
            // The text is not kept: it may be different each time.
            LOG.log(System.Logger.Level.DEBUG, "a peer was cut off", e);
            errors.record("A peer was cut off: it sent something that is not the zbmi protocol.");
        } catch (IOException | RuntimeException e) {
            end(connection, false);
            errors.record("A peer was cut off: " + e.getMessage());
        }
    }

    private void refuseVersion(Connection connection, OtherVersionException e) {
        String sentence =
                "A peer speaks version %d of the protocol, and this host version %d."
                        .formatted(e.version(), SegmentMap.PROTOCOL_VERSION);
        Refused refused = new Refused(ErrorCode.EPROTONOSUPPORT.negativeValue(), sentence);
        ByteBuffer frame = HandshakeCodec.encode(refused, e.version());
        sendRefusal(connection, "It speaks another version of the protocol.", frame);
        end(connection, false);
    }

    private void take(Connection connection, HandshakeFrame frame) throws IOException {
        if (frame instanceof Hello hello && connection.hello() == null) {
            String lie = processes.lieIn(hello, connection.channel());
            if (lie != null) {
                refuse(connection, ErrorCode.EINVAL, lie);
                return;
            }
            connection.hello(processes.withStart(hello));
            connection.attached(true);
            news.tell(SessionEvent.ATTACH, connection);
        } else if (frame instanceof AskOperations question && connection.hello() == null) {
            if (!connection.ask(question, clock.nanoTime() + handshakeTimeoutNs)) {
                throw new IOException("it asks before it has been answered");
            }
            news.tell(SessionEvent.ASKED, connection);
        } else if (frame instanceof Goodbye goodbye) {
            connection.isLost(goodbye.isLost());
            end(connection, true);
        } else if (frame instanceof Ring && connection.isAttached()) {
            return; // it has woken this thread, which was its purpose
        } else {
            throw new IOException("it sent a " + frame.getClass().getSimpleName() + " out of turn");
        }
    }

    private void serve(Connection connection) {
        int bits = connection.takeRequests();
        try {
            serve(connection, bits);
        } catch (OutOfMemoryError e) {
            connection.request(bits); // for the turn that serves all
            throw e;
        }
    }

    private void serve(Connection connection, int bits) {
        if ((bits & Connection.ANSWER) != 0) {
            answer(connection);
        }
        if (!connection.isOpen()) {
            return;
        }
        try {
            if ((bits & (Connection.EVICT | Connection.SEND_AWAY)) != 0) {
                // It may still move granted bytes: its session is free only after its goodbye or
                // the end of its process. So its socket is read whatever it has done.
                boolean isFirst = !connection.isSentAway(); // a turn that was cut short comes again
                connection.markSentAway();
                try {
                    connection.channel().shutdownOutput();
                } finally { // last, since it wakes the peer, which then looks at its socket
                    if (isFirst) {
                        news.tell(SessionEvent.GONE, connection);
                    }
                }
            } else if ((bits & Connection.WAKE) != 0) {
                connection.writeWakeByte();
                counters.woken();
            }
        } catch (IOException e) {
            // It has closed its end, and may have said goodbye before.
            read(connection);
            end(connection, false);
        }
    }

    private void answer(Connection connection) {
        HandshakeFrame frame = connection.answer();
        boolean isTurnedAway = frame instanceof Refused || frame instanceof Redirect;
        if (frame == null || !connection.isOpen()) {
            forgetUnheard(connection, isTurnedAway);
            return;
        }
        try {
            connection.answered();
            if (isTurnedAway) {
                connection.attached(false); // before the write, which may fail
            }
            counters.sent(connection.write(frame));
            connection.isWelcomed(frame instanceof Welcome);
            if (isTurnedAway) {
                close(connection);
            }
            if (frame instanceof Refused refused) {
                counters.refused.increment();
                errors.record("Refused a peer: " + Refusals.recorded(refused));
            }
        } catch (IOException e) {
            read(connection); // it may have said goodbye
            end(connection, false);
            forgetUnheard(connection, isTurnedAway);
        }
    }

    // It has no session, or has never heard of it: its process can touch no memory.
    private void forgetUnheard(Connection connection, boolean isTurnedAway) {
        boolean isUnheard = connection.answer() instanceof Welcome && !connection.isWelcomed();
        if ((isTurnedAway || isUnheard) && news.awaitingExit().remove(connection) && isUnheard) {
            news.tell(SessionEvent.PROVED_DEAD, connection);
        }
    }

    private void end(Connection connection, boolean clean) {
        if (!connection.isOpen()) {
            return;
        }
        try {
            close(connection);
        } finally {
            if (connection.isAttached()) {
                tellEnd(connection, clean);
            }
        }
    }

    private void tellEnd(Connection connection, boolean clean) {
        if (!connection.isSentAway()) {
            news.tell(clean ? SessionEvent.GONE_CLEANLY : SessionEvent.GONE, connection);
        } else if (clean) {
            news.tell(SessionEvent.PROVED_DEAD, connection);
        }
        if (!clean) {
            news.awaitExit(connection, clock.nanoTime());
        }
    }

    private void close(Connection connection) {
        connections.remove(connection);
        connection.close();
    }

    private void closeSilent(long nowNs) {
        for (Connection c = connections.first(), next; c != null; c = next) {
            next = connections.next(c);
            if (c.hello() == null && nowNs - c.handshakeDeadlineNs() >= 0) {
                close(c);
                errors.record("A peer connected and did not introduce itself in time.");
            }
        }
    }

    /** Closes all sockets, after the last {@link #turn}. Without memory it waits for some. */
    void close() {
        for (Connection c = connections.poll(); c != null; c = connections.poll()) {
            closeLast(c);
        }
        shortage.awaitEnd();
        try (selector) {
            socket.close();
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.EIO, "Cannot close the socket " + socket.file().path() + ".", e);
        }
    }

    private static void closeLast(Connection connection) {
        try {
            connection.close();
        } catch (OutOfMemoryError | LinkageError e) {
            // The close of the selector closes the rest of it.
        }
    }
}
