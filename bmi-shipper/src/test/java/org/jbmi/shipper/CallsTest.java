package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.Records.Bytes;
import org.jbmi.shipper.Records.Nothing;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.Records.Positive;
import org.jbmi.shipper.Records.Text;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Calls over every method, each with its one outcome. */
@Timeout(60)
class CallsTest {
    static final List<String> METHODS = Setup.METHODS;
    private static final Duration SOON = Duration.ofSeconds(20);

    private Setup setup;
    private ShipperServer server;
    private Shipper client;
    private PeerAddress address;

    private void open(String method) throws IOException {
        setup = Setup.of(method);
        server = ShipperServer.on(setup.server);
        server.register(
                "double", Number.class, Number.class, c -> new Number(2 * c.input().value()));
        server.start();
        client = Shipper.on(setup.client);
        address = setup.address();
    }

    @AfterEach
    void close() throws IOException {
        if (setup != null) {
            client.close();
            server.close();
            assertThat(counter("shipper.server.sessions")).isZero();
            assertThat(counter("shipper.server.heldBytes")).isZero();
            assertThat(counter("shipper.server.leasedBytes")).isZero();
            setup.close();
        }
    }

    private static void ends(ShippedCall<?> call, Duration timeout, ErrorCode code) {
        assertThatThrownBy(() -> call.await(timeout))
                .isInstanceOfSatisfying(
                        CallFailedException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    /** A function that waits until it is interrupted, and tells what it sees then. */
    private void registerHang(CountDownLatch running, CompletableFuture<Boolean> seen) {
        server.register(
                "hang",
                Nothing.class,
                Nothing.class,
                c -> {
                    running.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        seen.complete(c.isAbandoned());
                    }
                    return null;
                });
    }

    private long counter(String label) {
        return setup.server.counters().find(label).get();
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aCallComesBack(String method) throws Exception {
        open(method);
        RemoteFunction<Number, Number> twice =
                client.function("double", Number.class, Number.class);
        assertThat(twice.call(address, new Number(21), SOON)).isEqualTo(new Number(42));
        ShippedCall<Number> call = twice.forward(address, new Number(4));
        assertThat(call.future().get(20, TimeUnit.SECONDS)).isEqualTo(new Number(8));
        assertThat(call.await(Duration.ZERO)).isEqualTo(new Number(8));
        assertThat(call.cancel()).isEqualTo(CancelOutcome.ALREADY_DONE);
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void manyCallsAreUnderWayAtATime(String method) throws Exception {
        open(method);
        RemoteFunction<Number, Number> twice =
                client.function("double", Number.class, Number.class);
        List<ShippedCall<Number>> calls = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            calls.add(twice.forward(address, new Number(i)));
        }
        assertThat(Shipper.awaitAll(calls, SOON)).isTrue();
        for (int i = 0; i < 200; i++) {
            assertThat(calls.get(i).await(Duration.ZERO)).isEqualTo(new Number(2 * i));
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void inputsAndOutputsOfEverySizeTravel(String method) throws Exception {
        open(method);
        server.register("echo", Bytes.class, Bytes.class, Call::input);
        RemoteFunction<Bytes, Bytes> echo = client.function("echo", Bytes.class, Bytes.class);
        long unexpected = setup.client.getOption(address, org.jbmi.Options.MAX_UNEXPECTED_BYTES);
        int[] sizes = {
            0,
            1,
            4096 - 37,
            4096 - 36,
            4096 - 35,
            (int) unexpected - 53,
            (int) unexpected - 52,
            (int) unexpected - 51,
            1 << 20,
            5_000_000
        };
        for (int size : sizes) {
            byte[] bytes = new byte[size];
            for (int i = 0; i < size; i++) {
                bytes[i] = (byte) (i * 31 + size);
            }
            assertThat(echo.call(address, new Bytes(bytes), SOON).bytes()).isEqualTo(bytes);
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void eachFailureHasItsName(String method) throws Exception {
        open(method);
        server.register(
                "throw",
                Text.class,
                Nothing.class,
                c -> {
                    throw new IllegalStateException(c.input().text());
                });
        server.register(
                "refuse",
                Text.class,
                Nothing.class,
                c -> {
                    throw new BmiException(ErrorCode.ENOSPC, "The disk is full.");
                });
        server.register("silent", Nothing.class, Nothing.class, c -> null);
        server.register("positive", Positive.class, Positive.class, Call::input);
        fails("nowhere", Number.class, new Number(1), ErrorCode.ENOSYS, "no function of this name");
        fails(
                "double",
                Text.class,
                new Text("2"),
                ErrorCode.EPROTOTYPE,
                "{value:i64} -> {value:i64}");
        fails(
                "throw",
                Text.class,
                new Text("boom"),
                ErrorCode.EREMOTE,
                "IllegalStateException: boom");
        fails("refuse", Text.class, new Text(""), ErrorCode.ENOSPC, "The disk is full.");
        fails("silent", Nothing.class, new Nothing(), ErrorCode.ENODATA, "without an answer");
        RemoteFunction<Number, Nothing> lies =
                client.function(
                        "positive",
                        org.jbmi.shipper.codec.Codec.of(Number.class),
                        org.jbmi.shipper.codec.Codec.of(Nothing.class),
                        Nothing.class);
        assertThatThrownBy(() -> lies.call(address, new Number(-1), SOON))
                .isInstanceOf(CallFailedException.class);
        RemoteFunction<Number, Number> twice =
                client.function("double", Number.class, Number.class);
        assertThat(twice.call(address, new Number(1), SOON)).isEqualTo(new Number(2));
    }

    private <I> void fails(String name, Class<I> type, I input, ErrorCode code, String words) {
        RemoteFunction<I, ?> function =
                name.equals("double") || name.equals("nowhere")
                        ? client.function(name, type, Number.class)
                        : client.function(name, type, Nothing.class);
        assertThatThrownBy(() -> function.call(address, input, SOON))
                .isInstanceOfSatisfying(
                        CallFailedException.class,
                        e -> {
                            assertThat(e.code()).isEqualTo(code);
                            assertThat(e.isRemote()).isTrue();
                        })
                .hasMessageContaining(words);
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void anInputThatItsRecordRefusesIsMalformed(String method) throws Exception {
        open(method);
        server.register("positive", Positive.class, Number.class, c -> new Number(1));
        RemoteFunction<Number, Number> lies =
                client.function("positive", Number.class, Number.class);
        assertThatThrownBy(() -> lies.call(address, new Number(-1), SOON))
                .isInstanceOfSatisfying(
                        CallFailedException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.EBADMSG))
                .hasMessageContaining("The value must be positive.");
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aCallThatIsCancelledEndsOnBothSides(String method) throws Exception {
        open(method);
        CountDownLatch running = new CountDownLatch(1);
        CompletableFuture<Boolean> seen = new CompletableFuture<>();
        registerHang(running, seen);
        RemoteFunction<Nothing, Nothing> hang =
                client.function("hang", Nothing.class, Nothing.class);
        ShippedCall<Nothing> call = hang.forward(address, new Nothing());
        assertThat(running.await(20, TimeUnit.SECONDS)).isTrue();
        ends(call, Duration.ofMillis(20), ErrorCode.EAGAIN);
        assertThat(call.cancel()).isEqualTo(CancelOutcome.CANCELLED);
        ends(call, Duration.ZERO, ErrorCode.ECANCEL);
        assertThat(seen.get(20, TimeUnit.SECONDS)).isTrue();
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aDeadlineEndsACallThatHangs(String method) throws Exception {
        open(method);
        CompletableFuture<DeferredAnswer<Nothing>> put = new CompletableFuture<>();
        server.register(
                "never",
                Nothing.class,
                Nothing.class,
                c -> {
                    put.complete(c.defer());
                    return null;
                });
        RemoteFunction<Nothing, Nothing> never =
                client.function("never", Nothing.class, Nothing.class);
        client.connect(address, SOON);
        // On a busy machine a short deadline may be over before the handler begins.
        for (long ms = 500; !put.isDone() && ms <= 16_000; ms *= 2) {
            CompletableFuture<Nothing> future =
                    never.withDeadline(Duration.ofMillis(ms))
                            .forward(address, new Nothing())
                            .future();
            assertThatThrownBy(() -> future.get(20, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOfSatisfying(
                            CallFailedException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.ETIMEDOUT));
        }
        DeferredAnswer<Nothing> answer = put.get(20, TimeUnit.SECONDS);
        Setup.until("the call is abandoned", answer::isAbandoned);
        assertThat(answer.complete(new Nothing())).isFalse();
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aDeadlineInterruptsAHandlerThatHangs(String method) throws Exception {
        open(method);
        CountDownLatch running = new CountDownLatch(1);
        CompletableFuture<Boolean> seen = new CompletableFuture<>();
        registerHang(running, seen);
        RemoteFunction<Nothing, Nothing> hang =
                client.function("hang", Nothing.class, Nothing.class);
        client.connect(address, SOON);
        // On a busy machine a short deadline may be over before the handler begins.
        for (long ms = 500; running.getCount() > 0 && ms <= 16_000; ms *= 2) {
            ShippedCall<Nothing> call =
                    hang.withDeadline(Duration.ofMillis(ms)).forward(address, new Nothing());
            ends(call, SOON, ErrorCode.ETIMEDOUT);
        }
        assertThat(seen.get(20, TimeUnit.SECONDS)).isTrue();
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void anAnswerMayBePutOffAndIsGivenOnce(String method) throws Exception {
        open(method);
        CompletableFuture<DeferredAnswer<Number>> put = new CompletableFuture<>();
        server.register(
                "later",
                Number.class,
                Number.class,
                c -> {
                    put.complete(c.defer());
                    return null;
                });
        ShippedCall<Number> call =
                client.function("later", Number.class, Number.class)
                        .forward(address, new Number(1));
        DeferredAnswer<Number> answer = put.get(20, TimeUnit.SECONDS);
        assertThat(call.isDone()).isFalse();
        assertThat(answer.complete(new Number(7))).isTrue();
        assertThat(answer.complete(new Number(8))).isFalse();
        assertThat(answer.fail(ErrorCode.EIO, "Too late.")).isFalse();
        assertThat(call.await(SOON)).isEqualTo(new Number(7));
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aServerThatClosesEndsTheCallsOfItsClients(String method) throws Exception {
        open(method);
        CountDownLatch running = new CountDownLatch(1);
        server.register(
                "hang",
                Nothing.class,
                Nothing.class,
                c -> {
                    running.countDown();
                    new CountDownLatch(1).await();
                    return new Nothing();
                });
        ShippedCall<Nothing> call =
                client.function("hang", Nothing.class, Nothing.class)
                        .forward(address, new Nothing());
        assertThat(running.await(20, TimeUnit.SECONDS)).isTrue();
        server.close();
        ends(call, SOON, ErrorCode.EPIPE);
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aClientThatClosesAbandonsItsCalls(String method) throws Exception {
        open(method);
        CountDownLatch running = new CountDownLatch(1);
        CompletableFuture<Boolean> seen = new CompletableFuture<>();
        registerHang(running, seen);
        ShippedCall<Nothing> call =
                client.function("hang", Nothing.class, Nothing.class)
                        .forward(address, new Nothing());
        assertThat(running.await(20, TimeUnit.SECONDS)).isTrue();
        client.close();
        assertThat(call.isDone()).isTrue();
        assertThat(seen.get(20, TimeUnit.SECONDS)).isTrue();
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aServerWithoutThreadsRunsCallsWhereItIsAsked(String method) throws Exception {
        open(method);
        server.close();
        List<String> threads = new ArrayList<>();
        try (ShipperServer alone = Shipper.builder(setup.server).withoutThreads().server()) {
            alone.register(
                    "where",
                    Nothing.class,
                    Nothing.class,
                    c -> {
                        threads.add(Thread.currentThread().getName());
                        return new Nothing();
                    });
            long beforeNs = System.nanoTime();
            assertThat(alone.process(Duration.ofMillis(100))).isZero();
            assertThat(System.nanoTime() - beforeNs).isGreaterThanOrEqualTo(100_000_000);
            ShippedCall<Nothing> call =
                    client.function("where", Nothing.class, Nothing.class)
                            .forward(address, new Nothing());
            while (!call.isDone()) {
                alone.process(Duration.ofMillis(10));
            }
            assertThat(threads).containsExactly(Thread.currentThread().getName());
        }
    }

    /** Each of the three calls ends only when all of them run. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void severalThreadsRunTheCallsOfAServerWithoutThreads(String method) throws Exception {
        open(method);
        server.close();
        CyclicBarrier together = new CyclicBarrier(3);
        AtomicInteger echoes = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        try (ShipperServer alone = Shipper.builder(setup.server).withoutThreads().server()) {
            alone.register(
                    "meet",
                    Number.class,
                    Number.class,
                    c -> {
                        together.await(20, TimeUnit.SECONDS);
                        return c.input();
                    });
            alone.register(
                    "echo",
                    Number.class,
                    Number.class,
                    c -> {
                        echoes.incrementAndGet();
                        return c.input();
                    });
            for (int i = 0; i < 3; i++) {
                threads.add(
                        Thread.ofPlatform()
                                .start(
                                        () -> {
                                            while (!over.get()) {
                                                alone.process(Duration.ofMillis(5));
                                            }
                                        }));
            }
            try {
                allEcho("meet", 3);
                allEcho("echo", 200);
            } finally {
                over.set(true);
                for (Thread thread : threads) {
                    thread.join();
                }
            }
            assertThat(echoes.get()).isEqualTo(200);
        }
    }

    private void allEcho(String name, int count) {
        RemoteFunction<Number, Number> function = client.function(name, Number.class, Number.class);
        List<ShippedCall<Number>> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            calls.add(function.forward(address, new Number(i)));
        }
        for (int i = 0; i < count; i++) {
            assertThat(calls.get(i).await(SOON)).isEqualTo(new Number(i));
        }
    }

    /** A handler that calls on may bound its own calls by it. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void aHandlerSeesHowLongItsClientWaits(String method) throws Exception {
        open(method);
        CountDownLatch running = new CountDownLatch(1);
        CompletableFuture<Optional<Duration>> afterwards = new CompletableFuture<>();
        server.register(
                "left",
                Nothing.class,
                Number.class,
                c -> new Number(c.timeLeft().map(Duration::toNanos).orElse(-1L)));
        server.register(
                "hang",
                Nothing.class,
                Nothing.class,
                c -> {
                    running.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        afterwards.complete(c.timeLeft());
                    }
                    return null;
                });
        RemoteFunction<Nothing, Number> left = client.function("left", Nothing.class, Number.class);
        Duration most = Duration.ofMinutes(2);
        assertThat(left.withDeadline(most).call(address, new Nothing(), SOON).value())
                .isBetween(most.minus(SOON).toNanos(), most.toNanos());
        assertThat(left.withDeadline(Duration.ZERO).call(address, new Nothing(), SOON).value())
                .isEqualTo(-1);
        ShippedCall<Nothing> call =
                client.function("hang", Nothing.class, Nothing.class)
                        .forward(address, new Nothing());
        assertThat(running.await(20, TimeUnit.SECONDS)).isTrue();
        call.cancel();
        assertThat(afterwards.get(20, TimeUnit.SECONDS)).contains(Duration.ZERO);
    }
}
