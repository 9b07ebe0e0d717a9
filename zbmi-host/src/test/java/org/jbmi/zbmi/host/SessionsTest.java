package org.jbmi.zbmi.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.Liveness;
import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.host.port.PortOpener;
import org.jbmi.zbmi.protocol.handshake.AskOperations;
import org.jbmi.zbmi.protocol.handshake.Goodbye;
import org.jbmi.zbmi.protocol.handshake.HandshakeCodec;
import org.jbmi.zbmi.protocol.handshake.HandshakeFrame;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jbmi.zbmi.protocol.handshake.Refused;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Connections that close before the engine has answered them, one turn after the other. */
@Timeout(60)
class SessionsTest {
    private static final int MORE_THAN_THE_QUEUE_HOLDS = 500;
    private static final int MOST_CONNECTIONS = 18;
    private static final long TIMEOUT_NS = TimeUnit.DAYS.toNanos(1);

    @TempDir private Path folder;

    private final AtomicLong timeNs = new AtomicLong();
    private final AtomicLong startMs = new AtomicLong(Liveness.START_UNKNOWN);
    private final AtomicLong askedForProcesses = new AtomicLong();
    private final List<Long> askedForStarts = new ArrayList<>();
    private final PlayedHost host = new PlayedHost();
    private final Events events = new Events();
    private Sessions sessions;
    private boolean isMemoryLacking;

    private static final class Events implements SessionEvent.Taker {
        private final List<Connection> asking = new ArrayList<>();
        private final List<Connection> attached = new ArrayList<>();
        private final List<Connection> gone = new ArrayList<>();
        private final List<Connection> provedDead = new ArrayList<>();
        private boolean isFull;
        private Runnable atGone = () -> {};

        @Override
        public boolean tell(SessionEvent event, Connection connection) {
            if (event == SessionEvent.GONE) {
                atGone.run();
            }
            return !isFull && of(event).add(connection);
        }

        private List<Connection> of(SessionEvent event) {
            return switch (event) {
                case ATTACH -> attached;
                case GONE, GONE_CLEANLY -> gone;
                case PROVED_DEAD -> provedDead;
                case ASKED -> asking;
            };
        }
    }

    private static class Lanes implements SessionTransports {
        @Override
        public PortOpener link(String name) {
            return LanePort::new;
        }

        @Override
        public PortOpener channel(String name) {
            throw new AssertionError("no server comes");
        }
    }

    /** The close of the second one fails if there is no memory. */
    private final class ClosingLanes implements SessionTransports {
        private final List<Integer> closed;

        ClosingLanes(List<Integer> closed) {
            this.closed = closed;
        }

        @Override
        public PortOpener link(String name) {
            return (segment, welcome, maxBacklog) ->
                    new LanePort(segment, welcome, maxBacklog) {
                        @Override
                        public void closeAtEnd() {
                            if (welcome.session() == 2 && isMemoryLacking) {
                                isMemoryLacking = false;
                                throw new OutOfMemoryError("played");
                            }
                            closed.add(welcome.session());
                        }
                    };
        }

        @Override
        public PortOpener channel(String name) {
            throw new AssertionError("no server comes");
        }
    }

    /** There is one process of each id. */
    private final class Counted implements Liveness {
        @Override
        public boolean isAlive(long pid, long startTimeMs) {
            askedForProcesses.incrementAndGet();
            return startTimeMs == START_UNKNOWN || startTimeMs == startMs.get();
        }

        @Override
        public long startTimeMs(long pid) {
            if (isMemoryLacking) {
                isMemoryLacking = false;
                throw new OutOfMemoryError("played");
            }
            askedForStarts.add(pid);
            return startMs.get();
        }
    }

    @BeforeEach
    void listen() throws IOException {
        HostContext context =
                new HostContext(
                        () -> timeNs.addAndGet(TimeUnit.SECONDS.toNanos(1)),
                        host.context.waiting(),
                        new Counted(),
                        host.context.errors(),
                        host.context.sessionCounters(),
                        TIMEOUT_NS);
        sessions = new Sessions(folder.resolve("socket"), context, 1, events);
    }

    @AfterEach
    void close() {
        sessions.close();
    }

    private SocketChannel client() throws IOException {
        return client(ProcessHandle.current().pid());
    }

    private SocketChannel client(long pid) throws IOException {
        SocketChannel client = connect();
        client.write(HandshakeCodec.encode(hello(pid)));
        return client;
    }

    private SocketChannel connect() throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(folder.resolve("socket")));
    }

    private static Hello hello(long pid) {
        return new Hello(PeerRole.CLIENT, pid, 0, "shm");
    }

    private void turnUntilThereAre(int count, List<Connection> connections) throws IOException {
        while (connections.size() < count) {
            sessions.turn(1);
        }
    }

    @Test
    void aFullQueueOfRequestsLosesNone() throws IOException {
        try (SocketChannel client = client();
                SocketChannel closed = SocketChannel.open()) {
            turnUntilThereAre(1, events.attached);
            for (int i = 0; i < MORE_THAN_THE_QUEUE_HOLDS; i++) {
                sessions.request(new Connection(closed, 0), Connection.ANSWER);
            }
            sessions.request(events.attached.getFirst(), Connection.WAKE);
            sessions.turn(1);
            ByteBuffer woken = ByteBuffer.allocate(1);
            assertThat(client.read(woken)).isEqualTo(1);
            assertThat(woken.get(0)).isEqualTo(HandshakeCodec.WAKE);
        }
    }

    /** Others wait in the queue of the socket. */
    @Test
    void noMoreAreTakenWhileTheEngineIsFarBehind() throws IOException {
        int crowd = MOST_CONNECTIONS + MOST_CONNECTIONS / 3;
        events.isFull = true;
        for (int i = 0; i < crowd; i++) {
            client().close();
            for (int turn = 0; turn < 3; turn++) {
                sessions.turn(1);
            }
        }
        events.isFull = false;
        sessions.turn(1);
        assertThat(events.attached).hasSizeBetween(MOST_CONNECTIONS / 2, MOST_CONNECTIONS);
        turnUntilThereAre(crowd, events.attached);
    }

    @Test
    void aHelloThatFindsNoMemoryIsTakenInALaterTurn() throws IOException {
        try (SocketChannel _ = client()) {
            isMemoryLacking = true;
            while (isMemoryLacking) {
                sessions.turn(1);
            }
            assertThat(events.attached).isEmpty();
            sessions.turn(0); // at once: nothing comes that would wake it
            assertThat(events.attached).hasSize(1);
            assertThat(host.errors).containsExactly("There was no memory to serve the peers.");
        }
    }

    @Test
    void aLateGoodbyeThatFindsNoMemoryFreesItsSession() throws IOException {
        try (SocketChannel client = client()) {
            turnUntilThereAre(1, events.attached);
            Connection connection = events.attached.getFirst();
            sessions.request(connection, Connection.SEND_AWAY);
            sessions.turn(1);
            LackAtClose.of(connection.channel());
            client.write(HandshakeCodec.encode(new Goodbye(false)));
            while (connection.isOpen()) {
                sessions.turn(1);
            }
            sessions.turn(1);
            assertThat(events.provedDead).containsExactly(connection);
            assertThat(host.errors).containsExactly("There was no memory to serve the peers.");
        }
    }

    @Test
    void aRefusalThatFindsNoMemoryLeavesNoConnection() throws IOException {
        try (SocketChannel client = connect()) {
            client.write(HandshakeCodec.encode(new AskOperations(0)));
            turnUntilThereAre(1, events.asking);
            Connection connection = events.asking.getFirst();
            LackAtClose.of(connection.channel());
            client.write(HandshakeCodec.encode(hello(ProcessHandle.current().pid() + 1)));
            while (connection.isOpen()) {
                sessions.turn(1);
            }
            timeNs.addAndGet(2 * TIMEOUT_NS);
            sessions.turn(1);
        }
        assertThat(host.errors)
                .containsExactly(
                        "Refused a peer: The hello names another process than the one at the other"
                                + " end of the socket.",
                        "There was no memory to serve the peers.");
    }

    @Test
    void oneThatIsTurnedAwayAfterItHasGoneIsForgotten() throws IOException {
        client().close();
        Connection connection = goneAndWatched();

        connection.answer(new Refused(ErrorCode.ENOBUFS.negativeValue(), "No room."), -1);
        sessions.request(connection, Connection.ANSWER);
        assertIsWatchedNoMore();
        assertThat(events.provedDead).as("it has no session").isEmpty();
    }

    @Test
    void oneThatGetsASessionAfterItHasGoneIsForgotten() throws IOException {
        client().close();
        Connection connection = goneAndWatched();

        connection.answer(welcome(), 1);
        sessions.request(connection, Connection.ANSWER);
        assertIsWatchedNoMore();
        assertThat(events.provedDead).as("its session is free").containsExactly(connection);
        assertThat(connection.isUnheard()).isTrue();
    }

    @Test
    void oneThatNeverHeardOfItsSessionHasNotDied() throws IOException {
        SessionTable table = host.parts(new Lanes()).table();
        try (SocketChannel socket = SocketChannel.open()) {
            Connection connection = new Connection(socket, 0);
            connection.hello(hello(1));
            table.attach(connection);
            assertThat(table.port(connection.session())).isNotNull();
            connection.close();
            table.gone(connection, false);
            table.provedDead(connection);
        }
        assertThat(host.counter("zbmi.sessions.deaths").get()).isZero();
        assertThat(host.counter("zbmi.sessions.quarantined").get()).isZero();
        assertThat(host.errors).isEmpty();
    }

    @Test
    void aDeathIsCountedWithoutMemoryForTheLog() throws IOException {
        SessionTable table = host.parts(new Lanes()).table();
        try (SocketChannel socket = SocketChannel.open()) {
            Connection connection = new Connection(socket, 0);
            connection.hello(hello(1));
            table.attach(connection);
            host.isMemoryLacking = true;
            assertThatCode(() -> table.gone(connection, false)).doesNotThrowAnyException();
            host.isMemoryLacking = false;
            table.provedDead(connection);
        }
        assertThat(host.counter("zbmi.sessions.deaths").get()).isOne();
        assertThat(host.counter("zbmi.sessions.quarantined").get()).isZero();
    }

    @Test
    void anAttachWithoutMemoryIsRefusedAndLeavesTheSessionToTheNext() throws IOException {
        AtomicBoolean isLacking = new AtomicBoolean(true);
        SessionTable table =
                host.parts(
                                new Lanes() {
                                    @Override
                                    public PortOpener link(String name) {
                                        if (isLacking.getAndSet(false)) {
                                            throw new OutOfMemoryError("played");
                                        }
                                        return super.link(name);
                                    }
                                })
                        .table();
        try (SocketChannel socket = SocketChannel.open()) {
            Connection first = new Connection(socket, 0);
            first.hello(hello(1));
            SessionEvent.ATTACH.apply(table, first);
            assertThat(first.answer())
                    .isInstanceOfSatisfying(
                            Refused.class,
                            r -> assertThat(r.asException().code()).isEqualTo(ErrorCode.ENOMEM));
            Connection next = new Connection(socket, 0);
            next.hello(hello(1));
            SessionEvent.ATTACH.apply(table, next);
            assertThat(next.session()).isEqualTo(1);
            assertThat(host.counter("zbmi.sessions.attached").get()).isEqualTo(1);
        }
    }

    @Test
    void aCloseOfThePortsThatFoundNoMemoryGoesOn() throws IOException {
        List<Integer> closed = new ArrayList<>();
        SessionTable table = host.parts(new ClosingLanes(closed)).table();
        try (SocketChannel socket = SocketChannel.open()) {
            for (int i = 0; i < 2; i++) {
                Connection connection = new Connection(socket, 0);
                connection.hello(hello(1));
                table.attach(connection);
            }
            isMemoryLacking = true;
            assertThatCode(table::closePorts).isInstanceOf(OutOfMemoryError.class);
            table.closePorts();
            assertThat(closed).containsExactly(1, 2);
        }
    }

    @Test
    void oneThatDoesNotSayWhenItsProcessStartedIsNotTakenForTheNextOfItsId() throws IOException {
        startMs.set(5000);
        client().close();
        Connection connection = goneAndWatched();
        startMs.set(6000);
        sessions.turn(1);
        assertThat(events.provedDead).containsExactly(connection);
    }

    @Test
    void aProcessThatIsNotThePeersIsNotLookedAt() throws IOException {
        try (SocketChannel client = client(ProcessHandle.current().pid() + 1)) {
            client.configureBlocking(false);
            while (readAll(client) != -1) {
                sessions.turn(1);
            }
        }
        assertThat(events.attached).isEmpty();
        assertThat(askedForStarts).isEmpty();
    }

    @Test
    void theEngineHearsOfOneThatCannotBeSentAway() throws IOException {
        try (SocketChannel _ = client()) {
            turnUntilThereAre(1, events.attached);
            Connection connection = events.attached.getFirst();
            connection.channel().close(); // it cannot be shut down
            sessions.request(connection, Connection.EVICT);
            sessions.turn(1);
            assertThat(events.gone).containsExactly(connection);
            assertThat(connection.isOpen()).isFalse();
        }
    }

    @Test
    void theEngineHearsOnceOfOneThatIsSentAwayAgain() throws IOException {
        try (SocketChannel _ = client()) {
            turnUntilThereAre(1, events.attached);
            for (int i = 0; i < 2; i++) {
                sessions.request(events.attached.getFirst(), Connection.SEND_AWAY);
                sessions.turn(1);
            }
            assertThat(events.gone).hasSize(1);
        }
    }

    /** The engine wakes it then, and it would sleep on if its socket were as before. */
    @Test
    void oneThatIsSentAwayFindsTheEndOnItsSocketWhenTheEngineHearsOfIt() throws IOException {
        try (SocketChannel client = client()) {
            turnUntilThereAre(1, events.attached);
            client.configureBlocking(false);
            int[] read = {1};
            events.atGone = () -> read[0] = readAll(client);
            sessions.request(events.attached.getFirst(), Connection.EVICT);
            sessions.turn(1);
            assertThat(events.gone).hasSize(1);
            assertThat(read[0]).isEqualTo(-1);
        }
    }

    /** What the last read gives: 0, or -1 at the end. */
    private static int readAll(SocketChannel channel) {
        ByteBuffer bytes = ByteBuffer.allocate(1024);
        try {
            int count = channel.read(bytes);
            return count > 0 ? channel.read(bytes) : count;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void oneThatCannotBeWelcomedIsForgotten() throws IOException {
        try (SocketChannel _ = client()) {
            turnUntilThereAre(1, events.attached);
            Connection connection = events.attached.getFirst();
            connection.channel().shutdownOutput(); // the welcome cannot be written
            connection.answer(welcome(), 1);
            sessions.request(connection, Connection.ANSWER);
            assertIsWatchedNoMore();
            assertThat(events.gone).containsExactly(connection);
            assertThat(events.provedDead).as("its session is free").containsExactly(connection);
            assertThat(connection.isOpen()).isFalse();
        }
    }

    private Connection goneAndWatched() throws IOException {
        turnUntilThereAre(1, events.gone);
        sessions.turn(1);
        long asked = askedForProcesses.get();
        sessions.turn(1);
        assertThat(askedForProcesses).as("its process is watched").hasValueGreaterThan(asked);
        return events.gone.getFirst();
    }

    private void assertIsWatchedNoMore() throws IOException {
        sessions.turn(1);
        long asked = askedForProcesses.get();
        sessions.turn(1);
        assertThat(askedForProcesses).as("its process is not watched").hasValue(asked);
    }

    private HandshakeFrame welcome() {
        return SteppedHost.template(HostKind.EMBEDDED, 1, host.layout, "played", 1).welcome(1, 1);
    }
}
