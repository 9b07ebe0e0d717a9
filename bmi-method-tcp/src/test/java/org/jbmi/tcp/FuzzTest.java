package org.jbmi.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.PostResult;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.tcp.wire.Dialect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Whatever peers send, in whatever state of their streams: nothing hangs, nothing grows beyond its
 * bound, every operation is told once, what is said to have arrived has the right bytes, and others
 * are served as if nothing was. The long form has a million inputs.
 */
@Timeout(value = 40, unit = TimeUnit.MINUTES)
class FuzzTest {
    private static final boolean LONG = Boolean.getBoolean("jbmi.long");
    private static final int INPUTS = LONG ? 500_000 : 15_000;
    private static final int PEERS = 12;
    private static final int UNEXPECTED_BYTES = 1 << 20;
    private static final int EARLY_BYTES = 4 << 20;

    /** Those that chance opens in the second or two in which the others are found to be gone. */
    private static final int MAX_CONNECTIONS = 3000;

    private static final long GROWTH_BYTES = 48L << 20;
    private static final long STEP_NS = 20_000_000_000L;
    private static final long FATE_NS = 20_000_000_000L;

    private record Receive(FuzzPeer from, int tag, MemorySegment memory) {}

    private record Fate(FuzzPeer peer, long untilNs) {
        static Fate of(FuzzPeer peer) {
            return new Fate(peer, System.nanoTime() + FATE_NS);
        }
    }

    private final long seed = Long.getLong("jbmi.fuzzSeed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<FuzzPeer> peers = new ArrayList<>();
    private final Map<PeerAddress, FuzzPeer> byAddress = new HashMap<>();
    private final Map<Long, Receive> pending = new HashMap<>();
    private final List<Fate> doomed = new ArrayList<>();
    private final Completions done = Completions.ofCapacity(64);
    private final UnexpectedMessages messages = UnexpectedMessages.ofCapacity(64);
    private TcpBench server;
    private TcpBench good;
    private PeerAddress goodUp;
    private PeerAddress goodBack;
    private UnexpectedListener all;
    private int serials;
    private long thrownOut;
    private long arrived;
    private long mostConnections;

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void nothingThatPeersSendDoesHarm(Dialect dialect) throws IOException {
        System.out.println("FuzzTest " + dialect + " seed " + seed + ", inputs " + INPUTS);
        String[] knobs = {
            "tcp.dialect", dialect.label(),
            "tcp.unexpectedBytes", Integer.toString(UNEXPECTED_BYTES),
            "tcp.unexpectedPeerBytes", "128k",
            "tcp.earlyBytes", Integer.toString(EARLY_BYTES),
            "tcp.earlyPeerBytes", "512k",
            "tcp.headerTimeoutMs", "300",
            "tcp.stallTimeoutMs", "1000",
            "tcp.earlyLingerMs", "100"
        };
        server = TcpBench.server(knobs);
        good = TcpBench.client("tcp.dialect", dialect.label());
        try (UnexpectedListener listening = server.bmi.openListener(UnexpectedFilter.ALL)) {
            all = listening;
            meetGood();
            long usedBytes = 0;
            for (int i = 0; i < INPUTS; i++) {
                step(dialect);
                if (i % 512 == 0) {
                    expectGoodWorks(i);
                    expectBounds();
                    expectFates();
                }
                if (i == INPUTS / 5) {
                    usedBytes = usedBytes();
                }
            }
            for (FuzzPeer peer : peers) {
                peer.reset();
            }
            expectRest();
            assertThat(usedBytes()).isLessThan(usedBytes + GROWTH_BYTES);
            System.out.println(
                    "FuzzTest connections "
                            + serials
                            + ", thrown out "
                            + thrownOut
                            + ", at most at a time "
                            + mostConnections
                            + ", messages checked "
                            + arrived);
        }
    }

    @AfterEach
    void close() {
        good.close();
        server.close();
    }

    private void meetGood() {
        goodUp = good.lookup(server.port());
        long hello = good.context.postSendUnexpected(goodUp, good.buffer(0), -1);
        TcpBench.eventually(
                () -> {
                    good.drive(1);
                    return all.test(messages, 1) == 1;
                },
                "the first message of the good one");
        goodBack = messages.peer(0);
        messages.free(0);
        assertThat(good.await(hello)).isZero();
    }

    private void step(Dialect dialect) throws IOException {
        if (peers.size() < PEERS) {
            peers.add(new FuzzPeer(serials++, server.port(), dialect, random));
        }
        FuzzPeer peer = peers.get(random.nextInt(peers.size()));
        if (!peer.gone && !peer.doomed) {
            peer.next();
        }
        if (peer.gone) {
            peers.remove(peer);
        } else if (peer.doomed && peer.hasWaiting()) {
            peer.finish();
        } else if (peer.doomed) {
            peers.remove(peer);
            condemn(peer);
        }
        if (random.nextInt(3) == 0) {
            drive();
        }
        if (random.nextInt(4) == 0) {
            act();
        }
    }

    /** Its end must come, unless its connection may wait for memory with good reason. */
    private void condemn(FuzzPeer peer) throws IOException {
        if (peer.expectedBytes < 64 << 10 && doomed.size() < 30) {
            doomed.add(Fate.of(peer));
        } else {
            peer.reset();
        }
    }

    private void expectFates() throws IOException {
        for (Fate fate : List.copyOf(doomed)) {
            if (fate.peer().listen()) {
                doomed.remove(fate);
                thrownOut++;
            } else if (isMemoryShort()) {
                doomed.set(doomed.indexOf(fate), Fate.of(fate.peer()));
            } else {
                assertThat(System.nanoTime() - fate.untilNs())
                        .as("peer %d is thrown out, seed %d", fate.peer().serial, seed)
                        .isNegative();
            }
        }
    }

    /** Then what condemns a connection may wait behind its messages, and has more time. */
    private boolean isMemoryShort() {
        return server.counter("tcp.unexpectedHeldBytes") > UNEXPECTED_BYTES / 2
                || server.counter("tcp.earlyHeldBytes") > EARLY_BYTES / 2;
    }

    private void drive() {
        long startNs = System.nanoTime();
        int count = server.context.testContext(done, 0);
        for (int i = 0; i < count; i++) {
            Receive receive = pending.remove(done.id(i));
            assertThat(receive).as("an operation that is told, seed %d", seed).isNotNull();
            if (done.outcome(i).isSuccess()) {
                check(receive, done.sizeBytes(i));
            }
        }
        int came = all.test(messages, 0);
        for (int i = 0; i < came; i++) {
            unexpected(i);
            messages.free(i);
        }
        assertThat(System.nanoTime() - startNs).as("a step, seed %d", seed).isLessThan(STEP_NS);
    }

    private void check(Receive receive, long sizeBytes) {
        if (!receive.from().bent) {
            expectPattern(receive.memory(), sizeBytes, receive.tag());
            arrived++;
        }
    }

    private void unexpected(int i) {
        PeerAddress address = messages.peer(i);
        MemorySegment payload = messages.payload(i);
        FuzzPeer from = byAddress.get(address);
        if (from == null) {
            boolean isHello = messages.tag(i) == 0 && payload.byteSize() == Integer.BYTES;
            int serial = isHello ? payload.get(ValueLayout.JAVA_INT_UNALIGNED, 0) : -1;
            for (FuzzPeer peer : peers) {
                if (peer.serial == serial) {
                    byAddress.put(address, peer);
                    peer.unexpectedNext = 1;
                }
            }
        } else if (!from.bent) {
            assertThat(messages.tag(i)).as("order, seed %d", seed).isEqualTo(from.unexpectedNext++);
            expectPattern(payload, payload.byteSize(), messages.tag(i));
            arrived++;
        }
    }

    private void expectPattern(MemorySegment memory, long sizeBytes, int tag) {
        for (int i = 0; i < sizeBytes; i++) {
            if (memory.get(ValueLayout.JAVA_BYTE, i) != FuzzPeer.pattern(tag, i)) {
                throw new AssertionError("byte " + i + " of tag " + tag + ", seed " + seed);
            }
        }
    }

    /** The server's program does something with one of the peers. */
    private void act() {
        byAddress.values().removeIf(peer -> peer.gone && random.nextInt(20) == 0);
        if (byAddress.isEmpty()) {
            return;
        }
        List<PeerAddress> known = new ArrayList<>(byAddress.keySet());
        PeerAddress to = known.get(random.nextInt(known.size()));
        int what = random.nextInt(10);
        if (what < 7 && pending.size() < 2000) {
            receive(to);
        } else if (what < 8) {
            // Nobody ever reads it: it fills what the system keeps, and then it waits.
            MemorySegment buffer = MemorySegment.ofArray(new byte[1000]);
            long result = server.context.postSend(to, buffer, 1);
            if (PostResult.isPending(result)) {
                pending.put(result, new Receive(byAddress.get(to), 1, buffer));
            }
        } else if (!pending.isEmpty()) {
            server.context.cancel(pending.keySet().iterator().next());
        }
    }

    private void receive(PeerAddress to) {
        int tag = random.nextInt(6);
        int size = random.nextInt(4) == 0 ? random.nextInt(1000) : 300_000;
        MemorySegment memory = MemorySegment.ofArray(new byte[size]);
        PostOptions options =
                random.nextInt(4) == 0 ? PostOptions.NONE.withDeadlineMs(50) : PostOptions.NONE;
        Receive receive = new Receive(byAddress.get(to), tag, memory);
        long result = server.context.postReceive(to, memory, tag, null, options);
        if (PostResult.isPending(result)) {
            assertThat(pending.put(result, receive)).isNull();
        } else if (PostResult.isRefused(result)) {
            assertThat(ErrorCode.statusString(result)).startsWith("BMI_E");
        } else {
            check(receive, result);
        }
    }

    private void expectGoodWorks(int round) {
        MemorySegment out = good.outgoing(round);
        MemorySegment in = server.incoming();
        long receive = server.context.postReceive(goodBack, in, round);
        long send = good.context.postSend(goodUp, out, round);
        if (PostResult.isPending(receive)) {
            assertThat(server.await(receive)).isEqualTo(out.byteSize());
        } else {
            assertThat(receive).isEqualTo(out.byteSize());
        }
        if (PostResult.isPending(send)) {
            assertThat(good.await(send)).isEqualTo(out.byteSize());
        }
        TcpBench.expectPattern(in, out.byteSize(), round);
    }

    private void expectBounds() {
        assertThat(server.counter("tcp.unexpectedHeldBytes")).isLessThanOrEqualTo(UNEXPECTED_BYTES);
        assertThat(server.counter("tcp.earlyHeldBytes")).isLessThanOrEqualTo(EARLY_BYTES);
        mostConnections = Math.max(mostConnections, server.counter("tcp.connections"));
        assertThat(mostConnections).isLessThan(MAX_CONNECTIONS);
    }

    /** All peers are gone: so are their operations, their messages and their connections. */
    private void expectRest() throws IOException {
        long endNs = System.nanoTime() + FATE_NS;
        while (!isAtRest()) {
            drive();
            expectFates();
            assertThat(System.nanoTime() - endNs).as("left %s, seed %d", left(), seed).isNegative();
        }
        expectGoodWorks(-5);
    }

    private boolean isAtRest() {
        return pending.isEmpty()
                && doomed.isEmpty()
                && server.counter("tcp.connections") == 1
                && server.counter("tcp.unexpectedHeldBytes") == 0
                && server.counter("tcp.earlyHeldBytes") == 0;
    }

    private String left() {
        return pending.size()
                + " operations, "
                + doomed.size()
                + " to be thrown out, "
                + server.counter("tcp.connections")
                + " connections, "
                + server.counter("tcp.unexpectedHeldBytes")
                + " unexpected bytes, "
                + server.counter("tcp.earlyHeldBytes")
                + " early bytes";
    }

    private static long usedBytes() {
        System.gc();
        long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            used += pool.getMemoryUsed();
        }
        return used;
    }
}
