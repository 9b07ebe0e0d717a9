package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert;
import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.shipper.Records.Move;
import org.jbmi.shipper.Records.Nothing;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Encoder;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.shipper.wire.Tags;
import org.jbmi.shipper.wire.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Who takes more than a share, sends nonsense, or uses the wrong names. */
@Timeout(60)
class MisuseTest {
    static final List<String> METHODS = Setup.METHODS;
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final int PREFIX = 0x5b;
    private static final String NUMBERS = "{value:i64} -> {value:i64}";

    private final Semaphore go = new Semaphore(0);
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    /** A handler that ends when it may go on, or when it is interrupted and hears that. */
    private Number hold(Call<Number, Number> call, boolean isDeaf) throws InterruptedException {
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
        if (isDeaf) {
            go.acquireUninterruptibly();
        } else {
            go.acquire();
        }
        running.decrementAndGet();
        return call.input();
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void noClientRunsOrKeepsMoreThanItsShare(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server =
                        Shipper.builder(setup.server)
                                .knob("shipper.maxRunning", "3")
                                .knob("shipper.maxRunningPerClient", "2")
                                .knob("shipper.maxCallsPerClient", "5")
                                .server();
                Bmi other = setup.anotherClient().retain();
                Shipper greedy = Shipper.on(setup.client);
                Shipper modest = Shipper.on(other)) {
            server.register("hold", Number.class, Number.class, call -> hold(call, false));
            server.register("quick", Number.class, Number.class, Call::input);
            server.start();
            greedy.connect(setup.address(), SOON);
            RemoteFunction<Number, Number> hold =
                    greedy.function("hold", Number.class, Number.class);
            List<ShippedCall<Number>> calls = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                calls.add(hold.forward(setup.address(), new Number(i)));
            }
            for (int i = 5; i < 8; i++) {
                ShippedCall<Number> refused = calls.get(i);
                assertThatThrownBy(() -> refused.await(SOON))
                        .isInstanceOfSatisfying(
                                CallFailedException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.ETRYAGAIN));
            }
            // Two of three places are the greedy client's; the third is there for others.
            PeerAddress address = setup.address(other);
            assertThat(
                            modest.function("quick", Number.class, Number.class)
                                    .call(address, new Number(1), SOON))
                    .isEqualTo(new Number(1));
            go.release(5);
            assertThat(Shipper.awaitAll(calls.subList(0, 5), SOON)).isTrue();
            assertThat(most.get()).isEqualTo(2);
        }
    }

    /** All clients on one instance are one peer to the server. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void noProcessTakesAllPlacesWithManySessions(String method) throws Exception {
        List<Shipper> greedy = new ArrayList<>();
        List<ShippedCall<Number>> calls = new ArrayList<>();
        try (Setup setup = Setup.of(method);
                ShipperServer server =
                        Shipper.builder(setup.server)
                                .knob("shipper.maxRunning", "8")
                                .knob("shipper.maxRunningPerClient", "2")
                                .knob("shipper.maxCallsPerClient", "4")
                                .knob("shipper.maxWaiting", "16")
                                .server();
                Bmi other = setup.anotherClient().retain();
                Shipper modest = Shipper.on(other)) {
            server.register("hold", Number.class, Number.class, call -> hold(call, false));
            server.register("quick", Number.class, Number.class, Call::input);
            server.start();
            try {
                for (int i = 0; i < 24; i++) {
                    if (i % 4 == 0) {
                        greedy.add(Shipper.on(setup.client));
                    }
                    calls.add(
                            greedy.getLast()
                                    .function("hold", Number.class, Number.class)
                                    .forward(setup.address(), new Number(i)));
                }
                Setup.untilEqual(
                        "calls that came",
                        24L,
                        () -> setup.server.counters().find("shipper.server.calls").get());
                // Half of the 8 places run, half of the 16 are waited in, and the rest was refused.
                List<CallUnderWay> underWay = server.underWay();
                assertThat(underWay).hasSize(4 + 8);
                assertThat(underWay)
                        .extracting(CallUnderWay::reason)
                        .contains("waits for its turn: 4 handlers of its process run");
                assertThat(
                                modest.function("quick", Number.class, Number.class)
                                        .call(setup.address(other), new Number(1), SOON))
                        .isEqualTo(new Number(1));
                go.release(4 + 8);
                assertThat(Shipper.awaitAll(calls, SOON)).isTrue();
                assertThat(calls.stream().filter(MisuseTest::wasRefused)).hasSize(12);
                assertThat(most.get()).isEqualTo(4);
            } finally {
                go.release(24);
                greedy.forEach(Shipper::close);
            }
        }
    }

    /** Handlers that go on when their clients have gone stay those of the process. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void noProcessTakesMorePlacesByClosingItsSessions(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server =
                        Shipper.builder(setup.server)
                                .knob("shipper.maxRunning", "8")
                                .knob("shipper.maxRunningPerClient", "2")
                                .server()) {
            server.register("hold", Number.class, Number.class, call -> hold(call, true));
            server.start();
            try {
                for (int i = 1; i <= 2; i++) {
                    try (Shipper greedy = Shipper.on(setup.client)) {
                        holdTwo(setup, greedy);
                        Setup.untilEqual("running handlers", 2 * i, running::get);
                    }
                    Setup.untilEqual(
                            "sessions", 0L, () -> count(setup.server, "shipper.server.sessions"));
                }
                try (Shipper greedy = Shipper.on(setup.client)) {
                    List<ShippedCall<Number>> calls = holdTwo(setup, greedy);
                    Setup.untilEqual(
                            "calls that came",
                            6L,
                            () -> count(setup.server, "shipper.server.calls"));
                    assertThat(server.underWay())
                            .extracting(CallUnderWay::reason)
                            .filteredOn("waits for its turn: 4 handlers of its process run"::equals)
                            .hasSize(2);
                    go.release(6);
                    assertThat(Shipper.awaitAll(calls, SOON)).isTrue();
                    assertThat(most.get()).isEqualTo(4);
                }
            } finally {
                go.release(6);
            }
        }
    }

    private static List<ShippedCall<Number>> holdTwo(Setup setup, Shipper client) {
        RemoteFunction<Number, Number> hold = client.function("hold", Number.class, Number.class);
        return List.of(
                hold.forward(setup.address(), new Number(1)),
                hold.forward(setup.address(), new Number(2)));
    }

    private static long count(Bmi bmi, String label) {
        bmi.counters(); // refreshes the gauges
        return bmi.counters().find(label).get();
    }

    private static boolean wasRefused(ShippedCall<Number> call) {
        try {
            call.await(Duration.ZERO);
            return false;
        } catch (CallFailedException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.ETRYAGAIN);
            return true;
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void nonsenseHarmsNobody(String method) throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("MisuseTest: -Dseed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client);
                Bmi stranger = setup.anotherClient().retain();
                CompletionContext context = stranger.openContext()) {
            server.register("echo", Number.class, Number.class, Call::input).start();
            RemoteFunction<Number, Number> echo =
                    client.function("echo", Number.class, Number.class);
            PeerAddress from = setup.address(stranger);
            for (int i = 0; i < 300; i++) {
                byte[] bytes = nonsense(random);
                context.await(
                        context.postSendUnexpected(
                                from, MemorySegment.ofArray(bytes), Tags.request(PREFIX)),
                        20_000);
            }
            for (int i = 0; i < 10; i++) {
                assertThat(echo.call(setup.address(), new Number(i), SOON))
                        .isEqualTo(new Number(i));
            }
            assertThat(setup.server.counters().find("shipper.server.malformed").get()).isPositive();
        }
    }

    /** From noise to a header that is right, with a body that is not. */
    private static byte[] nonsense(SplittableRandom random) {
        Encoder out = new Encoder(512);
        if (random.nextInt(3) > 0) {
            int flags = random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(3) << 8;
            Wire.begin(out, 1 + random.nextInt(9), flags, random.nextLong(3), random.nextLong(100));
        }
        byte[] noise = new byte[random.nextInt(100)];
        random.nextBytes(noise);
        out.putRaw(noise, 0, noise.length);
        return out.toByteArray();
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aFloodOfCallsThatTakesNoReplyIsEnded(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server =
                        Shipper.builder(setup.server)
                                .knob("shipper.maxCallsPerClient", "4")
                                .server();
                Shipper client = Shipper.on(setup.client);
                Bmi flooder = setup.builder().knob("tcp.receiveBufferBytes", "4096").open();
                CompletionContext context = flooder.openContext()) {
            server.register("echo", Number.class, Number.class, Call::input).start();
            PeerAddress address = setup.address(flooder);
            RawClient flood = new RawClient(context, address);
            long session = flood.hello(new BulkHandle.Token(1, 1), 0);
            Completions done = Completions.ofCapacity(64);
            // On tcp each test would read replies, and the server would be rid of them.
            boolean mayTest = !method.equals("tcp");
            AtomicLong calls = new AtomicLong();
            Setup.until(
                    "end of the session",
                    () -> count(setup.server, "shipper.server.brokenSessions") == 1,
                    () -> {
                        long number = (calls.incrementAndGet() << 16) | 9; // no such slot
                        flood.call(session, number, "echo", NUMBERS);
                        if (mayTest) {
                            context.testContext(done, 0);
                        }
                    });
            // Somebody else does not notice.
            RemoteFunction<Number, Number> echo =
                    client.function("echo", Number.class, Number.class);
            for (int i = 0; i < 50; i++) {
                assertThat(echo.call(setup.address(), new Number(i), SOON))
                        .isEqualTo(new Number(i));
            }
            assertThat(setup.server.counters().find("bmi.operations").get()).isLessThan(500);
        }
    }

    @Test
    void namesAndKnobsAreChecked() throws Exception {
        try (Setup setup = Setup.of("loopback");
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client)) {
            server.register("f", Number.class, Number.class, Call::input);
            assertThatThrownBy(
                            () -> server.register("f", Nothing.class, Nothing.class, Call::input))
                    .isInstanceOfSatisfying(
                            BmiException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.EEXIST))
                    .hasMessageContaining("registered already");
            assertThat(server.unregister("f")).isTrue();
            assertThat(server.unregister("f")).isFalse();
            assertThatThrownBy(
                            () ->
                                    Shipper.builder(setup.client)
                                            .knob("shipper.maxCall", "1")
                                            .client())
                    .isInstanceOf(BmiException.class)
                    .hasMessageContaining("shipper.maxCall");
            assertThatThrownBy(
                            () ->
                                    client.expose(
                                            MemorySegment.ofArray(new byte[9]).asReadOnly(),
                                            Permission.WRITE))
                    .isInstanceOf(BmiException.class)
                    .hasMessageContaining("read-only");
        }
    }

    @Test
    void whoIsRefusedRetainsNoInstance() {
        Bmi bmi =
                Bmi.builder()
                        .attach(LoopbackHub.class, new LoopbackHub())
                        .knob("bmi.maxContexts", "1")
                        .open();
        try (CompletionContext _ = bmi.openContext()) {
            busy(() -> Shipper.on(bmi));
            busy(() -> ShipperServer.on(bmi));
        } finally {
            bmi.close();
        }
        assertThat(bmi.isClosed()).isTrue();
    }

    /** As when the heap is full. */
    @Test
    void aCloseThatFailsMidwayLetsGoOfAllElse() {
        try (Bmi bmi = Bmi.builder().listen("loopback://failing").open()) {
            List<String> asked = new ArrayList<>();
            Bmi failing =
                    WatchedBmi.before(
                            bmi,
                            what -> {
                                asked.add(what);
                                if (what.startsWith("test") || what.equals("collect")) {
                                    throw new OutOfMemoryError("played");
                                }
                            });
            ShipperServer server = Shipper.builder(failing).withoutThreads().server().start();
            assertThatThrownBy(server::close).isInstanceOf(OutOfMemoryError.class);
            assertThat(asked).last().isEqualTo("close");
            Shipper.builder(bmi).withoutThreads().server().start().close();
        }
    }

    private static void busy(ThrowableAssert.ThrowingCallable opening) {
        assertThatThrownBy(opening)
                .isInstanceOfSatisfying(
                        BmiException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.EBUSY));
    }

    @Test
    void whatIsLeftOpenComesBackWithTheCall() throws Exception {
        try (Setup setup = Setup.of("zoid");
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client)) {
            server.register(
                    "leak",
                    Nothing.class,
                    Nothing.class,
                    call -> {
                        call.lease(1 << 20);
                        throw new IllegalStateException("Forgot to close.");
                    });
            server.start();
            RemoteFunction<Nothing, Nothing> leak =
                    client.function("leak", Nothing.class, Nothing.class);
            for (int i = 0; i < 200; i++) { // the pool has 64 MiB
                assertThatThrownBy(() -> leak.call(setup.address(), new Nothing(), SOON))
                        .hasMessageContaining("Forgot to close.");
            }
        }
    }

    @Test
    void aCallThatIsOverLeasesNothing() throws Exception {
        List<Call<Number, Number>> calls = new ArrayList<>();
        try (Setup setup = Setup.of("loopback");
                ShipperServer server = Shipper.builder(setup.server).withoutThreads().server();
                Shipper client = Shipper.builder(setup.client).withoutThreads().client()) {
            server.register(
                    "keep",
                    Number.class,
                    Number.class,
                    call -> {
                        calls.add(call);
                        return call.input();
                    });
            server.register(
                    "later",
                    Number.class,
                    Number.class,
                    call -> {
                        calls.add(call);
                        DeferredAnswer<Number> answer = call.defer();
                        answer.complete(call.input());
                        call.lease(8); // the handler goes on
                        return null;
                    });
            server.start();
            for (String name : List.of("keep", "later")) {
                ShippedCall<Number> answered =
                        client.function(name, Number.class, Number.class)
                                .forward(setup.address(), new Number(1));
                Setup.until(
                        "an answer",
                        answered::isDone,
                        () -> server.process(Duration.ZERO),
                        () -> client.progress(Duration.ZERO));
                answered.await(Duration.ZERO);
                assertThatThrownBy(() -> calls.getLast().lease(8))
                        .isInstanceOfSatisfying(
                                BmiException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.ECANCEL));
            }
            assertThat(calls).hasSize(2);
            assertThat(setup.server.counters().find("shipper.server.leasedBytes").get()).isZero();
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void revokingWaitsForTransfersAndRefusesLaterOnes(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client)) {
            CountDownLatch pulling = new CountDownLatch(1);
            CountDownLatch revoked = new CountDownLatch(1);
            server.register(
                    "pull",
                    Move.class,
                    Number.class,
                    call -> {
                        Lease lease = call.lease(call.input().length());
                        Transfer transfer =
                                call.startPull(
                                        call.input().data(),
                                        0,
                                        List.of(lease.segment()),
                                        0,
                                        call.input().length());
                        pulling.countDown();
                        transfer.await();
                        revoked.await();
                        call.pull(call.input().data(), 0, 1).close();
                        return new Number(0);
                    });
            server.start();
            BulkHandle data =
                    client.expose(MemorySegment.ofArray(new byte[32 << 20]), Permission.READ);
            ShippedCall<Number> call =
                    client.function("pull", Move.class, Number.class)
                            .forward(setup.address(), new Move(data, 0, 32 << 20));
            assertThat(pulling.await(20, TimeUnit.SECONDS)).isTrue();
            data.close();
            revoked.countDown();
            assertThatThrownBy(() -> call.await(SOON))
                    .isInstanceOfSatisfying(
                            CallFailedException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.ENOENT));
            assertThat(setup.server.counters().find("shipper.server.brokenSessions").get())
                    .isZero();
        }
    }
}
