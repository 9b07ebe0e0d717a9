package org.jbmi.zbmi.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.NanoClock;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.link.LaneConsumer;
import org.jbmi.zbmi.link.LaneProducer;
import org.jbmi.zbmi.link.MessageSource;
import org.jbmi.zbmi.protocol.ClientEvents;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.handshake.HandshakeFrame;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Who must go, and when a session is free, in a host that is played step by step. */
@Timeout(30)
class SteppedHostTest implements SteppedHost.Sockets {
    private static final int UNKNOWN_KIND = 77;

    private final PlayedHost parts = new PlayedHost();
    private final Map<SocketChannel, HandshakeFrame> answers = new HashMap<>();
    private final List<SocketChannel> evicted = new ArrayList<>();
    private final List<SocketChannel> sentAway = new ArrayList<>();
    private final List<SocketChannel> opened = new ArrayList<>();
    private SteppedHost host;

    @BeforeEach
    void begin() {
        host =
                new SteppedHost(
                        parts.layout,
                        parts.segment,
                        "played",
                        1,
                        parts.counters,
                        parts.context,
                        LanePort::new,
                        this);
    }

    @AfterEach
    void closeSockets() throws IOException {
        for (SocketChannel channel : opened) {
            channel.close();
        }
    }

    @Override
    public void answer(SocketChannel socket, HandshakeFrame frame) {
        answers.put(socket, frame);
    }

    @Override
    public void evict(SocketChannel socket) {
        evicted.add(socket);
    }

    @Override
    public void sendAway(SocketChannel socket) {
        sentAway.add(socket);
    }

    @Override
    public void wake(SocketChannel socket) {}

    private SocketChannel greets(PeerRole role, String transport) throws IOException {
        SocketChannel socket = SocketChannel.open();
        opened.add(socket);
        long pid = ProcessHandle.current().pid();
        assertThat(host.greeted(socket, new Hello(role, pid, 0, transport))).isTrue();
        return socket;
    }

    private void round() {
        host.round(NanoClock.SYSTEM.nanoTime());
    }

    private Welcome welcome(SocketChannel socket) {
        assertThat(answers.get(socket)).isInstanceOf(Welcome.class);
        return (Welcome) answers.get(socket);
    }

    private void writesNonsense(SocketChannel socket) {
        writes(socket, nonsense());
    }

    private static Message nonsense() {
        return new Message().start(UNKNOWN_KIND).put(1);
    }

    private void writes(SocketChannel socket, Message... messages) {
        Welcome welcome = welcome(socket);
        SessionArea area = parts.layout.map().session(welcome.session());
        LaneProducer lane =
                new LaneProducer(
                        parts.memory,
                        area.towardEngineOffset(),
                        area.laneSlots(),
                        area.consumedByEngineOffset(),
                        welcome.generation());
        List.of(messages).forEach(lane::offer);
    }

    @Test
    void oneThatBreaksTheProtocolOftenIsEvictedOnce() throws Exception {
        SocketChannel server = greets(PeerRole.SERVER, "ring");
        round();
        writes(server, nonsense(), nonsense(), nonsense());
        round();
        assertThat(evicted).containsExactly(server);
        assertThat(parts.counter("zbmi.sessions.evictions").get()).isEqualTo(1);
    }

    private static Message post(int kind, int session) {
        Message post = new Message();
        ServerRequests.post(post, kind, 1, 1, session, 1, 1, ServerRequests.NEVER, 10);
        return ServerRequests.place(post, 0, 0, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {ServerRequests.POST_SEND, ServerRequests.POST_RECEIVE})
    void aPostForASessionThatThereIsNotHarmsNobodyElse(int kind) throws Exception {
        int none = parts.layout.geometry().maxClients() + 1;
        for (int session : new int[] {none, 1 << 28, -1, Integer.MIN_VALUE}) {
            SocketChannel server = greets(PeerRole.SERVER, "ring");
            round();
            writes(server, post(kind, session));
            host.hungUp(greets(PeerRole.CLIENT, "shm"), true); // something to wake up for
            round();
            round();
            SocketChannel good = greets(PeerRole.CLIENT, "shm");
            round();
            assertThat(welcome(good).session()).isPositive();
            host.hungUp(good, true);
            host.hungUp(server, true);
            round();
        }
    }

    /** The server may have reckoned the time that is left after the round began. */
    @Test
    void aPostDoesNotExpireBeforeItsDeadline() throws Exception {
        SocketChannel server = greets(PeerRole.SERVER, "ring");
        SocketChannel client = greets(PeerRole.CLIENT, "shm");
        round();
        Welcome to = welcome(client);
        int kind = ServerRequests.POST_RECEIVE;
        Message post = new Message();
        ServerRequests.post(post, kind, 1, 1, to.session(), to.generation(), 1, 60_000, 10);
        writes(server, ServerRequests.place(post, parts.layout.map().expectedOffset(), 0, 0));
        host.hungUp(greets(PeerRole.CLIENT, "shm"), true); // something to wake up for
        long nowNs = NanoClock.SYSTEM.nanoTime();
        host.round(nowNs - TimeUnit.SECONDS.toNanos(90));
        host.round(nowNs);
        List<Integer> said = new ArrayList<>();
        LaneConsumer lane = reader(server);
        Message event = new Message();
        while (lane.poll(event) == MessageSource.RECEIVED) {
            said.add(event.kind());
        }
        assertThat(said).contains(ServerEvents.REGISTERED).doesNotContain(ServerEvents.COMPLETION);
    }

    /** Before a send the engine reads the lane of the client, which may have cancelled. */
    @Test
    void aSendToTheServersOwnSessionIsNotOvertaken() throws Exception {
        SocketChannel server = greets(PeerRole.SERVER, "ring");
        round();
        Message[] posts = new Message[3];
        for (int i = 0; i < posts.length; i++) {
            posts[i] = post(ServerRequests.POST_SEND, SegmentMap.SERVER_SESSION);
            posts[i].setWord(0, 100 + i);
        }
        writes(server, posts);
        host.hungUp(greets(PeerRole.CLIENT, "shm"), true); // something to wake up for
        round();
        LaneConsumer lane = reader(server);
        Message event = new Message();
        List<Long> refused = new ArrayList<>();
        while (lane.poll(event) == MessageSource.RECEIVED) {
            if (event.kind() == ServerEvents.POST_REFUSED) {
                refused.add(ServerEvents.correlation(event));
            }
        }
        assertThat(refused).containsExactly(100L, 101L, 102L);
    }

    @Test
    void whoGetsTheSessionOfOneThatBrokeTheProtocolIsNotEvictedForIt() throws Exception {
        SocketChannel bad = greets(PeerRole.CLIENT, "shm");
        round();
        writesNonsense(bad);
        host.hungUp(bad, true);
        SocketChannel good = greets(PeerRole.CLIENT, "shm");
        round();

        assertThat(welcome(good).session()).isEqualTo(welcome(bad).session());
        assertThat(parts.errors)
                .as("the same for each session")
                .anyMatch(text -> text.startsWith("A client broke the protocol"));
        assertThat(evicted).doesNotContain(good);
    }

    @Test
    void whoBreaksTheProtocolAndStaysIsEvicted() throws Exception {
        SocketChannel bad = greets(PeerRole.CLIENT, "shm");
        round();
        writesNonsense(bad);
        host.hungUp(greets(PeerRole.CLIENT, "shm"), true); // something to wake up for
        round();
        round();

        assertThat(evicted).containsExactly(bad);
    }

    @Test
    void aClientThatIsSentAwayForALoanFreesItsSessionByItsGoodbye() throws Exception {
        host.lendsBy(new NoMemory());
        for (int i = 0; i < 3 * parts.layout.geometry().maxClients(); i++) {
            SocketChannel client = greets(PeerRole.CLIENT, "shm");
            round();
            assertThat(welcome(client).session()).isEqualTo(1);
            SocketChannel server = greets(PeerRole.SERVER, HostKind.DIRECT.label());
            round();
            assertThat(sentAway).containsExactly(client);
            sentAway.clear();
            host.hungUp(client, false);
            host.hungUp(server, true);
            host.provedDead(client);
            round();
        }
        assertThat(evicted).isEmpty();
        assertThat(parts.counters.find("zbmi.sessions.quarantined").get()).isZero();
        assertThat(parts.counters.find("zbmi.sessions.deaths").get()).isZero();
    }

    /** As when a server closes whose lane has no room for its goodbye. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aServerThatSaysGoodbyeByItsSocketAloneHasClosed(boolean isClean) throws Exception {
        SocketChannel server = greets(PeerRole.SERVER, "ring");
        SocketChannel client = greets(PeerRole.CLIENT, "shm");
        round();
        writes(client, ClientRequests.receive(new Message(), 5, 1, 3, 10, 0, 0));
        host.hungUp(greets(PeerRole.CLIENT, "shm"), true); // something to wake up for
        round();
        host.hungUp(server, isClean);
        round();
        assertThatItsPostFailed(client, isClean ? ErrorCode.EPIPE : ErrorCode.EHOSTDOWN);
    }

    /** As when the server's last message is its FINISH. */
    @Test
    void whatAClientPostedBeforeTheServersGoodbyeEndsWithIt() throws Exception {
        SocketChannel server = greets(PeerRole.SERVER, "ring");
        SocketChannel client = greets(PeerRole.CLIENT, "shm");
        round();
        writes(client, ClientRequests.receive(new Message(), 5, 1, 3, 10, 0, 0));
        host.hungUp(server, true);
        round();
        assertThatItsPostFailed(client, ErrorCode.EPIPE);
    }

    private void assertThatItsPostFailed(SocketChannel client, ErrorCode code) {
        Message event = new Message();
        LaneConsumer lane = reader(client);
        assertThat(lane.poll(event)).isEqualTo(MessageSource.RECEIVED);
        assertThat(event.kind()).isEqualTo(ClientEvents.PENDING);
        assertThat(lane.poll(event)).isEqualTo(MessageSource.RECEIVED);
        assertThat(event.kind()).isEqualTo(ClientEvents.FAILED);
        assertThat(ClientEvents.failedCode(event)).isEqualTo(code.negativeValue());
    }

    private LaneConsumer reader(SocketChannel socket) {
        Welcome welcome = welcome(socket);
        SessionArea area = parts.layout.map().session(welcome.session());
        return new LaneConsumer(
                parts.memory,
                area.towardPeerOffset(),
                area.laneSlots(),
                area.consumedByPeerOffset(),
                area.engineWantsCreditOffset(),
                welcome.generation());
    }

    private static final class NoMemory implements SteppedHost.Lending {
        @Override
        public long lend() {
            return 1;
        }

        @Override
        public void takeBack() {}
    }
}
