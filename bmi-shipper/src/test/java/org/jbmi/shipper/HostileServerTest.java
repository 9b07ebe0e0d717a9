package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Encoder;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.shipper.wire.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A server that sends nonsense ends the session at most: each call ends, the next one works, and
 * memory that was exposed stays as it is for whoever does not know its key and range.
 */
@Timeout(100)
class HostileServerTest {
    private static final int ROUNDS = Boolean.getBoolean("jbmi.long") ? 200_000 : 2_000;
    private static final int MEMORY_BYTES = 1_000;

    /** More messages than fit the server's memory and the limit of the client together. */
    private static final int FLOOD = 10_000;

    private static final Duration NOW = Duration.ZERO;
    private static final Duration SOON = Duration.ofSeconds(20);

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);
    private BulkHandle data;

    @Test
    void nonsenseEndsASessionAtMost() {
        System.out.println("HostileServerTest: -Dseed=" + seed);
        byte[] memory = new byte[MEMORY_BYTES];
        random.nextBytes(memory);
        byte[] before = memory.clone();
        LoopbackHub hub = new LoopbackHub();
        Map<ErrorCode, Integer> ends = new EnumMap<>(ErrorCode.class);
        try (Bmi serving =
                        Bmi.builder()
                                .attach(LoopbackHub.class, hub)
                                .listen("loopback://server")
                                .open();
                Bmi calling = Bmi.builder().attach(LoopbackHub.class, hub).open();
                RawServer server = new RawServer(serving);
                Shipper client =
                        Shipper.builder(calling)
                                .withoutThreads()
                                .clock(() -> 0)
                                .knob("shipper.maxOutputBytes", "64k")
                                .client();
                BulkHandle exposed =
                        client.expose(MemorySegment.ofArray(memory), Permission.READ_WRITE)) {
            data = exposed;
            PeerAddress address = calling.lookup("loopback://server");
            RemoteFunction<Number, Number> any = client.function("any", Number.class, Number.class);
            for (int round = 0; round < ROUNDS; round++) {
                ShippedCall<Number> call = any.forward(address, new Number(round));
                List<Long> numbers = new ArrayList<>();
                Setup.until(
                        "the call of round " + round,
                        () -> !numbers.isEmpty(),
                        () -> numbers.addAll(server.calls()),
                        () -> client.progress(NOW));
                long broken = brokenSessions(calling);
                server.meetsAReceive(nonsense(server, numbers.getFirst()));
                client.progress(NOW);
                if (brokenSessions(calling) == broken) {
                    server.reply(numbers.getFirst(), round); // perhaps a second time
                    client.progress(NOW);
                }
                Setup.until(
                        "an outcome of round " + round,
                        call::isDone,
                        server::calls,
                        () -> client.progress(NOW));
                ends.merge(codeOf(call), 1, Integer::sum);
                assertThat(memory).as("round %d", round).isEqualTo(before);
            }
            // What is posted are the receives of the last session, and not those of all.
            assertThat(operations(calling)).isLessThan(20);
            assertThat(brokenSessions(calling)).isGreaterThan(ROUNDS / 20);
            assertThat(calling.counters().find("shipper.client.bulkRefusals").get()).isPositive();
        }
        assertThat(ends).containsKeys(ErrorCode.SUCCESS, ErrorCode.EBADMSG, ErrorCode.EMSGSIZE);
    }

    private static long brokenSessions(Bmi client) {
        return client.counters().find("shipper.client.brokenSessions").get();
    }

    private static ErrorCode codeOf(ShippedCall<?> call) {
        try {
            call.await(NOW);
            return ErrorCode.SUCCESS;
        } catch (CallFailedException e) {
            return e.code();
        }
    }

    private Encoder nonsense(RawServer server, long call) {
        Encoder out =
                switch (random.nextInt(6)) {
                    case 0 -> noise();
                    case 1 -> wrongTransfer(server);
                    case 2 -> wrongReply(server, call);
                    case 3 -> wrongPush(server);
                    default -> wrongBody(server, call);
                };
        return random.nextInt(4) == 0 ? cut(out) : out;
    }

    private Encoder noise() {
        Encoder out = new Encoder(1024);
        putNoise(out, random.nextInt(200));
        return out;
    }

    private void putNoise(Encoder out, int size) {
        byte[] noise = new byte[size];
        random.nextBytes(noise);
        out.putRaw(noise, 0, size);
    }

    private Encoder wrongBody(RawServer server, long call) {
        Encoder out = server.begin(14 + random.nextInt(10), someNumber(call));
        putNoise(out, random.nextInt(80));
        return out;
    }

    private long someNumber(long call) {
        return switch (random.nextInt(4)) {
            case 0 -> call;
            case 1 -> call + 1;
            case 2 -> random.nextInt(4);
            default -> random.nextLong();
        };
    }

    private long someSize() {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt(2 * MEMORY_BYTES);
            case 1 -> -1 - random.nextInt(10);
            case 2 -> Integer.MAX_VALUE + random.nextLong(10);
            default -> random.nextLong();
        };
    }

    /** The key is wrong, or the range lies outside. */
    private Encoder wrongTransfer(RawServer server) {
        Encoder out = server.begin(random.nextBoolean() ? Wire.PULL : Wire.PUSH, someNumber(1));
        out.putLong(data.number());
        boolean hasKey = random.nextBoolean();
        out.putToken(hasKey ? data.key() : new BulkHandle.Token(1, 2));
        out.putLong(hasKey ? MEMORY_BYTES + random.nextInt(10) : someSize());
        out.putLong(hasKey ? 1 + random.nextInt(10) : someSize());
        out.putInt((int) someSize());
        out.putInt(random.nextInt(80));
        return out;
    }

    private Encoder wrongPush(RawServer server) {
        Encoder out = server.begin(Wire.PUSH_INLINE, someNumber(1));
        out.putLong(data.number());
        boolean hasKey = random.nextBoolean();
        out.putToken(hasKey ? data.key() : new BulkHandle.Token(1, 2));
        out.putLong(hasKey ? MEMORY_BYTES - random.nextInt(5) : someSize());
        out.putBytes(new byte[5]);
        return out;
    }

    /** To another call, of another size, or announcing what cannot be. */
    private Encoder wrongReply(RawServer server, long call) {
        int flags = random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(2);
        Encoder out = server.begin(Wire.REPLY, flags, someNumber(call));
        out.putInt(random.nextInt(3) == 0 ? random.nextInt() : 0);
        out.putLong(someSize());
        putNoise(out, random.nextInt(3));
        return out;
    }

    private Encoder cut(Encoder whole) {
        Encoder out = new Encoder(1024);
        out.putRaw(whole.toByteArray(), 0, random.nextInt(whole.size() + 1));
        return out;
    }

    /** The server pushes into all of the memory in chunks of one byte, and aborts that. */
    private static void abortedPush(int sent, Then then) throws Exception {
        try (Setup setup = Setup.of("loopback");
                RawServer server = new RawServer(setup.server);
                Shipper client = Shipper.builder(setup.client).withoutThreads().client();
                BulkHandle into =
                        client.expose(
                                MemorySegment.ofArray(new byte[MEMORY_BYTES]), Permission.WRITE)) {
            CompletableFuture<Void> connected =
                    CompletableFuture.runAsync(() -> client.connect(setup.address(), SOON));
            server.welcome();
            connected.get(20, TimeUnit.SECONDS);
            server.startPush(1, into, 1, 1);
            client.progress(NOW);
            server.await(Wire.GRANT);
            server.abort(1, sent);
            client.progress(NOW);
            then.check(setup, server, client);
        }
    }

    /** However much the server claims to have sent. */
    @Test
    void aClientPostsAFewReceivesAtATimeForAnAbortedPush() throws Exception {
        abortedPush(
                MEMORY_BYTES,
                (setup, server, client) -> {
                    assertThat(operations(setup.client)).isLessThan(20);
                    for (int i = 0; i < MEMORY_BYTES; i++) {
                        server.sendChunk(1, 1);
                        client.progress(NOW);
                    }
                    assertThat(server.await(Wire.DONE)).isEqualTo(1);
                });
    }

    /** The chunk is gone, so the client would wait for one more than comes. */
    @Test
    void aChunkOfAnAbortedPushThatDoesNotFitEndsTheSession() throws Exception {
        abortedPush(
                1,
                (setup, server, client) -> {
                    server.sendChunk(1, 2);
                    client.progress(NOW);
                    server.await(Wire.BYE);
                    assertThat(brokenSessions(setup.client)).isEqualTo(1);
                });
    }

    /** The client granted nothing, so it would wait for chunks that nobody may send. */
    @Test
    void aServerThatClaimsToHaveSentChunksOfARefusedPushLosesItsSession() throws Exception {
        try (Setup setup = Setup.of("loopback");
                RawServer server = new RawServer(setup.server);
                Shipper client =
                        Shipper.builder(WatchedBmi.withoutCancels(setup.client))
                                .withoutThreads()
                                .client()) {
            MemorySegment kept = MemorySegment.ofArray(new byte[MEMORY_BYTES]);
            BulkHandle holed;
            try (Arena arena = Arena.ofShared()) {
                MemorySegment freed = arena.allocate(MEMORY_BYTES);
                holed = client.expose(List.of(kept, freed, kept), Permission.WRITE);
            }
            CompletableFuture<Void> connected =
                    CompletableFuture.runAsync(() -> client.connect(setup.address(), SOON));
            server.welcome();
            connected.get(20, TimeUnit.SECONDS);
            server.startPush(1, holed, MEMORY_BYTES, 1);
            client.progress(NOW);
            server.abort(1, 3);
            client.progress(NOW);
            assertThat(brokenSessions(setup.client)).isEqualTo(1);
            server.await(Wire.BYE);
        }
    }

    /** The server asks for confirmations, and takes none of them. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aServerThatTakesNoAnswersLosesItsSession(boolean inFullHeap) throws Exception {
        AtomicBoolean isFull = new AtomicBoolean(inFullHeap);
        Consumer<String> beforeEach =
                what -> {
                    if (isFull.get() && what.equals("cancel")) {
                        throw new OutOfMemoryError("As if the heap were full.");
                    }
                };
        BulkHandle unknown =
                new BulkHandle(
                        new BulkHandle.Token(1, 1),
                        new BulkHandle.Token(2, 2),
                        77,
                        MEMORY_BYTES,
                        Permission.WRITE);
        LoopbackHub hub = new LoopbackHub();
        try (Bmi serving =
                        Bmi.builder()
                                .attach(LoopbackHub.class, hub)
                                .knob("loopback.unexpectedBytes", "64k")
                                .listen("loopback://server")
                                .open();
                Bmi calling = Bmi.builder().attach(LoopbackHub.class, hub).open();
                RawServer server = new RawServer(serving);
                Shipper client =
                        Shipper.builder(WatchedBmi.before(calling, beforeEach))
                                .withoutThreads()
                                .knob("shipper.maxCalls", "8")
                                .client()) {
            PeerAddress address = calling.lookup("loopback://server");
            CompletableFuture<Void> connected =
                    CompletableFuture.runAsync(() -> client.connect(address, SOON));
            server.welcome();
            connected.get(20, TimeUnit.SECONDS);
            long most = 0;
            for (int i = 0; i < FLOOD && brokenSessions(calling) == 0; i++) {
                server.push(i, unknown, 0, (byte) 0);
                client.progress(NOW);
                most = Math.max(most, operations(calling));
            }
            assertThat(brokenSessions(calling)).isEqualTo(1);
            assertThat(most).isLessThan(500);
            isFull.set(false);
            Setup.until(
                    "nothing is left but the goodbye",
                    () -> operations(calling) <= 1,
                    () -> client.progress(NOW));
        }
    }

    private static long operations(Bmi bmi) {
        bmi.counters(); // refreshes the gauges
        return bmi.counters().find("bmi.operations").get();
    }

    /** What follows an abort. */
    private interface Then {
        void check(Setup setup, RawServer server, Shipper client);
    }
}
