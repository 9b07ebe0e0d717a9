package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Encoder;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.shipper.wire.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Where a client's heap is full for a moment, its calls and its close end all the same. */
@Timeout(60)
class FullHeapOfClientTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    private final AtomicBoolean isFull = new AtomicBoolean();
    private final Set<String> asked = ConcurrentHashMap.newKeySet();
    private final AtomicInteger failedCancels = new AtomicInteger();

    /** No cancel finds memory. */
    private Bmi filled(Bmi bmi) {
        return WatchedBmi.before(
                bmi,
                what -> {
                    asked.add(what);
                    if (isFull.get() && what.equals("cancel")) {
                        failedCancels.incrementAndGet();
                        throw new OutOfMemoryError("As if the heap were full.");
                    }
                });
    }

    @Test
    void callsEndThoughStepsOfTheEndOfTheirSessionFail() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        try (Setup setup = Setup.of("loopback");
                Shipper client = Shipper.on(filled(setup.client))) {
            ShipperServer server =
                    ShipperServer.on(setup.server)
                            .register(
                                    "hold",
                                    Number.class,
                                    Number.class,
                                    call -> {
                                        begun.countDown();
                                        new CountDownLatch(1).await();
                                        return call.input();
                                    });
            server.start();
            ShippedCall<Number> call =
                    client.function("hold", Number.class, Number.class)
                            .withDeadline(Duration.ZERO)
                            .forward(setup.address(), new Number(1));
            assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
            isFull.set(true);
            try {
                server.close();
                assertThatThrownBy(() -> call.await(SOON))
                        .isInstanceOfSatisfying(
                                CallFailedException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.EPIPE));
            } finally {
                isFull.set(false);
            }
        }
    }

    /** Those whose cancel failed are cancelled again. */
    @Test
    void eachChunkIsCancelledThoughTheCancelOfAnotherOneFails() throws Exception {
        try (Setup setup = Setup.of("loopback");
                RawServer server = new RawServer(setup.server);
                Shipper client =
                        Shipper.builder(filled(setup.client))
                                .withoutThreads()
                                .knob("shipper.closeWaitMs", "1")
                                .client();
                BulkHandle data =
                        client.expose(MemorySegment.ofArray(new byte[1024]), Permission.WRITE)) {
            client.function("any", Number.class, Number.class)
                    .forward(setup.address(), new Number(1));
            server.welcome();
            Runnable progress = () -> client.progress(Duration.ZERO);
            Setup.until("the call", () -> !server.calls().isEmpty(), progress);
            server.startPush(1, data, 256, 1);
            progress.run();
            server.await(Wire.GRANT);
            int pending = setup.client.pendingOperations(100).size();
            isFull.set(true);
            try {
                sayGoodbye(server);
                progress.run();
            } finally {
                isFull.set(false);
            }
            assertThat(failedCancels.get())
                    .isGreaterThanOrEqualTo(pending - 1); // one took the goodbye
            Setup.until(
                    "the cancels", () -> setup.client.pendingOperations(100).isEmpty(), progress);
        }
    }

    private static void sayGoodbye(RawServer server) {
        Encoder goodbye = server.begin(Wire.GOODBYE, 0);
        goodbye.putInt(ErrorCode.EPIPE.negativeValue());
        goodbye.putString("over");
        assertThat(server.meetsAReceive(goodbye)).isTrue();
    }

    /** A client waits for the latest few late welcomes. */
    @Test
    void aLateHelloIsCancelledThoughItsFirstCancelFails() throws Exception {
        AtomicLong nowNs = new AtomicLong();
        try (Setup setup = Setup.of("loopback");
                Shipper client =
                        Shipper.builder(filled(setup.client))
                                .withoutThreads()
                                .clock(nowNs::get)
                                .knob("shipper.closeWaitMs", "1")
                                .client()) {
            RemoteFunction<Number, Number> any = client.function("any", Number.class, Number.class);
            Runnable aLateHello =
                    () -> {
                        any.forward(setup.address(), new Number(1));
                        nowNs.addAndGet(TimeUnit.MINUTES.toNanos(1));
                        client.progress(Duration.ZERO);
                        client.progress(Duration.ZERO);
                    };
            for (int i = 0; i < 16; i++) {
                aLateHello.run();
            }
            isFull.set(true);
            assertThatThrownBy(aLateHello::run).isInstanceOf(OutOfMemoryError.class);
            isFull.set(false);
            aLateHello.run();
            assertThat(setup.client.pendingOperations(100))
                    .filteredOn(each -> each.kind().equals("receive"))
                    .hasSize(16);
        }
    }

    /** As long as no cancel finds memory, each of the sessions cancels once in a tick. */
    @Test
    @Timeout(
            value = 60,
            threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a tick ends no other way
    void aTickEndsThoughTheCancelsOfTwoSessionsFail() throws Exception {
        AtomicLong nowNs = new AtomicLong();
        try (Setup setup = Setup.of("loopback");
                Bmi another = setup.builder().listen("loopback://another").open();
                RawServer first = new RawServer(setup.server);
                RawServer second = new RawServer(another);
                Shipper client =
                        Shipper.builder(filled(setup.client))
                                .withoutThreads()
                                .clock(nowNs::get)
                                .knob("shipper.closeWaitMs", "1")
                                .client()) {
            RemoteFunction<Number, Number> any = client.function("any", Number.class, Number.class);
            Runnable progress =
                    () -> {
                        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(1) / 10);
                        client.progress(Duration.ZERO);
                    };
            any.forward(setup.address(), new Number(1));
            first.welcome();
            Setup.until("a call", () -> !first.calls().isEmpty(), progress);
            any.forward(setup.client.lookup("loopback://another"), new Number(1));
            second.welcome();
            Setup.until("another call", () -> !second.calls().isEmpty(), progress);
            isFull.set(true);
            try {
                sayGoodbye(first);
                sayGoodbye(second);
                for (int i = 0; i < 4; i++) {
                    progress.run();
                }
            } finally {
                isFull.set(false);
            }
            assertThat(failedCancels.get()).isGreaterThanOrEqualTo(2 * 4);
            Setup.until(
                    "the cancels", () -> setup.client.pendingOperations(100).isEmpty(), progress);
        }
    }

    @Test
    void aCloseTakesEachStepThoughOneBeforeItFails() throws Exception {
        try (Setup setup = Setup.of("loopback");
                ShipperServer server = ShipperServer.on(setup.server)) {
            server.register("echo", Number.class, Number.class, Call::input).start();
            Shipper client = Shipper.on(filled(setup.client));
            client.function("echo", Number.class, Number.class)
                    .call(setup.address(), new Number(1), SOON);
            isFull.set(true);
            try {
                assertThatThrownBy(client::close).isInstanceOf(OutOfMemoryError.class);
            } finally {
                isFull.set(false);
            }
            assertThat(asked).contains("close");
        }
    }
}
