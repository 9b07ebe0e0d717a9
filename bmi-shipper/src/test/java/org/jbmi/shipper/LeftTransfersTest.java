package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.Records.Move;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.shipper.wire.Tags;
import org.jbmi.shipper.wire.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A session ends before its client has ended a transfer: nothing of it meets a later session. */
@Timeout(60)
class LeftTransfersTest {
    static final List<String> METHODS = Setup.METHODS;
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration NOW = Duration.ZERO;
    private static final int CHUNK_BYTES = 16 << 10;
    private static final int CHUNKS = 3;
    private static final int BYTES = CHUNKS * CHUNK_BYTES;
    private static final long IDLE_NS = 2_000_000_000L;
    private static final int CHANNEL = 1;
    private static final int QUEUED = 1_000;
    private static final long STACK_BYTES = 256 << 10;
    private static final String NUMBERS = "{value:i64} -> {value:i64}";
    private static final BulkHandle.Token SECRET = new BulkHandle.Token(1, 1);

    /** Names memory that the raw client pretends to have. */
    private static final BulkHandle MEMORY =
            new BulkHandle(
                    Wire.ownerOf(SECRET),
                    new BulkHandle.Token(2, 2),
                    1,
                    BYTES,
                    Permission.READ_WRITE);

    private final AtomicLong nowNs = new AtomicLong();

    private ShipperBuilder builder(Bmi bmi) {
        return Shipper.builder(bmi)
                .clock(nowNs::get)
                .knob("shipper.chunkBytes", Integer.toString(CHUNK_BYTES))
                .knob("shipper.transferIdleMs", "1000");
    }

    private static long counter(Bmi bmi, String label) {
        bmi.counters(); // refreshes the gauges
        return bmi.counters().find(label).get();
    }

    /** The client wakes when its session is over, and then finds what the server had asked for. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void theChunksOfAClientThatStoodStillAreNoDataOfALaterCall(String method) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<ErrorCode> ended = new CompletableFuture<>();
        try (Setup setup = Setup.of(method);
                ShipperServer server = builder(setup.server).server();
                Shipper client = Shipper.builder(setup.client).withoutThreads().client()) {
            server.register("first", Move.class, Number.class, call -> first(call, begun, ended));
            server.start();
            PeerAddress address = setup.address();
            client.connect(address, SOON);
            RemoteFunction<Move, Number> first = client.function("first", Move.class, Number.class);
            BulkHandle old = exposed(client, 7);
            first.forward(address, new Move(old, 0, 0));
            assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
            nowNs.addAndGet(IDLE_NS);
            assertThat(ended.get(20, TimeUnit.SECONDS)).isEqualTo(ErrorCode.ETIMEDOUT);
            nowNs.addAndGet(IDLE_NS);
            Setup.until(
                    "the session ends",
                    () -> counter(setup.server, "shipper.server.sessions") == 0);
            Setup.until(
                    "the client hears of it",
                    () -> counter(setup.client, "shipper.client.brokenSessions") == 1,
                    () -> client.progress(NOW));
            BulkHandle later = exposed(client, 9);
            assertThat(first.call(address, new Move(later, 0, 0), SOON)).isEqualTo(new Number(9));
        }
    }

    private static BulkHandle exposed(Shipper client, int value) {
        byte[] bytes = new byte[BYTES];
        Arrays.fill(bytes, (byte) value);
        return client.expose(MemorySegment.ofArray(bytes), Permission.READ);
    }

    /** The first of the bytes that it pulls. */
    private static Number first(
            Call<Move, Number> call, CountDownLatch begun, CompletableFuture<ErrorCode> ended) {
        MemorySegment into = MemorySegment.ofArray(new byte[BYTES]);
        Transfer transfer = call.startPull(call.input().data(), 0, List.of(into), 0, BYTES);
        begun.countDown();
        try {
            transfer.await();
        } catch (BmiException e) {
            ended.complete(e.code());
            throw e;
        }
        return new Number(into.get(ValueLayout.JAVA_BYTE, 0));
    }

    /** A server without threads, and one client that writes its messages by hand. */
    private final class Raw implements AutoCloseable {
        private final Setup setup = Setup.of("loopback");
        private final ShipperServer server = builder(setup.server).withoutThreads().server();
        private final CompletionContext context = setup.client.openContext();
        private final RawClient client = new RawClient(context, setup.address());
        private long session;
        private byte[] inbox = {};

        Raw() throws IOException {
            server.register("pull", Number.class, Number.class, call -> start(call, false, BYTES));
            server.register("push", Number.class, Number.class, call -> start(call, true, BYTES));
            server.register("short", Number.class, Number.class, call -> start(call, true, 3000));
            server.start();
        }

        private static Number start(Call<Number, Number> call, boolean push, int bytes) {
            call.defer();
            List<MemorySegment> memory = List.of(MemorySegment.ofArray(new byte[bytes]));
            if (push) {
                call.startPush(MEMORY, 0, memory, 0, bytes);
            } else {
                call.startPull(MEMORY, 0, memory, 0, bytes);
            }
            return null;
        }

        /** Opens a session; returns its lane. */
        int hello() {
            RawClient.Welcome welcome = client.sayHello(SECRET, 0);
            process();
            session = welcome.session();
            return RawClient.lane(session);
        }

        /** Calls a function; returns the number of the transfer that it asks for. */
        long call(String function, int wanted) {
            hear();
            client.call(session, 1, function, NUMBERS);
            process();
            return heard(wanted);
        }

        /** Posts a receive for the next message of the server. */
        void hear() {
            inbox = new byte[4096];
            client.receive(session, MemorySegment.ofArray(inbox));
        }

        /** The number of the transfer in the next message, which has come. */
        long heard(int kind) {
            assertThat(inbox[5]).isEqualTo((byte) kind);
            return MemorySegment.ofArray(inbox).get(ValueLayout.JAVA_INT_UNALIGNED, 16);
        }

        void process() {
            server.process(NOW);
            server.process(NOW);
        }

        void bye() {
            client.bye(session);
            process();
            assertThat(counter(setup.server, "shipper.server.sessions")).isZero();
        }

        /** Opens and closes sessions until each free lane has had its turn; returns these lanes. */
        BitSet lanesOfATurn() {
            BitSet lanes = new BitSet();
            Completions done = Completions.ofCapacity(8);
            for (int i = 0; i < Tags.MAX_LANE; i++) {
                lanes.set(hello());
                client.bye(session);
                process();
                context.testContext(done, 0);
            }
            return lanes;
        }

        @Override
        public void close() throws IOException {
            context.close();
            server.close();
            setup.close();
        }
    }

    @Test
    void aLaneIsUsedAgainUnlessItsTransfersWereNotOver() throws Exception {
        try (Raw raw = new Raw()) {
            int unconfirmedPull = raw.hello();
            raw.call("pull", Wire.PULL);
            raw.hear();
            nowNs.addAndGet(IDLE_NS);
            raw.process();
            raw.heard(Wire.ABORT);
            nowNs.addAndGet(IDLE_NS);
            raw.process();
            assertThat(counter(raw.setup.server, "shipper.server.sessions")).isZero();
            int unconfirmedPush = raw.hello();
            push(raw);
            raw.bye();
            int push = raw.hello();
            raw.client.done(raw.session, push(raw), ErrorCode.SUCCESS, CHUNKS);
            raw.process();
            raw.bye();
            int pull = raw.hello();
            pull(raw);
            raw.bye();
            BitSet lanes = raw.lanesOfATurn();
            assertThat(lanes.get(push)).isTrue();
            assertThat(lanes.get(pull)).isTrue();
            assertThat(lanes.get(unconfirmedPull)).isFalse();
            assertThat(lanes.get(unconfirmedPush)).isFalse();
        }
    }

    @Test
    void aRefusedHelloTakesNoLane() throws Exception {
        BulkHandle.Token secret = new BulkHandle.Token(1, 1);
        try (Setup setup = Setup.of("loopback");
                CompletionContext context = setup.client.openContext();
                ShipperServer server =
                        Shipper.builder(setup.server)
                                .knob("shipper.maxSessionsPerPeer", "1")
                                .withoutThreads()
                                .server()) {
            server.start();
            RawClient client = new RawClient(context, setup.address());
            RawClient.Welcome first = client.sayHello(secret, 0);
            client.sayHello(secret, 0);
            server.process(NOW);
            server.process(NOW);
            assertThat(counter(setup.server, "shipper.server.refusals")).isEqualTo(1);
            client.bye(first.session());
            server.process(NOW);
            RawClient.Welcome second = client.sayHello(secret, 0);
            server.process(NOW);
            assertThat(RawClient.lane(second.session()))
                    .isEqualTo(RawClient.lane(first.session()) + 1);
        }
    }

    private static void pull(Raw raw) {
        long before = counter(raw.setup.server, "shipper.server.pulledBytes");
        raw.call("pull", Wire.PULL);
        for (int i = 0; i < CHUNKS; i++) {
            MemorySegment bytes = MemorySegment.ofArray(new byte[CHUNK_BYTES]);
            raw.client.send(raw.session, CHANNEL, bytes);
        }
        raw.process();
        assertThat(counter(raw.setup.server, "shipper.server.pulledBytes"))
                .isEqualTo(before + BYTES);
    }

    /** Returns the number of a push of which all has come. */
    private static long push(Raw raw) {
        long before = counter(raw.setup.server, "shipper.server.pushedBytes");
        long transfer = raw.call("push", Wire.PUSH);
        for (int i = 0; i < CHUNKS; i++) {
            MemorySegment into = MemorySegment.ofArray(new byte[CHUNK_BYTES]);
            raw.client.receive(raw.session, CHANNEL, into);
        }
        raw.client.grant(raw.session, transfer);
        raw.process();
        assertThat(counter(raw.setup.server, "shipper.server.pushedBytes"))
                .isEqualTo(before + BYTES);
        return transfer;
    }

    /** The client says that it has sent chunks, sends none, and leaves. */
    @Test
    void aServerWaitsForTheChunksOfAFailedPullAsLongAsItsSessionOnly() throws Exception {
        try (Raw raw = new Raw()) {
            long atRest = counter(raw.setup.server, "bmi.operations");
            for (int i = 0; i < 3; i++) {
                raw.hello();
                long transfer = raw.call("pull", Wire.PULL);
                raw.client.done(raw.session, transfer, ErrorCode.SUCCESS, CHUNKS);
                raw.process();
                // The receives of the session and of one chunk.
                assertThat(counter(raw.setup.server, "bmi.operations")).isEqualTo(atRest + 2);
                raw.bye();
                raw.process();
                assertThat(counter(raw.setup.server, "bmi.operations")).isEqualTo(atRest);
            }
        }
    }

    @Test
    void aClientTellsTheEndOfAPullOnce() throws Exception {
        try (Raw raw = new Raw()) {
            long atRest = counter(raw.setup.server, "bmi.operations");
            raw.hello();
            long transfer = raw.call("pull", Wire.PULL);
            raw.client.done(raw.session, transfer, ErrorCode.ECANCEL, 1);
            raw.process();
            raw.client.done(raw.session, transfer, ErrorCode.ECANCEL, 0);
            raw.process();
            raw.bye();
            raw.process();
            assertThat(counter(raw.setup.server, "bmi.operations")).isEqualTo(atRest);
        }
    }

    /** The client receives nothing of what the server sends it. */
    @Test
    void whatTheServerAsksForEndsWithTheSession() throws Exception {
        try (Raw raw = new Raw()) {
            long atRest = counter(raw.setup.server, "bmi.operations");
            for (String function : List.of("pull", "push", "short")) {
                raw.hello();
                for (int i = 0; i < 8; i++) {
                    raw.client.call(raw.session, i, function, NUMBERS);
                }
                raw.process();
                assertThat(counter(raw.setup.server, "bmi.operations"))
                        .isGreaterThanOrEqualTo(atRest + 8);
                raw.bye();
                raw.process();
                assertThat(counter(raw.setup.server, "bmi.operations"))
                        .as(function)
                        .isEqualTo(atRest);
            }
        }
    }

    /** The stack of the thread has no room for one frame, or more, for each of them. */
    @Test
    void allQueuedTransfersMayFailAsTheyBegin() throws Exception {
        List<Transfer> large = new ArrayList<>();
        List<Transfer> small = new ArrayList<>();
        try (Setup setup = Setup.of("loopback");
                CompletionContext context = setup.client.openContext();
                ShipperServer server = builder(setup.server).withoutThreads().server()) {
            server.start();
            RawClient client = new RawClient(context, setup.address());
            RawClient.Welcome welcome = client.sayHello(SECRET, 0);
            server.process(NOW);
            server.process(NOW);
            try (Arena freed = Arena.ofShared()) {
                MemorySegment few = freed.allocate(Long.BYTES);
                MemorySegment many = MemorySegment.ofArray(new byte[BYTES]);
                server.register(
                        "push",
                        Number.class,
                        Number.class,
                        call -> {
                            push(call, Tags.MAX_TRANSFER_CHANNEL, many, large);
                            push(call, QUEUED, few, small);
                            call.defer();
                            return null;
                        });
                client.call(welcome.session(), 0, "push", NUMBERS);
                Setup.until("transfers", () -> small.size() == QUEUED, () -> server.process(NOW));
            }
            client.done(welcome.session(), 1, ErrorCode.ENOENT, 0);
            Runnable frees =
                    () ->
                            Setup.until(
                                    "a free channel",
                                    large.getFirst()::isDone,
                                    () -> server.process(NOW));
            Thread shallow = new Thread(null, frees, "shallow", STACK_BYTES);
            shallow.start();
            shallow.join();
            assertThat(small).allMatch(Transfer::isDone);
            for (Transfer each : small) {
                assertThatThrownBy(each::await)
                        .isInstanceOfSatisfying(
                                BmiException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.EFAULT));
            }
            assertThat(large.stream().filter(Transfer::isDone)).hasSize(1);
        }
    }

    private static void push(
            Call<Number, Number> call, int count, MemorySegment from, List<Transfer> begun) {
        for (int i = 0; i < count; i++) {
            begun.add(call.startPush(MEMORY, 0, List.of(from), 0, from.byteSize()));
        }
    }
}
