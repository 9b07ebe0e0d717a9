package org.jbmi.zbmi.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.NanoClock;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.zbmi.channel.CommandChannelProvider;
import org.jbmi.zbmi.link.CallTable;
import org.jbmi.zbmi.link.ClientLinkProvider;
import org.jbmi.zbmi.link.PeerChannel;
import org.jbmi.zbmi.link.PeerEvents;
import org.jbmi.zbmi.protocol.Hello;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.PeerRole;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jbmi.zbmi.protocol.Welcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What is left of an engine in a server's process when something throws in the middle of it. */
@Timeout(30)
class DirectEngineTest {
    private static final long SLICE_NS = 1_000_000;
    private static final long MS = 1_000_000;

    /** A host that runs out of memory whenever a client comes. */
    private static final class NoMemory implements SessionTable.Transports {
        private final AtomicInteger asked = new AtomicInteger();

        @Override
        public ClientLinkProvider link(String name) {
            asked.incrementAndGet();
            throw new OutOfMemoryError("played");
        }

        @Override
        public CommandChannelProvider channel(String name) {
            throw new AssertionError("no server comes");
        }
    }

    @Test
    void anErrorEndsItInWordsAndNobodyUsesItAgain() throws IOException {
        PlayedHost parts = new PlayedHost();
        NoMemory transports = new NoMemory();
        DirectEngine engine = new DirectEngine(parts.parts(transports), parts.context, SLICE_NS);
        AtomicInteger woken = new AtomicInteger();
        engine.use(woken::incrementAndGet);
        try (SocketChannel socket = SocketChannel.open()) {
            Connection connection = new Connection(socket, 0);
            connection.hello(new Hello(PeerRole.CLIENT, 1, 0, "shm"));

            assertThat(engine.attach(connection)).isTrue();

            assertThat(engine.failure()).contains("OutOfMemoryError");
            assertThat(woken).as("the keeper ends the server's session").hasPositiveValue();
            assertThat(parts.errors).anyMatch(text -> text.contains("OutOfMemoryError"));
            engine.attach(connection);
            engine.feed(new Message());
            assertThat(engine.lead()).isZero();
            assertThat(engine.prepareSleep(true)).isZero();
            assertThat(engine.keep()).isFalse();
            assertThat(engine.keepOn(true)).isNegative();
            assertThat(transports.asked).as("it was asked once").hasValue(1);
        }
    }

    /** What was posted while the keeper led was taken for as old as the keeper's lead. */
    @Test
    void whoeverLeadsLooksWhatTimeItIs() {
        AtomicLong nowNs = new AtomicLong(1);
        PlayedHost host = new PlayedHost(nowNs::get);
        EngineParts parts = host.parts(new NoMemory());
        DirectEngine engine = new DirectEngine(parts, host.context, SLICE_NS);
        MessageRing ring = new MessageRing(16);
        parts.table().attachOwnServer(1, new DirectPort(ring, 16));
        parts.engine().clientAttached(1, 1);
        for (int i = 0; i < 8; i++) {
            engine.lead(); // in quick succession
        }
        assertThat(engine.keep()).as("somebody leads").isFalse();
        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(5));
        assertThat(engine.keepOn(false)).isZero();

        Message post = new Message();
        ServerRequests.post(
                post, ServerRequests.POST_RECEIVE, 1, 70, 1, 1, 7, ServerRequests.NEVER, 8);
        engine.feed(ServerRequests.place(post, host.layout.map().expectedOffset(), 0, 0));

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

    /** Otherwise its clients ring for the keeper while it is at what it woke for. */
    @Test
    void whoWakesWhileTheKeeperTicksIsReckonedWithAtOnce() {
        AtomicLong nowNs = new AtomicLong(1);
        PlayedHost host = new PlayedHost(nowNs::get);
        EngineParts parts = host.parts(new NoMemory());
        DirectEngine engine = new DirectEngine(parts, host.context, SLICE_NS);
        AtomicInteger woken = new AtomicInteger();
        engine.use(woken::incrementAndGet);
        parts.table().attachOwnServer(1, new DirectPort(new MessageRing(16), 16));
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

    /** The crowd before a call and its answer had the time-out each. */
    @Test
    void aCallThatWaitsForItsTurnAndForItsAnswerHasOneTime() {
        AtomicLong nowNs = new AtomicLong(1);
        NanoClock clock = () -> nowNs.addAndGet(MS);
        PlayedHost host = new PlayedHost(clock);
        EngineParts parts = host.parts(new NoMemory());
        DirectEngine engine = new DirectEngine(parts, host.context, SLICE_NS);
        MessageRing ring = new MessageRing(16);
        Welcome welcome = parts.table().attachOwnServer(1, new DirectPort(ring, 16));
        CallTable calls = new CallTable();
        List<CallTable.Call> crowd = new ArrayList<>();
        for (CallTable.Call one = calls.takeNow(() -> false); one != null; ) {
            crowd.add(one);
            one = calls.takeNow(() -> false);
        }
        NanoClock leaving =
                () -> {
                    long now = clock.nanoTime();
                    if (now > 80 * MS && !crowd.isEmpty()) {
                        calls.release(crowd.removeLast());
                        crowd.clear();
                    }
                    return now;
                };
        DirectChannel channel =
                new DirectChannel(
                        welcome, engine, ring, new Unheard(), leaving, MS, mostNs -> {}, calls);
        channel.waitBy(WaitPolicy.of(WaitPolicy.Mode.SPIN, 0));

        // One that nobody answers.
        Message note = ServerRequests.unexpectedFree(new Message(), 0);
        assertThat(channel.call(note, new Message(), 100 * MS)).isEqualTo(PeerChannel.TIMED_OUT);
        assertThat(nowNs.get() / MS).isBetween(100L, 150L);
    }

    private static final class Unheard implements PeerEvents {
        @Override
        public void onEvent(Message message) {}

        @Override
        public void onBroken(String reason) {
            throw new AssertionError(reason);
        }
    }
}
