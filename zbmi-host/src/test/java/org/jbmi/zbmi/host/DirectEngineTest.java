package org.jbmi.zbmi.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.NanoClock;
import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.zbmi.channel.EngineDoor;
import org.jbmi.zbmi.host.port.LanePort;
import org.jbmi.zbmi.host.port.PortOpener;
import org.jbmi.zbmi.link.PeerLine;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.ServerEvents;
import org.jbmi.zbmi.protocol.ServerPost;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jbmi.zbmi.protocol.handshake.Hello;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What is left of an engine in a server's process when something throws in the middle of it. */
@Timeout(30)
class DirectEngineTest {
    private static final long SLICE_NS = 1_000_000;
    private static final long MS = 1_000_000;

    /** A lost wake-up is a sleep of this length, which the test does not bear. */
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(20);

    /** A host in which an error is thrown whenever a client comes. */
    private static final class Broken implements SessionTransports {
        private final AtomicInteger asked = new AtomicInteger();

        @Override
        public PortOpener link(String name) {
            asked.incrementAndGet();
            throw new InternalError("played");
        }

        @Override
        public PortOpener channel(String name) {
            throw new AssertionError("no server comes");
        }
    }

    /** Lanes in the segment for each client. */
    private static final class Lanes implements SessionTransports {
        @Override
        public PortOpener link(String name) {
            return LanePort::new;
        }

        @Override
        public PortOpener channel(String name) {
            throw new AssertionError("no server comes");
        }
    }

    @Test
    void anErrorEndsItInWordsAndNobodyUsesItAgain() throws IOException {
        PlayedHost parts = new PlayedHost();
        Broken transports = new Broken();
        DirectEngine engine =
                new DirectEngine(parts.parts(transports), parts.output, parts.context, SLICE_NS);
        AtomicInteger woken = new AtomicInteger();
        engine.use(woken::incrementAndGet);
        try (SocketChannel socket = SocketChannel.open()) {
            Connection connection = new Connection(socket, 0);
            connection.hello(new Hello(PeerRole.CLIENT, 1, 0, "shm"));

            assertThat(engine.tell(SessionEvent.ATTACH, connection)).isTrue();

            assertThat(engine.failure()).contains("InternalError");
            assertThat(woken).as("the keeper ends the server's session").hasPositiveValue();
            assertThat(parts.errors).anyMatch(text -> text.contains("InternalError"));
            engine.tell(SessionEvent.ATTACH, connection);
            assertThat(engine.post(post(70), true)).isFalse();
            engine.tell(ServerRequests.UNEXPECTED_FREE, 0, 0);
            assertThat(engine.lead()).isZero();
            assertThat(engine.prepareSleep(true)).isZero();
            assertThat(engine.keep()).isFalse();
            assertThat(engine.keepOn(true)).isNegative();
            assertThat(transports.asked).as("it was asked once").hasValue(1);
        }
    }

    /** A refusal would leave the session half open, and no later client would get it. */
    @Test
    void aServerWithoutMemoryForAClientThatHasItsSessionEndsIt() throws IOException {
        PlayedHost host = new PlayedHost();
        EngineParts parts = host.parts(new Lanes());
        DirectEngine engine = new DirectEngine(parts, host.output, host.context, SLICE_NS);
        engine.opened(
                new HeardEvents() {
                    @Override
                    public void clientAttached(int client, int generation) {
                        throw new OutOfMemoryError("played");
                    }
                });
        parts.table().attachOwnServer(1);
        try (SocketChannel socket = SocketChannel.open()) {
            Connection connection = new Connection(socket, 0);
            connection.hello(new Hello(PeerRole.CLIENT, 1, 0, "shm"));
            engine.tell(SessionEvent.ATTACH, connection);
            assertThat(engine.failure()).contains("OutOfMemoryError");
        }
    }

    /** What was posted while the keeper led was taken for as old as the keeper's lead. */
    @Test
    void whoeverLeadsLooksWhatTimeItIs() {
        AtomicLong nowNs = new AtomicLong(1);
        PlayedHost host = new PlayedHost(nowNs::get);
        EngineParts parts = host.parts(new Broken());
        DirectEngine engine = new DirectEngine(parts, host.output, host.context, SLICE_NS);
        engine.opened(new HeardEvents());
        parts.table().attachOwnServer(1);
        parts.engine().clientAttached(1, 1);
        for (int i = 0; i < 8; i++) {
            engine.lead(); // in quick succession
        }
        assertThat(engine.keep()).as("somebody leads").isFalse();
        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(5));
        assertThat(engine.keepOn(false)).isZero();

        ServerPost post = post(70);
        post.offset = host.layout.map().expectedOffset();
        assertThat(engine.post(post, true)).isTrue();
        assertThat(post.answer()).isEqualTo(ServerEvents.REGISTERED);

        AtomicLong ages = new AtomicLong(-1);
        parts.engine()
                .showOperations(
                        0,
                        1 << 30,
                        1 << 30,
                        (id, client, ofServer, isSend, unexpected, tag, bytes, ageNs, reason) ->
                                ages.set(ageNs),
                        nowNs.get());
        assertThat(ages).as("its age in ns").hasValue(0);
    }

    /** A message changes some twenty counters, so they are written at the keeper's ticks. */
    @Test
    void countersAreWrittenAtEachTickWhileRoundsFollowEachOther() {
        PlayedHost host = new PlayedHost(() -> 1);
        EngineParts parts = host.parts(new Broken());
        DirectEngine engine = new DirectEngine(parts, host.output, host.context, SLICE_NS);
        engine.opened(new HeardEvents());
        parts.table().attachOwnServer(1);
        parts.counters().begin(1, 7);
        parts.engine().clientAttached(1, 1);
        Counter total = host.counter("zbmi.calls.send");
        Counter own = host.counter("zbmi.session.1.calls.send");
        sendShort(parts);
        engine.lead();
        assertThat(List.of(total.get(), own.get())).containsExactly(1L, 1L);
        for (int i = 0; i < 8; i++) {
            engine.lead(); // in quick succession
        }

        for (int i = 0; i < 5; i++) {
            sendShort(parts);
        }
        engine.lead();
        assertThat(List.of(total.get(), own.get())).containsExactly(1L, 1L);
        engine.keep();
        assertThat(List.of(total.get(), own.get())).containsExactly(6L, 6L);

        sendShort(parts);
        parts.counters().begin(1, 8);
        sendShort(parts);
        engine.prepareSleep(false);
        assertThat(total.get()).isEqualTo(8);
        assertThat(own.get()).as("of the next session").isEqualTo(1);
    }

    private static void sendShort(EngineParts parts) {
        parts.engine().receive(1, ClientRequests.sendKept(new Message(), 5, 0, 8).put(0), 1);
    }

    /** Otherwise each of them reads the lanes of all clients, of whom each is looked at in turn. */
    @Test
    void roundsThatNeverPauseForgetQuietSessions() {
        AtomicLong nowNs = new AtomicLong(1);
        PlayedHost host = new PlayedHost(nowNs::get);
        EngineParts parts = host.parts(new Broken());
        DirectEngine engine = new DirectEngine(parts, host.output, host.context, SLICE_NS);
        parts.table().attachOwnServer(1);
        for (int i = 0; i < 8; i++) {
            engine.lead(); // in quick succession
        }
        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(engine.keep()).as("somebody leads").isFalse();
        engine.lead();
        assertThat(parts.round().isHot()).isFalse();
    }

    @Test
    void anEngineThatIsClosedHasWrittenItsCounters() {
        PlayedHost host = new PlayedHost(() -> 1);
        EngineParts parts = host.parts(new Broken());
        DirectEngine engine = new DirectEngine(parts, host.output, host.context, SLICE_NS);
        for (int i = 0; i < 8; i++) {
            engine.lead(); // in quick succession
        }
        engine.opened(new HeardEvents());
        parts.engine().serverAttached(1);
        parts.engine().clientAttached(1, 1);
        sendShort(parts);
        sendShort(parts);
        Counter ofServer = Counters.inMemory().register(1, "copies", "messages");
        parts.counters().countCopiesIn(ofServer);
        engine.lead();
        assertThat(host.counter("zbmi.copies").get()).isZero();
        engine.close();
        assertThat(host.counter("zbmi.calls.send").get()).isEqualTo(2);
        assertThat(host.counter("zbmi.copies").get()).isEqualTo(2);
        assertThat(ofServer.get()).isEqualTo(2);
    }

    /** Otherwise its clients ring for the keeper while it is at what it woke for. */
    @Test
    void whoWakesWhileTheKeeperTicksIsReckonedWithAtOnce() {
        AtomicLong nowNs = new AtomicLong(1);
        PlayedHost host = new PlayedHost(nowNs::get);
        EngineParts parts = host.parts(new Broken());
        DirectEngine engine = new DirectEngine(parts, host.output, host.context, SLICE_NS);
        AtomicInteger woken = new AtomicInteger();
        engine.use(woken::incrementAndGet);
        parts.table().attachOwnServer(1);
        for (int i = 0; i < 8; i++) {
            engine.lead();
            nowNs.addAndGet(TimeUnit.MICROSECONDS.toNanos(60)); // at a few requests
        }
        assertThat(mustRing(host)).isFalse();
        assertThat(woken).as("the keeper ticks").hasValue(1);

        assertThat(engine.prepareSleep(true)).isNotZero();
        assertThat(mustRing(host)).isTrue();
        engine.endSleep();
        assertThat(mustRing(host)).isFalse();
        assertThat(woken).as("it need not be woken").hasValue(1);

        assertThat(engine.keep()).as("somebody has led").isFalse();
        assertThat(mustRing(host)).isFalse();
        assertThat(engine.keep()).as("nobody has").isFalse();
        assertThat(mustRing(host)).isTrue();
        assertThat(engine.prepareSleep(true)).isNotZero();
        engine.endSleep();
        assertThat(mustRing(host)).as("nothing ticks any more").isTrue();
    }

    private static boolean mustRing(PlayedHost host) {
        return host.memory.getIntVolatile(host.layout.map().engineSleepWordOffset()) != 0;
    }

    /** A receive of the server's, on tag 7 of client 1. */
    private static ServerPost post(long reference) {
        ServerPost post = new ServerPost();
        post.reference = reference;
        post.session = 1;
        post.generation = 1;
        post.tag = 7;
        post.expiryMs = ServerRequests.NEVER;
        post.bytes = 8;
        return post;
    }

    /** A server's door, and a client that is granted the place of a receive once it is posted. */
    private static final class Granted {
        final PlayedHost host;
        final EngineParts parts;
        final HeardEvents heard = new HeardEvents();
        final DirectDoor door;
        final ServerPost post = post(70);

        Granted(NanoClock clock, long sliceNs) {
            host = new PlayedHost(clock);
            parts = host.parts(new Broken());
            DirectEngine engine = new DirectEngine(parts, host.output, host.context, sliceNs);
            door = new DirectDoor(engine, heard, clock, sliceNs, mostNs -> {});
            parts.table().attachOwnServer(1);
            parts.engine().clientAttached(1, 1);
            Message m = new Message();
            parts.engine().receive(1, ClientRequests.test(m, 5, 1 << 30), clock.nanoTime());
            ClientRequests.send(m, 6, 900, 7, 8, 0, ClientRequests.NOT_EAGER, 0);
            parts.engine().receive(1, m, clock.nanoTime());
            post.offset = host.layout.map().expectedOffset();
        }

        /** What the engine calls the server's operation. */
        long zoidId() {
            AtomicLong found = new AtomicLong();
            parts.engine()
                    .showOperations(
                            0,
                            1 << 30,
                            1 << 30,
                            (id, client, ofServer, isSend, unexpected, tag, bytes, age, reason) -> {
                                if (ofServer) {
                                    found.set(id);
                                }
                            },
                            0);
            return found.get();
        }
    }

    /** The engine holds the answer back while a client moves the bytes; nobody waits for ever. */
    @Test
    void aPostThatIsNotAnsweredInItsTimeGoesOnWithoutItsThread() {
        AtomicLong nowNs = new AtomicLong(1);
        Granted world = new Granted(() -> nowNs.addAndGet(MS), SLICE_NS);
        world.door.waitBy(WaitPolicy.of(WaitPolicy.Mode.SPIN, 0));
        long beganNs = nowNs.get();
        assertThat(world.door.post(world.post, 100 * MS)).isEqualTo(PeerLine.TIMED_OUT);
        assertThat(nowNs.get() - beganNs).isBetween(100 * MS, 150 * MS);
        assertThat(world.heard.lines).containsExactly("attached 1");
        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(5));
        world.door.progress();
        assertThat(world.heard.lines).contains("registered 70").doesNotContain("done 70: 8");
        assertThat(world.post.isAnswered()).as("the answer goes to the server").isFalse();
    }

    @Test
    void aPostWithoutWaitingIsAnsweredAtOnceAlthoughAClientIsMovingItsBytes() {
        Granted world = new Granted(NanoClock.SYSTEM, SLICE_NS);
        assertThat(world.door.post(world.post, EngineDoor.WITHOUT_WAITING)).isEqualTo(PeerLine.OK);
        assertThat(world.post.answer()).isEqualTo(ServerEvents.REGISTERED);
        assertThat(world.door.cancel(70, world.post.value(), true))
                .isEqualTo(ServerEvents.CANCELLED);
        assertThat(world.door.cancel(70, world.post.value(), true)).isEqualTo(ServerEvents.UNKNOWN);
        assertThat(world.heard.lines).containsExactly("attached 1");
    }

    /** Whoever is in the engine hears the answer, and the thread that sleeps for it must wake. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoSleepsUntilItsPostIsAnsweredIsWoken(boolean isVirtual) throws InterruptedException {
        Granted world = new Granted(NanoClock.SYSTEM, LONG_NS);
        AtomicInteger result = new AtomicInteger();
        Runnable wait = () -> result.set(world.door.post(world.post, LONG_NS));
        Thread thread =
                isVirtual ? Thread.ofVirtual().start(wait) : Thread.ofPlatform().start(wait);
        while (world.post.sleeper() == null) {
            Thread.onSpinWait();
        }
        assertThat(world.door.cancel(70, world.zoidId(), true)).isEqualTo(ServerEvents.CANCELLED);
        assertThat(thread.join(Duration.ofNanos(LONG_NS / 2))).as("it has woken").isTrue();
        assertThat(result).hasValue(PeerLine.OK);
        assertThat(world.post.answer()).isEqualTo(ServerEvents.REGISTERED);
    }
}
