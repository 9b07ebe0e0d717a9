package org.jbmi.zbmi.link;

import static org.jbmi.zbmi.protocol.SegmentMap.SERVER_SESSION;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.mempool.SharedSegment;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.engine.Engine;
import org.jbmi.zbmi.engine.port.EagerPlaces;
import org.jbmi.zbmi.engine.port.EngineHost;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.host.port.CommandPortProvider;
import org.jbmi.zbmi.host.port.CommandPorts;
import org.jbmi.zbmi.host.port.Doorbell;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.host.port.SegmentPayload;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.handshake.HandshakeCodec;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zbmi.protocol.handshake.Welcome;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/**
 * As much of a daemon as the tests of this module need: a real segment, a real socket, the engine
 * in a thread of its own with doorbell and sleep. It trusts its peers and knows no deaths but
 * goodbyes.
 */
final class MiniDaemon implements EngineHost {
    static final int MAX_CLIENTS = 4;

    /** More than any test leaves unread: a client that only sends must not be ended for it. */
    private static final int MAX_BACKLOG = 40_000;

    final SharedSegment segment;
    final SegmentMap map;
    final Path socketPath;
    private final Path directory;
    private final Waiting waiting = new FutexWaiting();
    private final EngineSegment engineSegment;
    private final Engine engine;
    private final Doorbell doorbell;
    private final LanePort[] ports = new LanePort[MAX_CLIENTS + 1];
    private final SocketChannel[] sockets = new SocketChannel[MAX_CLIENTS + 1];
    private final boolean[] isHot = new boolean[MAX_CLIENTS + 1];
    private final int[] generations = new int[MAX_CLIENTS + 1];
    private final ServerSocketChannel listener;
    private final Queue<Runnable> orders = new ConcurrentLinkedQueue<>();
    private final Thread engineThread;
    private final Thread acceptThread;
    private final List<String> faults = new ArrayList<>();
    private final Queue<Integer> toEvict = new ArrayDeque<>();
    private final CommandPortProvider channel;
    private volatile boolean isClosing;

    MiniDaemon(int laneSlots) throws IOException {
        this(laneSlots, "ring");
    }

    MiniDaemon(int laneSlots, String channel) throws IOException {
        this(laneSlots, CommandPorts.require(channel));
    }

    MiniDaemon(int laneSlots, CommandPortProvider channel) throws IOException {
        this.channel = channel;
        SegmentGeometry geometry =
                new SegmentGeometry(
                        MAX_CLIENTS, laneSlots, laneSlots, 4, 1024, 64 << 10, 16L << 20);
        this.map = new SegmentMap(geometry);
        this.directory = Files.createTempDirectory("zbmi");
        this.socketPath = directory.resolve("daemon.sock");
        Path file =
                Path.of(
                        "/dev/shm/zbmi-"
                                + ProcessHandle.current().pid()
                                + "-test-"
                                + Long.toHexString(System.nanoTime()));
        this.segment = SharedSegment.create(file, map.segmentBytes());
        map.writeControlPage(segment.memory());
        this.engineSegment = new EngineSegment(segment.memory(), map, waiting);
        this.doorbell = new Doorbell(engineSegment);
        this.engine = new Engine(limits(), this, new SegmentPayload(engineSegment));
        this.listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(socketPath));
        this.engineThread = Thread.ofPlatform().name("mini-engine").start(this::runEngine);
        this.acceptThread = Thread.ofPlatform().name("mini-accept").start(this::accept);
    }

    private EngineLimits limits() {
        return new EngineLimits(
                MAX_CLIENTS,
                1000,
                1000,
                8 << 20,
                8192,
                1024,
                4,
                EagerPlaces.of(map),
                4096,
                map.unexpectedOffset(),
                64 << 10,
                map.expectedOffset(),
                16L << 20,
                1_000_000_000L);
    }

    /** How a peer reaches this daemon. */
    AttachRequest request(PeerRole role) {
        return request(role, waiting);
    }

    /** The same, for a peer that sleeps as the waiting says. */
    AttachRequest request(PeerRole role, Waiting waiting) {
        String transport = role == PeerRole.SERVER ? channel.name() : "shm";
        return new AttachRequest(
                socketPath,
                role,
                transport,
                20_000_000_000L,
                waiting,
                NanoClock.SYSTEM,
                new ProcessLiveness());
    }

    List<String> faults() {
        synchronized (faults) {
            return List.copyOf(faults);
        }
    }

    /** Runs something in the engine's thread, and waits until it has been done. */
    void inEngine(Runnable order) {
        CountDownLatch done = new CountDownLatch(1);
        orders.add(
                () -> {
                    order.run();
                    done.countDown();
                });
        doorbell.wake();
        try {
            done.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    Engine engine() {
        return engine;
    }

    private void accept() {
        int nextClient = 1;
        try {
            while (true) {
                SocketChannel socket = listener.accept();
                ByteBuffer bytes = ByteBuffer.allocate(HandshakeCodec.MAX_FRAME_BYTES);
                while (HandshakeCodec.frameLength(bytes.duplicate().flip()) < 0
                        || bytes.position()
                                < HandshakeCodec.frameLength(bytes.duplicate().flip())) {
                    socket.read(bytes);
                }
                Hello hello = (Hello) HandshakeCodec.decode(bytes.flip());
                int session = hello.role() == PeerRole.SERVER ? SERVER_SESSION : nextClient++;
                welcome(socket, session);
            }
        } catch (IOException e) {
            if (!isClosing) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void welcome(SocketChannel socket, int session) throws IOException {
        int generation = ++generations[session] + 1000 * (session + 1);
        Welcome welcome =
                new Welcome(
                        session,
                        generation,
                        HostKind.DAEMON,
                        ProcessHandle.current().pid(),
                        0,
                        segment.file().toString(),
                        segment.generation(),
                        map.geometry(),
                        new SessionLimits(8 << 20, 8192, 1024, 4096, 1000));
        inEngine(
                () -> {
                    ports[session] =
                            session == SERVER_SESSION
                                    ? channel.host(engineSegment, welcome, MAX_BACKLOG)
                                    : new LanePort(engineSegment, welcome, MAX_BACKLOG);
                    sockets[session] = socket;
                    if (session == SERVER_SESSION) {
                        engine.serverAttached(generation);
                    } else {
                        engine.clientAttached(session, generation);
                    }
                });
        ByteBuffer answer = HandshakeCodec.encode(welcome);
        while (answer.hasRemaining()) {
            socket.write(answer);
        }
    }

    private void runEngine() {
        Message message = new Message();
        while (!isClosing) {
            boolean didWork = runOrders();
            for (int word = 0; word < doorbell.words(); word++) {
                long rung = doorbell.takeRung(word);
                while (rung != 0) {
                    int bit = Long.numberOfTrailingZeros(rung);
                    rung &= rung - 1;
                    isHot[Doorbell.session(word, bit)] = true;
                }
            }
            for (int session = 0; session < ports.length; session++) {
                if (isHot[session] && ports[session] != null) {
                    didWork |= serve(session, message);
                }
            }
            engine.tick(System.nanoTime());
            signalAll();
            evict();
            if (!didWork) {
                idle();
            }
        }
    }

    private boolean serve(int session, Message message) {
        LanePort port = ports[session];
        int count = port.flush();
        while (count < 100 && port.poll(message) == LanePort.RECEIVED) {
            engine.receive(session, message, System.nanoTime());
            count++;
        }
        if (port.brokenReason() != null) {
            fault(session, Fault.BROKEN_LANE);
        }
        return count > 0;
    }

    private boolean runOrders() {
        boolean any = false;
        for (Runnable order = orders.poll(); order != null; order = orders.poll()) {
            order.run();
            any = true;
        }
        return any;
    }

    private void signalAll() {
        for (int session = 0; session < ports.length; session++) {
            if (ports[session] != null && ports[session].signal() == LanePort.NEEDS_BYTE) {
                try {
                    sockets[session].write(ByteBuffer.wrap(new byte[] {HandshakeCodec.WAKE}));
                } catch (IOException e) {
                    // The peer has gone: the tests see that.
                }
            }
        }
    }

    private void evict() {
        for (Integer session = toEvict.poll(); session != null; session = toEvict.poll()) {
            ports[session].close();
            ports[session] = null;
            isHot[session] = false;
            try {
                sockets[session].close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            if (session == SERVER_SESSION) {
                engine.serverGone(true);
            } else {
                engine.clientGone(session, ErrorCode.EHOSTDOWN.negativeValue(), true);
            }
        }
    }

    private void idle() {
        boolean allCold = true;
        for (int session = 0; session < ports.length; session++) {
            if (isHot[session] && ports[session] != null) {
                isHot[session] = !ports[session].goCold();
                allCold &= !isHot[session];
            }
        }
        int word = allCold ? doorbell.prepareSleep(DoorbellRinger.ON_WORD) : 0;
        if (word != 0) {
            if (orders.isEmpty() && !isClosing) {
                long now = System.nanoTime();
                // A long sleep on purpose: a lost wake-up shows as a test that takes too long.
                doorbell.sleep(word, Math.min(engine.nanosToNextDeadline(now), 20_000_000_000L));
            }
            doorbell.finishSleep();
        }
    }

    @Override
    public void send(int session, Message message) {
        // What found no room must be looked at again, also of a session that was quiet.
        isHot[session] = true;
        if (ports[session] != null && !ports[session].send(message)) {
            fault(session, Fault.BACKLOG);
        }
    }

    @Override
    public boolean mayPublish(int client) {
        return ports[client] != null && ports[client].mayPublish();
    }

    @Override
    public boolean sendData(int client, Message head, long offset, long bytes) {
        LanePort port = ports[client];
        if (port == null) {
            return false;
        }
        isHot[client] = true;
        engineSegment.readWords(offset, bytes, head);
        return port.publish(head);
    }

    @Override
    public void fault(int session, Fault fault) {
        synchronized (faults) {
            faults.add(session + " " + fault);
        }
        if (fault.endsSession() && !toEvict.contains(session)) {
            toEvict.add(session);
        }
    }

    void close() throws Exception {
        isClosing = true;
        doorbell.wake();
        engineThread.join();
        for (LanePort port : ports) {
            if (port != null) {
                port.close();
            }
        }
        listener.close();
        acceptThread.join();
        for (SocketChannel socket : sockets) {
            if (socket != null) {
                socket.close();
            }
        }
        segment.close();
        Files.delete(socketPath);
        Files.delete(directory);
    }
}
