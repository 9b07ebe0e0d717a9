package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.config.Configuration;
import org.jbmi.shipper.Records.Move;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.server.Served;
import org.jbmi.shipper.server.ServerCall;
import org.jbmi.shipper.server.ServerCore;
import org.jbmi.shipper.wire.Tags;
import org.jbmi.shipper.wire.Wire;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/** Where a server's heap is full for a moment, calls and transfers end all the same. */
@Timeout(60)
class FullHeapTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final int BYTES = 1 << 20;

    /** As long as the handler waits, each look for messages behind a sleep fails. */
    @Test
    void aTransferGoesOnWhenALookForMessagesFails() throws Exception {
        AtomicBoolean isFull = new AtomicBoolean();
        AtomicBoolean slept = new AtomicBoolean();
        try (Setup setup = Setup.of("loopback");
                ShipperServer server = ShipperServer.on(failing(setup.server, isFull, slept));
                Shipper client = Shipper.on(setup.client);
                BulkHandle data =
                        client.expose(MemorySegment.ofArray(new byte[BYTES]), Permission.READ)) {
            server.register(
                    "pull",
                    Move.class,
                    Number.class,
                    call -> {
                        isFull.set(true);
                        try (Lease lease = call.pull(call.input().data())) {
                            return new Number(lease.segment().byteSize());
                        } finally {
                            isFull.set(false);
                        }
                    });
            server.start();
            assertThat(
                            client.function("pull", Move.class, Number.class)
                                    .call(setup.address(), new Move(data, 0, 0), SOON))
                    .isEqualTo(new Number(BYTES));
        }
    }

    /** What a round took in its sleep is not lost when the same round fails. */
    private static Bmi failing(Bmi bmi, AtomicBoolean isFull, AtomicBoolean slept) {
        return WatchedBmi.beforeListening(
                WatchedBmi.before(
                        bmi,
                        what -> {
                            if (what.startsWith("testContext") || what.equals("collect")) {
                                slept.set(what.startsWith("testContext"));
                            }
                        }),
                () -> {
                    if (isFull.get() && slept.get()) {
                        throw new OutOfMemoryError("As if the heap were full.");
                    }
                });
    }

    /** Gives back its input, if the server can handle the call. */
    private record Echo(ServerCore core, AtomicReference<@Nullable Throwable> failure)
            implements Served {
        private static final Codec<Number> NUMBERS = Codec.of(Number.class);

        @Override
        public String name() {
            return "echo";
        }

        @Override
        public String signature() {
            return Wire.signature(NUMBERS.signature(), NUMBERS.signature());
        }

        @Override
        public long fingerprint() {
            switch (failure.getAndSet(null)) {
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                case null, default -> {
                    return Wire.hash(signature());
                }
            }
        }

        @Override
        public Object read(Decoder in) {
            return NUMBERS.decode(in);
        }

        @Override
        public @Nullable Outgoing run(ServerCall call) {
            return core.answers().write(call, NUMBERS, (Number) call.input());
        }
    }

    /** Without a deadline the client would wait for ever. */
    @Test
    void aCallThatTheServerCannotHandleEndsWithItsSession() throws Exception {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        try (Setup setup = Setup.of("loopback")) {
            Configuration defaults = Configuration.resolve(ShipperKnobs.all(), Map.of());
            ServerCore core =
                    new ServerCore(
                            setup.server,
                            Shipper.builder(setup.server).serverSettings(defaults),
                            Thread.ofVirtual().factory());
            core.functions().register(new Echo(core, failure));
            try (ShipperServer server = new ShipperServer(core);
                    Shipper client = Shipper.on(setup.client)) {
                server.start();
                RemoteFunction<Number, Number> echo =
                        client.function("echo", Number.class, Number.class)
                                .withDeadline(Duration.ZERO);
                failure.set(new OutOfMemoryError("As if the heap were full."));
                fails(echo, setup.address(), ErrorCode.ENOMEM);
                failure.set(new IllegalStateException("As after a mistake."));
                fails(echo, setup.address(), ErrorCode.EIO);
            }
        }
    }

    /** The client, which is not told, may go and come again: it has one place. */
    @Test
    void aSessionEndsWholeThoughStepsOfItsEndFail() throws Exception {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        AtomicBoolean isFull = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        try (Setup setup = Setup.of("loopback")) {
            Bmi bmi = WatchedBmi.before(setup.server, what -> fill(isFull.get(), what));
            Configuration one =
                    Configuration.resolve(
                            ShipperKnobs.all(), Map.of("shipper.maxSessionsPerPeer", "1"));
            ServerCore core =
                    new ServerCore(
                            bmi,
                            Shipper.builder(bmi).serverSettings(one),
                            Thread.ofVirtual().factory());
            core.functions().register(new Echo(core, failure));
            try (ShipperServer server = new ShipperServer(core)) {
                server.register(
                        "hold",
                        Number.class,
                        Number.class,
                        call -> {
                            begun.countDown();
                            try {
                                new CountDownLatch(1).await();
                            } catch (InterruptedException e) {
                                interrupted.countDown();
                            }
                            return call.input();
                        });
                server.start();
                try (Shipper client = Shipper.on(setup.client)) {
                    client.function("hold", Number.class, Number.class)
                            .forward(setup.address(), new Number(1));
                    assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
                    isFull.set(true);
                    failure.set(new OutOfMemoryError("As if the heap were full."));
                    client.function("echo", Number.class, Number.class)
                            .forward(setup.address(), new Number(1));
                    assertThat(interrupted.await(20, TimeUnit.SECONDS)).isTrue();
                    isFull.set(false);
                }
                try (Shipper client = Shipper.on(setup.client)) {
                    assertThat(
                                    client.function("echo", Number.class, Number.class)
                                            .call(setup.address(), new Number(2), SOON))
                            .isEqualTo(new Number(2));
                }
            }
        }
    }

    /** No cancel finds memory as the session ends; a transfer cancels its chunks again later. */
    @Test
    void aSessionEndsItsHandlersThoughTheirTransfersCannotBeCancelled() throws Exception {
        AtomicBoolean isFull = new AtomicBoolean();
        AtomicLong nowNs = new AtomicLong();
        CountDownLatch pulls = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        try (Setup setup = Setup.of("loopback");
                ShipperServer server =
                        Shipper.builder(
                                        WatchedBmi.before(
                                                setup.server, what -> fill(isFull.get(), what)))
                                .clock(nowNs::get)
                                .server()) {
            server.register(
                    "hold",
                    Move.class,
                    Number.class,
                    call -> {
                        List<MemorySegment> into = List.of(call.lease(BYTES).segment());
                        call.startPull(call.input().data(), 0, into, 0, BYTES);
                        pulls.countDown();
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            interrupted.countDown();
                        }
                        return new Number(1);
                    });
            server.start();
            try (Shipper client = Shipper.builder(setup.client).withoutThreads().client()) {
                BulkHandle data =
                        client.expose(MemorySegment.ofArray(new byte[BYTES]), Permission.READ);
                client.function("hold", Move.class, Number.class)
                        .forward(setup.address(), new Move(data, 0, 0));
                Setup.until(
                        "the call",
                        () -> server.underWay().size() == 1,
                        () -> client.progress(Duration.ZERO));
                assertThat(pulls.await(20, TimeUnit.SECONDS)).isTrue();
                isFull.set(true);
            }
            try {
                assertThat(interrupted.await(20, TimeUnit.SECONDS)).isTrue();
            } finally {
                isFull.set(false);
            }
            nowNs.set(Duration.ofHours(1).toNanos());
            Setup.untilEqual(
                    "leased bytes",
                    0L,
                    () -> setup.server.counters().find("shipper.server.leasedBytes").get());
        }
    }

    @Test
    void aCallIsAnsweredThoughItsTransfersCannotBeCancelled() throws Exception {
        AtomicBoolean isFull = new AtomicBoolean();
        CountDownLatch over = new CountDownLatch(1);
        try (Setup setup = Setup.of("loopback");
                ShipperServer server =
                        ShipperServer.on(
                                WatchedBmi.before(
                                        setup.server,
                                        what ->
                                                fill(
                                                        isFull.get() && what.equals("cancel"),
                                                        what)));
                Shipper client = Shipper.builder(setup.client).withoutThreads().client()) {
            server.register(
                    "leave",
                    Move.class,
                    Number.class,
                    call -> {
                        List<MemorySegment> into = List.of(call.lease(BYTES).segment());
                        call.startPull(call.input().data(), 0, into, 0, BYTES);
                        isFull.set(true);
                        over.countDown();
                        return new Number(5);
                    });
            server.start();
            BulkHandle data =
                    client.expose(MemorySegment.ofArray(new byte[BYTES]), Permission.READ);
            ShippedCall<Number> call =
                    client.function("leave", Move.class, Number.class)
                            .forward(setup.address(), new Move(data, 0, 0));
            Setup.until(
                    "the handler",
                    () -> over.getCount() == 0,
                    () -> client.progress(Duration.ZERO));
            try {
                Setup.until("the answer", call::isDone, () -> client.progress(Duration.ZERO));
            } finally {
                isFull.set(false);
            }
            assertThat(call.await(Duration.ZERO)).isEqualTo(new Number(5));
        }
    }

    @Test
    void allLeasesOfACallAreFreedThoughOneIsNotAtOnce() throws Exception {
        AtomicInteger frees = new AtomicInteger();
        Runnable failsOnce =
                () -> {
                    if (frees.incrementAndGet() == 2) {
                        throw new OutOfMemoryError("As if the heap were full.");
                    }
                };
        try (Setup setup = Setup.of("loopback");
                ShipperServer server =
                        ShipperServer.on(WatchedBmi.beforeFree(setup.server, failsOnce));
                Shipper client = Shipper.on(setup.client)) {
            server.register(
                    "lease",
                    Number.class,
                    Number.class,
                    call -> {
                        for (int i = 0; i < 3; i++) {
                            call.lease(1024);
                        }
                        return call.input();
                    });
            server.start();
            client.function("lease", Number.class, Number.class)
                    .call(setup.address(), new Number(1), SOON);
            Setup.untilEqual("frees", 4, frees::get);
            Setup.untilEqual(
                    "leased bytes",
                    0L,
                    () -> setup.server.counters().find("shipper.server.leasedBytes").get());
        }
    }

    /** The clock fails as a transfer begins: at once, and when a channel is free for it. */
    @Test
    void aTransferThatFindsNoMemoryAsItBeginsEndsAlone() throws Exception {
        AtomicInteger looks = new AtomicInteger(); // until the clock fails
        LongSupplier clock =
                () -> {
                    if (looks.get() > 0 && looks.decrementAndGet() == 0) {
                        throw new OutOfMemoryError("As if the heap were full.");
                    }
                    return System.nanoTime();
                };
        List<Transfer> begun = new ArrayList<>();
        BulkHandle.Token secret = new BulkHandle.Token(1, 1);
        BulkHandle memory =
                new BulkHandle(Wire.ownerOf(secret), secret, 1, 1 << 20, Permission.READ_WRITE);
        try (Setup setup = Setup.of("loopback");
                CompletionContext context = setup.client.openContext();
                ShipperServer server =
                        Shipper.builder(setup.server).clock(clock).withoutThreads().server()) {
            server.register(
                            "push",
                            Number.class,
                            Number.class,
                            call -> {
                                call.defer();
                                for (int i = 0; i <= Tags.MAX_TRANSFER_CHANNEL + 1; i++) {
                                    looks.set(i == 0 ? 1 : 0);
                                    List<MemorySegment> from =
                                            List.of(MemorySegment.ofArray(new byte[BYTES]));
                                    begun.add(call.startPush(memory, 0, from, 0, BYTES));
                                }
                                return null;
                            })
                    .start();
            RawClient client = new RawClient(context, setup.address());
            RawClient.Welcome welcome = client.sayHello(secret, 0);
            server.process(Duration.ZERO);
            client.call(welcome.session(), 0, "push", "{value:i64} -> {value:i64}");
            server.process(Duration.ZERO);
            server.process(Duration.ZERO);
            assertThat(begun).hasSize(Tags.MAX_TRANSFER_CHANNEL + 2);
            endsWith(begun.getFirst(), ErrorCode.ENOMEM);
            client.done(welcome.session(), 2, ErrorCode.ENOENT, 0);
            looks.set(2); // the first look is for the message
            server.process(Duration.ZERO);
            endsWith(begun.get(1), ErrorCode.ENOENT);
            endsWith(begun.getLast(), ErrorCode.ENOMEM);
            assertThat(begun.stream().filter(Transfer::isDone)).hasSize(3);
            assertThat(setup.server.counters().find("shipper.server.brokenSessions").get())
                    .isZero();
        }
    }

    private static void endsWith(Transfer transfer, ErrorCode code) {
        assertThat(transfer.isDone()).isTrue();
        assertThatThrownBy(transfer::await)
                .isInstanceOfSatisfying(
                        BmiException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    /** Finds no memory for the first thread that a watchdog makes. */
    private static final class FullOnce extends InheritableThreadLocal<Integer> {
        private final CountDownLatch failed = new CountDownLatch(1);

        @Override
        protected Integer childValue(Integer value) {
            if (failed.getCount() > 0
                    && Thread.currentThread().getName().equals("shipper-server-watchdog")) {
                failed.countDown();
                throw new OutOfMemoryError("As if the heap were full.");
            }
            return value;
        }
    }

    @Test
    void aServerServesOnWhenItsThreadCannotBeReplaced() throws Exception {
        FullOnce local = new FullOnce();
        local.set(1); // threads inherit it
        CountDownLatch answered = new CountDownLatch(1);
        try (Setup setup = Setup.of("loopback");
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client)) {
            server.registerShort(
                            "hang",
                            Number.class,
                            Number.class,
                            call -> {
                                (call.input().value() == 0 ? local.failed : answered).await();
                                return call.input();
                            })
                    .registerShort("echo", Number.class, Number.class, Call::input)
                    .start();
            RemoteFunction<Number, Number> hang =
                    client.function("hang", Number.class, Number.class);
            assertThat(hang.call(setup.address(), new Number(0), SOON)).isEqualTo(new Number(0));
            ShippedCall<Number> second = hang.forward(setup.address(), new Number(1));
            assertThat(
                            client.function("echo", Number.class, Number.class)
                                    .call(setup.address(), new Number(2), SOON))
                    .isEqualTo(new Number(2));
            answered.countDown();
            assertThat(second.await(SOON)).isEqualTo(new Number(1));
        } finally {
            local.remove();
        }
    }

    /** Neither a goodbye nor a cancel finds memory. */
    private static void fill(boolean isFull, String what) {
        if (isFull && (what.equals("postSend") || what.equals("cancel"))) {
            throw new OutOfMemoryError("As if the heap were full.");
        }
    }

    private static void fails(
            RemoteFunction<Number, Number> echo, PeerAddress server, ErrorCode code) {
        ShippedCall<Number> call = echo.forward(server, new Number(1));
        assertThatThrownBy(() -> call.await(SOON))
                .isInstanceOfSatisfying(
                        CallFailedException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining("The server could not handle a message.");
        assertThat(echo.call(server, new Number(2), SOON)).isEqualTo(new Number(2));
    }
}
