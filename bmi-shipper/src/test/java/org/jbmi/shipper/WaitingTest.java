package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.Records.Move;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.shipper.wire.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Who waits for a call hears of its end; what that costs others, and what is held meanwhile. */
@Timeout(60)
class WaitingTest {
    static final List<String> METHODS = Setup.METHODS;
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String CLOSE_FAILS = "As if the heap were full.";
    private static final int CALLS = 100;

    /**
     * A wait in a test call is told to zoid's engine, and so is its end: that costs two messages.
     */
    @ParameterizedTest
    @FieldSource("METHODS")
    void whoSpinsNeverWaitsInATestCall(String method) throws Exception {
        Set<String> asked = new TreeSet<>();
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Bmi spinning = setup.builder().knob("bmi.wait", "spin").open();
                Shipper client =
                        Shipper.builder(WatchedBmi.before(spinning, asked::add))
                                .withoutThreads()
                                .client()) {
            server.register("echo", Number.class, Number.class, Call::input).start();
            PeerAddress address = setup.address(spinning);
            RemoteFunction<Number, Number> echo =
                    client.function("echo", Number.class, Number.class);
            for (int i = 0; i < CALLS; i++) {
                assertThat(echo.call(address, new Number(i), SOON)).isEqualTo(new Number(i));
            }
            assertThat(asked)
                    .contains("testContext(0)")
                    .allMatch(what -> !what.startsWith("test") || what.endsWith("(0)"));
        }
    }

    /**
     * Messages of calls whose handlers are short are freed after the answers, also if nobody asks
     * again; those of others before their handlers run.
     */
    @ParameterizedTest
    @FieldSource("METHODS")
    void aServerWithoutThreadsHoldsNoMessageForLong(String method) throws Exception {
        List<Long> held = new ArrayList<>();
        try (Setup setup = Setup.of(method);
                ShipperServer server = Shipper.builder(setup.server).withoutThreads().server();
                Shipper client = Shipper.on(setup.client)) {
            server.registerShort("short", Number.class, Number.class, Call::input);
            server.register(
                    "long",
                    Number.class,
                    Number.class,
                    call -> {
                        held.add(gauge(setup.server, "bmi.unexpectedHeld"));
                        return call.input();
                    });
            for (String name : List.of("short", "long", "short", "long")) {
                ShippedCall<Number> call =
                        client.function(name, Number.class, Number.class)
                                .forward(setup.address(), new Number(7));
                Setup.until("an answer", call::isDone, () -> server.process(Duration.ofMillis(10)));
                assertThat(gauge(setup.server, "bmi.unexpectedHeld")).isZero();
            }
            assertThat(held).containsExactly(0L, 0L);
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void everyFutureOfACallIsCompleted(String method) throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client)) {
            server.register(
                    "hold",
                    Number.class,
                    Number.class,
                    call -> {
                        go.await();
                        return call.input();
                    });
            server.start();
            ShippedCall<Number> call =
                    client.function("hold", Number.class, Number.class)
                            .forward(setup.address(), new Number(1));
            List<CompletableFuture<Number>> futures =
                    List.of(call.future(), call.future(), call.future());
            go.countDown();
            for (CompletableFuture<Number> future : futures) {
                assertThat(future.get(20, TimeUnit.SECONDS)).isEqualTo(new Number(1));
            }
        }
    }

    /** While a handler waits for another thread, what came with its call is held by nobody. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void aServerWithThreadsHoldsNoMessageWhenItSleeps(String method) throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch runs = new CountDownLatch(1);
        AtomicInteger sleeps = new AtomicInteger();
        AtomicLong most = new AtomicLong();
        try (Setup setup = Setup.of(method);
                ShipperServer server =
                        ShipperServer.on(
                                WatchedBmi.before(
                                        setup.server,
                                        what -> {
                                            if (what.startsWith("testContext")) {
                                                most.accumulateAndGet(
                                                        gauge(setup.server, "bmi.unexpectedHeld"),
                                                        Math::max);
                                                sleeps.incrementAndGet();
                                            }
                                        }));
                Shipper client = Shipper.on(setup.client)) {
            server.register(
                    "hold",
                    Number.class,
                    Number.class,
                    call -> {
                        runs.countDown();
                        go.await();
                        return call.input();
                    });
            server.start();
            ShippedCall<Number> call =
                    client.function("hold", Number.class, Number.class)
                            .forward(setup.address(), new Number(1));
            runs.await();
            int before = sleeps.get();
            Setup.until("a sleep while the handler runs", () -> sleeps.get() > before + 1);
            assertThat(most.get()).isZero();
            go.countDown();
            assertThat(call.await(SOON)).isEqualTo(new Number(1));
        }
    }

    /** Its transfer ends when the server's message is read, and nobody else reads it. */
    @Test
    void anActionOfAFutureMayCloseAHandleThatIsInUse() throws Exception {
        List<String> order = new CopyOnWriteArrayList<>();
        try (Setup setup = Setup.of("loopback");
                RawServer server = new RawServer(setup.server);
                Shipper client =
                        Shipper.builder(setup.client)
                                .knob("shipper.closeWaitMs", "20000")
                                .client()) {
            CompletableFuture<Void> connected =
                    CompletableFuture.runAsync(() -> client.connect(setup.address(), SOON));
            server.welcome();
            connected.get(20, TimeUnit.SECONDS);
            BulkHandle data = client.expose(MemorySegment.ofArray(new byte[8]), Permission.WRITE);
            server.startPush(1, data, 8, 1);
            server.await(Wire.GRANT);
            RemoteFunction<Number, Number> silent =
                    client.function("silent", Number.class, Number.class);
            silent.withDeadline(Duration.ofSeconds(1))
                    .forward(setup.address(), new Number(1))
                    .future()
                    .whenComplete(
                            (_, _) -> {
                                order.add("closing");
                                data.close();
                                order.add("closed");
                            });
            ShippedCall<Number> next =
                    silent.withDeadline(Duration.ofSeconds(2))
                            .forward(setup.address(), new Number(2));
            CompletableFuture<Boolean> told = next.future().handle((_, _) -> order.add("next"));
            Setup.until("the end of the next call", next::isDone);
            assertThat(order).containsExactly("closing");
            server.sendChunk(1, 8);
            assertThat(told.get(20, TimeUnit.SECONDS)).isTrue();
            assertThat(order).containsExactly("closing", "closed", "next");
        }
    }

    private static long gauge(Bmi bmi, String name) {
        bmi.counters(); // refreshes the gauges
        return bmi.counters().find(name).get();
    }

    /** The transfer cannot be cancelled before the server closes, and nobody runs it after that. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aHandlerThatWaitsForATransferEndsWithItsServer(boolean closeFails) throws Exception {
        CountDownLatch waits = new CountDownLatch(1);
        CompletableFuture<ErrorCode> ended = new CompletableFuture<>();
        String failure = "";
        try (Setup setup = Setup.of("loopback");
                Shipper client = Shipper.builder(setup.client).withoutThreads().client()) {
            Bmi bmi =
                    WatchedBmi.after(
                            WatchedBmi.withoutCancels(setup.server),
                            what -> {
                                if (closeFails && what.startsWith("close")) {
                                    throw new IllegalStateException(CLOSE_FAILS);
                                }
                            });
            try (ShipperServer server =
                    Shipper.builder(bmi).knob("shipper.closeWaitMs", "300").server()) {
                server.register(
                        "pull",
                        Move.class,
                        Number.class,
                        call -> {
                            waits.countDown();
                            try (Lease lease = call.pull(call.input().data())) {
                                return new Number(lease.segment().byteSize());
                            } catch (BmiException e) {
                                ended.complete(e.code());
                                throw e;
                            }
                        });
                server.start();
                client.connect(setup.address(), SOON);
                BulkHandle data =
                        client.expose(MemorySegment.ofArray(new byte[10]), Permission.READ);
                client.function("pull", Move.class, Number.class)
                        .forward(setup.address(), new Move(data, 0, 0));
                assertThat(waits.await(20, TimeUnit.SECONDS)).isTrue();
                Setup.until( // beside the receive that ends with the client
                        "a receive for the transfer",
                        () -> gauge(setup.server, "bmi.operations") > 1);
            } catch (IllegalStateException e) {
                failure = e.getMessage();
            }
            assertThat(failure).isEqualTo(closeFails ? CLOSE_FAILS : "");
            assertThat(ended.get(20, TimeUnit.SECONDS)).isEqualTo(ErrorCode.EPIPE);
        }
    }
}
