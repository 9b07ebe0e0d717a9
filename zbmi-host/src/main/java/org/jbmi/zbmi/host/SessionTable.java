package org.jbmi.zbmi.host;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.IntrusiveList;
import org.jbmi.zbmi.engine.Engine;
import org.jbmi.zbmi.engine.port.EngineHost;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.place.HostCounters;
import org.jbmi.zbmi.host.place.OperationsView;
import org.jbmi.zbmi.host.place.Refusals;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jbmi.zbmi.protocol.handshake.AskOperations;
import org.jbmi.zbmi.protocol.handshake.HandshakeFrame;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.OperationsPage;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jbmi.zbmi.protocol.handshake.Refused;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.ObjIntConsumer;

/**
 * The connection and the port of each session. Carries the engine's messages. For the engine's
 * thread alone, or in a server that hosts the engine for the thread that has the engine's lock.
 */
final class SessionTable implements EngineHost {
    private static final int CLOSED = ErrorCode.EPIPE.negativeValue();
    private static final int HOST_DOWN = ErrorCode.EHOSTDOWN.negativeValue();

    /** The correlation of a call without a waiting thread. */
    private static final long NOBODY = 0;

    private final EngineSegment segment;
    private final SessionTransports transports;
    private final WelcomeTemplate template;
    private final HostCounters counters;
    private final ErrorLog errors;
    private final @Nullable Connection[] connections;
    private final @Nullable LanePort[] ports;
    private final boolean[] isTouched;
    private final int[] touched;
    private int touchedCount;
    private final int[] late;
    private int lateCount;
    private final IntrusiveList<Connection.Eviction> evictions = new IntrusiveList<>();
    private final NanoClock clock;
    private final Message last = new Message();
    private @Nullable Engine engine;
    private @Nullable ObjIntConsumer<Connection> sessions;
    private int lastGeneration;
    private long ownServerPid;
    private @Nullable Loans lender;

    SessionTable(
            EngineSegment segment,
            SessionTransports transports,
            WelcomeTemplate template,
            HostCounters counters,
            HostContext context) {
        this.segment = segment;
        this.transports = transports;
        this.template = template;
        this.counters = counters;
        this.errors = context.errors();
        this.clock = context.clock();
        int count = segment.map().maxClients() + 1;
        this.connections = new Connection[count];
        this.ports = new LanePort[count];
        this.isTouched = new boolean[count];
        this.touched = new int[count];
        this.late = new int[count];
    }

    /** Sets the engine, which is made after this table. */
    void use(Engine newEngine, ObjIntConsumer<Connection> newSessions) {
        engine = newEngine;
        sessions = newSessions;
    }

    /** From now on servers may host the engine themselves. */
    void lendsBy(Loans newLender) {
        lender = newLender;
    }

    private boolean isLent() {
        return lender != null && lender.isLent();
    }

    private Engine engine() {
        return Objects.requireNonNull(engine, "no engine yet");
    }

    private ObjIntConsumer<Connection> sessions() {
        return Objects.requireNonNull(sessions, "no sessions yet");
    }

    int sessionCount() {
        return ports.length;
    }

    /** How many messages each lane of a session holds. */
    int laneSlots(int session) {
        return segment.map().laneSlots(session);
    }

    /** A session's port; null if the session is free, or if there is no such number. */
    @Nullable LanePort port(int session) {
        return session >= 0 && session < ports.length ? ports[session] : null;
    }

    /** A peer has sent its hello: gives it a session, or refuses it. Without memory it throws. */
    void attach(Connection connection) {
        Hello hello = connection.peer();
        Loans loans = lender;
        try {
            if (hello.role() == PeerRole.SERVER
                    && hello.transport().equals(HostKind.DIRECT.label())) {
                lend(connection, hello, loans);
                return;
            }
            if (loans != null && loans.isLent() && hello.role() == PeerRole.CLIENT) {
                answer(connection, loans.redirect(), -1);
                return;
            }
            boolean isServer = hello.role() == PeerRole.SERVER;
            open(connection, hello, isServer ? serverSession() : clientSession());
        } catch (BmiException e) {
            String sentence = String.valueOf(e.getMessage());
            answer(connection, new Refused(e.code().negativeValue(), sentence), -1);
        }
    }

    /** A process asks for the pending operations: answers with a page. */
    void asked(Connection connection) {
        AskOperations question = connection.question();
        if (lender != null && lender.isLent()) {
            answer(connection, lender.redirect(), -1);
        } else if (question != null) {
            OperationsPage page =
                    OperationsView.page(
                            engine(), question.firstSlot(), clock.nanoTime(), this::pidOf);
            answer(connection, page, -1);
        }
    }

    private long pidOf(int session) {
        Connection connection = connections[session];
        long own = session == SegmentMap.SERVER_SESSION ? ownServerPid : 0;
        return connection == null ? own : connection.peer().pid();
    }

    /** The server is in this process: no other one can attach, and it has no port. */
    Welcome attachOwnServer(long pid) {
        int session = SegmentMap.SERVER_SESSION;
        Welcome welcome = template.welcome(session, nextGeneration());
        ownServerPid = pid;
        counters.begin(session, pid);
        engine().introduced(session, pid);
        engine().serverAttached(welcome.generation());
        return welcome;
    }

    // The clients that waited here for a server are redirected when they come again.
    private void lend(Connection connection, Hello hello, @Nullable Loans loans) {
        transports.checkLoan();
        int session = serverSession();
        counters.prepare(session);
        Welcome welcome = Refusals.requireLender(loans).lend(template, nextGeneration());
        for (int i = 1; i < ports.length; i++) {
            Connection waiting = connections[i];
            if (waiting != null && ports[i] != null) {
                waiting.evictLater(evictions, Connection.SEND_AWAY);
            }
        }
        connections[session] = connection;
        counters.begin(session, hello.pid());
        answer(connection, welcome, session);
    }

    private int serverSession() {
        if (ownServerPid != 0) {
            throw Refusals.ofSecondServer(ownServerPid);
        }
        if (engine().mayAttachServer() && connections[SegmentMap.SERVER_SESSION] == null) {
            return SegmentMap.SERVER_SESSION;
        }
        Connection present = connections[SegmentMap.SERVER_SESSION];
        boolean isServed = engine().isServerAttached() || (isLent() && present != null);
        throw Refusals.ofServer(isServed, present == null ? 0 : present.peer().pid());
    }

    private int clientSession() {
        for (int i = 1; i < ports.length; i++) {
            if (connections[i] == null && engine().mayAttachClient(i)) {
                return i;
            }
        }
        throw new BmiException(ErrorCode.ENOBUFS, Refusals.noRoom(connections));
    }

    private void open(Connection connection, Hello hello, int session) {
        int generation = nextGeneration();
        counters.prepare(session); // before the answer, what needs memory changes nothing without
        Welcome welcome = template.welcome(session, generation);
        int backlog = template.maxBacklog(session);
        LanePort port =
                session == SegmentMap.SERVER_SESSION
                        ? transports.channel(hello.transport()).host(segment, welcome, backlog)
                        : transports.link(hello.transport()).host(segment, welcome, backlog);
        connection.answer(welcome, session);
        ports[session] = port;
        connections[session] = connection;
        counters.begin(session, hello.pid());
        engine().introduced(session, hello.pid());
        if (session == SegmentMap.SERVER_SESSION) {
            engine().serverAttached(generation);
        } else {
            engine().clientAttached(session, generation);
        }
        sessions().accept(connection, Connection.ANSWER);
    }

    private int nextGeneration() {
        lastGeneration = lastGeneration == Integer.MAX_VALUE ? 1 : lastGeneration + 1;
        return lastGeneration;
    }

    /** Gives a connection its answer, and its session; -1 for none. Allocates nothing. */
    void answer(Connection connection, HandshakeFrame frame, int session) {
        connection.answer(frame, session);
        sessions().accept(connection, Connection.ANSWER);
    }

    /** A peer's socket is closed. */
    void gone(Connection connection, boolean clean) {
        int session = connection.session();
        if (session < 0 || !isOf(connection, session)) {
            return;
        }
        drainLast(session, clean);
        closePort(session);
        if (!clean) {
            segment.tellEnd(session); // it may live
            counters.quarantined.addBySingleWriter(1);
        }
        if (!clean && !connection.isSentAway() && !connection.isUnheard()) {
            recordDeath();
        }
        if (session == SegmentMap.SERVER_SESSION && isLent()) {
            takeBack(clean);
        } else if (session == SegmentMap.SERVER_SESSION) {
            finish(clean);
            engine().serverGone(clean);
        } else {
            engine().clientGone(session, clean && !connection.isLost() ? CLOSED : HOST_DOWN, clean);
        }
        if (clean) {
            forget(session);
        }
    }

    private void recordDeath() {
        counters.deaths.addBySingleWriter(1);
        try {
            errors.record(
                    "A peer went without a goodbye; its memory is kept until its process ends.");
        } catch (OutOfMemoryError | LinkageError e) {
            // It would end the engine for all. The death is counted.
        }
    }

    // A server that closes while its lane is full says goodbye on its socket only.
    private void finish(boolean clean) {
        if (clean && engine().isServerAttached()) {
            Message finish = ServerRequests.finish(last, NOBODY);
            engine().receive(SegmentMap.SERVER_SESSION, finish, clock.nanoTime());
        }
    }

    private void closePort(int session) {
        LanePort port = ports[session];
        ports[session] = null;
        if (port != null) {
            port.close();
        }
    }

    /** The host serves no peer any more. To be called again if it finds no memory. */
    void closePorts() {
        for (int i = 0; i < ports.length; i++) {
            LanePort port = ports[i];
            if (port != null) {
                port.closeAtEnd();
                ports[i] = null;
            }
        }
    }

    /** Tells all peers that their sockets are closed. Any thread, while the segment is there. */
    void tellEnds() {
        segment.tellEnds();
    }

    // Messages that came before the end still count: its news came by the socket, which is faster.
    // Before a goodbye of the server those of all clients do, as before a FINISH.
    private void drainLast(int session, boolean clean) {
        boolean isOfAll = session == SegmentMap.SERVER_SESSION && clean && !isLent();
        for (int i = isOfAll ? ports.length - 1 : session; i >= session; i--) {
            drain(i);
        }
    }

    private void drain(int session) {
        LanePort port = ports[session];
        if (port == null) {
            return;
        }
        long nowNs = clock.nanoTime();
        int most = laneSlots(session);
        for (int i = 0; i < most && port.poll(last) == LanePort.RECEIVED; i++) {
            engine().receive(session, last, nowNs);
        }
        touch(session);
    }

    /**
     * A peer that had gone can touch no memory any more: its process has ended, or it has said
     * goodbye after its session was ended.
     */
    void provedDead(Connection connection) {
        int session = connection.session();
        if (session < 0 || !isOf(connection, session)) {
            return;
        }
        counters.quarantined.addBySingleWriter(-1);
        if (session == SegmentMap.SERVER_SESSION && isLent()) {
            takeBack(true);
        } else if (session == SegmentMap.SERVER_SESSION) {
            engine().serverProvedDead();
        } else {
            engine().clientProvedDead(session);
        }
        forget(session);
    }

    // The segment is removed when the server can write there no more.
    private void takeBack(boolean isProved) {
        if (isProved && lender != null) {
            lender.takeBack();
        }
    }

    private void forget(int session) {
        connections[session] = null;
        counters.end(session);
    }

    @SuppressWarnings("ReferenceEquality") // the very connection
    private boolean isOf(Connection connection, int session) {
        return connections[session] == connection;
    }

    @Override
    public void send(int session, Message message) {
        LanePort port = ports[session];
        if (port != null) {
            if (!port.send(message)) {
                fault(session, Fault.BACKLOG);
            }
            touch(session);
        }
    }

    @Override
    public boolean mayPublish(int client) {
        LanePort port = ports[client];
        return port != null && port.mayPublish();
    }

    @Override
    public boolean sendData(int client, Message head, long offset, long bytes) {
        LanePort port = ports[client];
        if (port == null) {
            return false;
        }
        segment.readWords(offset, bytes, head);
        if (!port.publish(head)) {
            return false;
        }
        touch(client);
        return true;
    }

    /** Marks a peer that may have to be woken at the end of the round. */
    void touch(int session) {
        if (!isTouched[session]) {
            isTouched[session] = true;
            touched[touchedCount++] = session;
        }
    }

    /** How many sessions were touched in this round. */
    int touchedCount() {
        return touchedCount;
    }

    /** One of them. */
    int touched(int i) {
        return touched[i];
    }

    @Override
    public void fault(int session, Fault fault) {
        counters.faults.addBySingleWriter(1);
        Connection connection = connections[session];
        if (fault.endsSession() && connection != null) {
            connection.evictLater(evictions, Connection.EVICT);
        }
        LanePort port = ports[session];
        try {
            boolean isServer = session == SegmentMap.SERVER_SESSION;
            errors.record(fault.text(isServer, port == null ? null : port.brokenReason()));
        } catch (OutOfMemoryError | LinkageError e) {
            // It would end the engine for all. The fault is counted.
        }
    }

    /**
     * After events: wakes peers, some of them only in {@link #tellLate}, and evicts those at fault.
     */
    void afterEvents(boolean mayBeLate) {
        for (int i = 0; i < touchedCount; i++) {
            int session = touched[i];
            isTouched[session] = false;
            LanePort port = ports[session];
            if (mayBeLate && port != null && port.hasLateEventsOnly()) {
                late[lateCount++] = session;
            } else {
                signal(session);
            }
        }
        touchedCount = 0;
        if (!mayBeLate) {
            settleLate();
        }
        for (var next = evictions.poll(); next != null; next = evictions.poll()) {
            evict(next);
        }
    }

    // A store into a line that a client polls takes as long as a message does, and the next lock
    // waits for it. So it is made after the request has gone to the program, and mostly with the
    // reply.
    private void settleLate() {
        for (int i = 0; i < lateCount; i++) {
            LanePort port = ports[late[i]];
            if (port != null) {
                port.settle();
            }
        }
    }

    /** Wakes the peers that were not woken for an event that may be late. */
    void tellLate() {
        for (int i = 0; i < lateCount; i++) {
            signal(late[i]);
        }
        lateCount = 0;
    }

    private void signal(int session) {
        LanePort port = ports[session];
        Connection connection = connections[session];
        if (port != null && port.signal() == LanePort.NEEDS_BYTE && connection != null) {
            sessions().accept(connection, Connection.WAKE);
        }
    }

    private void evict(Connection.Eviction who) {
        Connection connection = who.connection();
        int session = connection.session();
        if (isOf(connection, session) && ports[session] != null) {
            closePort(session);
            counters.evictions.addBySingleWriter(who.how() == Connection.EVICT ? 1 : 0);
            sessions().accept(connection, who.how());
        }
    }
}
