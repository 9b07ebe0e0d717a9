package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.SharedSegment;
import org.jbmi.mempool.ThreadParking;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.daemon.gateway.RelayOfStreams;
import org.jbmi.zbmi.engine.Engine;
import org.jbmi.zbmi.engine.port.EagerPlaces;
import org.jbmi.zbmi.engine.port.EngineHost;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.engine.port.Fault;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.host.port.SegmentPayload;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.link.ShmClientLink;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;
import org.jbmi.zbmi.protocol.handshake.Welcome;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Random;

/**
 * An engine, a gateway's relay and a client's link in one thread: real lanes in a real segment, and
 * a stream in memory. Each of them moves only when it is told to. The server's messages go to the
 * engine directly.
 */
final class LinkWorld implements EngineHost, AutoCloseable {
    static final int SESSION = 1;
    static final int GENERATION = 7;
    static final int MAX_OPERATIONS = 200;
    private static final int SERVER_GENERATION = 3;

    /** No gateway is too slow. */
    static final LinkSettings PATIENT =
            new LinkSettings(
                    SelectorProvider.provider(),
                    ThreadParking.INSTANCE,
                    Long.MAX_VALUE,
                    FrameWriter.BUFFER_BYTES);

    final SegmentMap map =
            new SegmentMap(new SegmentGeometry(1, 16, 16, 4, 1024, 64 << 10, 8L << 20));
    final Queue<Message> toServer = new ArrayDeque<>();
    private final RelayOfStreams relay;
    final SocketClientLink link;
    private final SharedSegment segment;
    private final SocketChannel socket;
    private final SocketChannel farEnd;
    private final LanePort port;
    private final Engine engine;
    private final Message received = new Message();
    final StreamPipe toGateway;
    final StreamPipe toClient;
    private long nowNs = 1;

    LinkWorld(Path directory, Random random, PeerEvents events) throws IOException {
        segment = SharedSegment.create(directory.resolve("segment"), map.segmentBytes());
        map.writeControlPage(segment.memory());
        Waiting nobody = new NobodyWaits();
        EngineSegment view = new EngineSegment(segment.memory(), map, nobody);
        SessionLimits limits = new SessionLimits(1 << 20, 8192, 1024, 64, MAX_OPERATIONS);
        Welcome welcome =
                new Welcome(
                        SESSION,
                        GENERATION,
                        HostKind.DAEMON,
                        1,
                        0,
                        segment.file().toString(),
                        segment.generation(),
                        map.geometry(),
                        limits);
        engine = new Engine(engineLimits(), this, new SegmentPayload(view));
        port = new LanePort(view, welcome, 4 * MAX_OPERATIONS);
        engine.serverAttached(SERVER_GENERATION);
        engine.clientAttached(SESSION, GENERATION);
        UnixDomainSocketAddress address =
                UnixDomainSocketAddress.of(directory.resolve("life.sock"));
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(address);
            socket = SocketChannel.open(address);
            socket.configureBlocking(false);
            farEnd = listener.accept();
        }
        AttachRequest request =
                new AttachRequest(
                        address.getPath(),
                        PeerRole.CLIENT,
                        "shm",
                        1,
                        nobody,
                        NanoClock.SYSTEM,
                        new ProcessLiveness());
        PeerAttachment attachment =
                new PeerAttachment(
                        socket,
                        segment.memory(),
                        segment.segment(),
                        segment::close,
                        welcome,
                        request);
        toGateway = new StreamPipe(random, 3000 + random.nextInt(100_000));
        toClient = new StreamPipe(random, 3000 + random.nextInt(100_000));
        relay =
                new RelayOfStreams(
                        toGateway,
                        toClient,
                        out -> new ShmClientLink(attachment, out),
                        segment.memory(),
                        map);
        link =
                new SocketClientLink(
                        new StreamTransport(toClient, toGateway),
                        new LinkWelcome(GENERATION, 4, limits),
                        events,
                        NanoClock.SYSTEM,
                        PATIENT);
    }

    private EngineLimits engineLimits() {
        return new EngineLimits(
                1,
                MAX_OPERATIONS,
                1000,
                1 << 20,
                8192,
                1024,
                4,
                EagerPlaces.of(map),
                64,
                map.unexpectedOffset(),
                64 << 10,
                map.expectedOffset(),
                8L << 20,
                0);
    }

    SharedMemory memory() {
        return segment.memory();
    }

    /** A command of the server's. */
    void command(Message message) {
        engine.receive(SegmentMap.SERVER_SESSION, message, nowNs++);
    }

    /** The engine looks at some messages. */
    boolean pumpEngine(int most) {
        int count = port.flush();
        while (count < most && port.poll(received) == LanePort.RECEIVED) {
            engine.receive(SESSION, received, nowNs++);
            count++;
        }
        assertThat(port.brokenReason()).isNull();
        port.signal();
        return count > 0;
    }

    /**
     * The engine tells the client something; returns whether the relay's host is to ring for it.
     */
    boolean tellClient() throws IOException {
        assertThat(port.send(ClientEvents.testReply(received, -1, 0))).isTrue();
        boolean rings = port.signal() == LanePort.NEEDS_BYTE;
        if (rings) {
            farEnd.write(ByteBuffer.wrap(new byte[1]));
        }
        return rings;
    }

    boolean relaySleeps() {
        return relay.prepareSleep();
    }

    boolean pumpRelay() throws IOException {
        return relay.pump(nowNs++);
    }

    boolean pumpLink() {
        int count = link.progress();
        assertThat(link.brokenReason()).isNull();
        return count > 0;
    }

    /** All of them, until nothing moves any more; duties are done before each round. */
    void settle(Runnable duties) throws IOException {
        int idle = 0;
        for (int i = 0; idle < 20; i++) {
            duties.run();
            boolean moved = pumpEngine(10) | pumpRelay() | pumpLink();
            idle = moved || toClient.size() > 0 || toGateway.size() > 0 ? 0 : idle + 1;
            assertThat(i).as("rounds until all is quiet").isLessThan(1_000_000);
        }
    }

    @Override
    public void send(int session, Message message) {
        if (session == SegmentMap.SERVER_SESSION) {
            Message copy = new Message();
            copy.copyFrom(message);
            toServer.add(copy);
        } else {
            assertThat(port.send(message)).isTrue();
        }
    }

    @Override
    public boolean mayPublish(int client) {
        throw new AssertionError("a client behind a gateway has no data slots");
    }

    @Override
    public boolean sendData(int client, Message head, long offset, long bytes) {
        throw new AssertionError("a client behind a gateway has no room inside a message");
    }

    @Override
    public void fault(int session, Fault fault) {
        throw new AssertionError("session " + session + ": " + fault);
    }

    @Override
    public void close() throws IOException {
        link.close();
        relay.close();
        farEnd.close();
    }

    private static final class NobodyWaits implements Waiting {
        @Override
        public boolean await(SharedMemory memory, long offset, int expected, long timeoutNs) {
            throw new AssertionError("somebody waits in a world without time");
        }

        @Override
        public void wakeAll(SharedMemory memory, long offset) {}
    }
}
