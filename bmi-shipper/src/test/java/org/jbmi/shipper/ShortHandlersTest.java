package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.Records.Bytes;
import org.jbmi.shipper.Records.Move;
import org.jbmi.shipper.Records.Nothing;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.Records.Text;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.codec.Permission;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.io.IOException;
import java.io.Serial;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/** Handlers that never wait run in the thread that takes calls in, and all promises hold. */
@Timeout(120)
class ShortHandlersTest {
    static final List<String> METHODS = Setup.METHODS;

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final String TAKER = "shipper-server";

    private final Map<Long, Thread> threads = new ConcurrentHashMap<>();
    private Setup setup;
    private ShipperServer server;
    private Shipper client;

    private void open(String method) throws IOException {
        setup = Setup.of(method);
        server = Shipper.builder(setup.server).knob("shipper.maxRunningPerClient", "1").server();
        client = Shipper.on(setup.client);
        server.start();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
        setup.close();
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aShortHandlerRunsWhereCallsAreTakenIn(String method) throws IOException {
        open(method);
        server.registerShort(
                "where",
                Nothing.class,
                Text.class,
                c -> new Text(Thread.currentThread().getName()));
        server.register(
                "elsewhere",
                Nothing.class,
                Text.class,
                c -> new Text(Thread.currentThread().getName()));
        assertThat(text("where")).isEqualTo(TAKER);
        assertThat(text("elsewhere")).isEqualTo("shipper-handler");
    }

    private String text(String function) {
        return client.function(function, Nothing.class, Text.class)
                .call(setup.address(), new Nothing(), SOON)
                .text();
    }

    /** Its turn comes behind the handler of the same client that runs, as that of any call. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void sharesOfClientsHoldForShortHandlersToo(String method) throws Exception {
        open(method);
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch runs = new CountDownLatch(1);
        List<String> order = new ArrayList<>();
        server.register(
                "long",
                Nothing.class,
                Nothing.class,
                c -> {
                    runs.countDown();
                    go.await();
                    order.add("long");
                    return new Nothing();
                });
        server.registerShort(
                "short",
                Nothing.class,
                Nothing.class,
                c -> {
                    order.add("short");
                    return new Nothing();
                });
        ShippedCall<Nothing> first =
                client.function("long", Nothing.class, Nothing.class)
                        .forward(setup.address(), new Nothing());
        assertThat(runs.await(30, TimeUnit.SECONDS)).isTrue();
        ShippedCall<Nothing> second =
                client.function("short", Nothing.class, Nothing.class)
                        .forward(setup.address(), new Nothing());
        Setup.until("the second call waits", () -> server.underWay().size() == 2);
        go.countDown();
        first.await(SOON);
        second.await(SOON);
        assertThat(order).containsExactly("long", "short");
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void waitingForATransferInAShortHandlerIsRefused(String method) throws Exception {
        open(method);
        CompletableFuture<Boolean> moved = new CompletableFuture<>();
        server.registerShort(
                "waits",
                Move.class,
                Number.class,
                c -> {
                    c.pull(c.input().data()).close();
                    return new Number(0);
                });
        server.registerShort(
                "starts",
                Move.class,
                Number.class,
                c -> {
                    DeferredAnswer<Number> answer = c.defer();
                    MemorySegment into = MemorySegment.ofArray(new byte[300_000]);
                    Transfer transfer =
                            c.startPull(c.input().data(), 0, List.of(into), 0, into.byteSize());
                    Thread.startVirtualThread(
                            () -> {
                                transfer.await();
                                moved.complete(true);
                                answer.complete(
                                        new Number(into.get(ValueLayout.JAVA_BYTE, 299_999)));
                            });
                    return null;
                });
        byte[] bytes = new byte[300_000];
        bytes[299_999] = 7;
        try (BulkHandle data = client.expose(MemorySegment.ofArray(bytes), Permission.READ)) {
            assertThatThrownBy(
                            () ->
                                    client.function("waits", Move.class, Number.class)
                                            .call(setup.address(), new Move(data, 0, 0), SOON))
                    .isInstanceOfSatisfying(
                            CallFailedException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.EDEADLK))
                    .hasMessageContaining("short");
            assertThat(
                            client.function("starts", Move.class, Number.class)
                                    .call(setup.address(), new Move(data, 0, 0), SOON))
                    .isEqualTo(new Number(7));
        }
        assertThat(moved).isCompletedWithValue(true);
        Setup.untilEqual(
                "lent memory",
                0L,
                () -> setup.server.counters().find("shipper.server.leasedBytes").get());
    }

    /** Another thread takes calls in then; the one that hangs hears that nobody wants it. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void aShortHandlerThatHangsHoldsUpNobodyElse(String method) throws Exception {
        open(method);
        CompletableFuture<Thread> hangs = new CompletableFuture<>();
        CountDownLatch never = new CountDownLatch(1);
        server.registerShort(
                "hangs",
                Nothing.class,
                Nothing.class,
                c -> {
                    hangs.complete(Thread.currentThread());
                    never.await();
                    return new Nothing();
                });
        server.registerShort(
                "where",
                Nothing.class,
                Text.class,
                c -> new Text(Thread.currentThread().getName()));
        assertThat(text("where")).isEqualTo(TAKER);
        try (Shipper other = Shipper.on(setup.client)) {
            ShippedCall<Nothing> hanging =
                    other.function("hangs", Nothing.class, Nothing.class)
                            .forward(setup.address(), new Nothing());
            Thread first = hangs.get(30, TimeUnit.SECONDS);
            assertThat(first.getName()).isEqualTo(TAKER);
            for (int i = 0; i < 10; i++) {
                assertThat(text("where")).isEqualTo(TAKER);
            }
            assertThat(hanging.isDone()).isFalse();
            hanging.cancel();
            first.join(); // the handler was interrupted; another thread is in its place
        }
        assertThat(text("where")).isEqualTo(TAKER);
    }

    /** Those of which the program says so; others have a thread of their own. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void aHandlerMayBeShortForSomeInputsOnly(String method) throws IOException {
        open(method);
        server.registerShort(
                "where",
                Codec.of(Number.class),
                Codec.of(Text.class),
                c -> new Text(Thread.currentThread().getName()),
                number -> number.value() < 10);
        RemoteFunction<Number, Text> where = client.function("where", Number.class, Text.class);
        for (int i : new int[] {3, 12, 9, 10}) {
            assertThat(where.call(setup.address(), new Number(i), SOON).text())
                    .isEqualTo(i < 10 ? TAKER : "shipper-handler");
        }
    }

    /** More such calls than one client may have running. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void aCallWhoseConditionThrowsRunsInAThreadOfItsOwn(String method) throws IOException {
        open(method);
        server.registerShort(
                "where",
                Codec.of(Number.class),
                Codec.of(Text.class),
                c -> new Text(Thread.currentThread().getName()),
                number -> {
                    if (number.value() == 1) {
                        throw new AssertionError("1 is not wanted");
                    }
                    throw new IllegalArgumentException("2 is not wanted");
                });
        RemoteFunction<Number, Text> where = client.function("where", Number.class, Text.class);
        for (int i : new int[] {1, 2, 1, 2}) {
            assertThat(where.call(setup.address(), new Number(i), SOON).text())
                    .isEqualTo("shipper-handler");
        }
    }

    /** An input by bulk is waited for before the handler runs: in a thread of its own. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void largeInputsAndOutputsOfShortHandlersTravel(String method) throws IOException {
        open(method);
        server.registerShort("echo", Bytes.class, Bytes.class, Call::input);
        byte[] bytes = new byte[1 << 20];
        bytes[bytes.length - 1] = 3;
        assertThat(
                        client.function("echo", Bytes.class, Bytes.class)
                                .call(setup.address(), new Bytes(bytes), SOON)
                                .bytes())
                .isEqualTo(bytes);
    }

    /** Cannot be put into words. */
    private static final class Mute extends RuntimeException {
        @Serial private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("There are no words for it.");
        }
    }

    private Thread threadOf(String function) {
        return threads.get(
                client.function(function, Nothing.class, Number.class)
                        .call(setup.address(), new Nothing(), SOON)
                        .value());
    }

    private void registerWhere() {
        server.registerShort(
                "where",
                Nothing.class,
                Number.class,
                c -> {
                    Thread own = Thread.currentThread();
                    threads.put(own.threadId(), own);
                    return new Number(own.threadId());
                });
    }

    private static Set<Thread> threadsNamed(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(name))
                .collect(Collectors.toSet());
    }

    /** It sleeps without a timeout when no handler has run for a while. */
    private static void untilTheWatchdogSleeps() {
        Setup.until(
                "no watchdog looks",
                () ->
                        threadsNamed(TAKER + "-watchdog").stream()
                                .allMatch(each -> each.getState() == Thread.State.WAITING));
    }

    /**
     * The watchdog may replace a thread that had to wait for a processor: hence several attempts.
     */
    private void staysTheThread(Runnable between) {
        boolean stays = false;
        for (int i = 0; i < 8 && !stays; i++) {
            Thread before = threadOf("where");
            between.run();
            untilTheWatchdogSleeps();
            stays = threadOf("where") == before;
        }
        assertThat(stays).isTrue();
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void whatAHandlerThrowsNeedNoWords(String method) throws IOException {
        open(method);
        registerWhere();
        server.registerShort(
                "mute",
                Nothing.class,
                Nothing.class,
                c -> {
                    throw new Mute();
                });
        staysTheThread(
                () ->
                        assertThatThrownBy(
                                        () ->
                                                client.function(
                                                                "mute",
                                                                Nothing.class,
                                                                Nothing.class)
                                                        .call(setup.address(), new Nothing(), SOON))
                                .isInstanceOfSatisfying(
                                        CallFailedException.class,
                                        e -> assertThat(e.code()).isEqualTo(ErrorCode.EREMOTE))
                                .hasMessageContaining("Mute"));
    }

    /** Throws in the next post of a send after it was told to. */
    private void openBroken(AtomicBoolean breaks) throws IOException {
        setup = Setup.of("loopback");
        Bmi below =
                WatchedBmi.before(
                        setup.server,
                        what -> {
                            if (what.equals("postSend") && breaks.getAndSet(false)) {
                                throw new AssertionError("As if the method were broken.");
                            }
                        });
        server =
                Shipper.builder(below)
                        .knob("shipper.closeWaitMs", "100")
                        .knob("shipper.maxRunning", "1")
                        .server()
                        .start();
        client = Shipper.on(setup.client);
    }

    private Nothing breakIt(AtomicBoolean breaks) {
        breaks.set(true);
        return new Nothing();
    }

    /** The client hears that its session ends. */
    private void isBroken() {
        assertThatThrownBy(
                        () ->
                                client.function("break", Nothing.class, Nothing.class)
                                        .call(setup.address(), new Nothing(), SOON))
                .isInstanceOfSatisfying(
                        CallFailedException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.EIO))
                .hasMessageContaining("A reply could not be sent.");
    }

    /** In the library, or in the method below. */
    @Test
    void anErrorBehindAHandlerMakesNoSecondThreadDrive() throws IOException {
        AtomicBoolean breaks = new AtomicBoolean();
        openBroken(breaks);
        registerWhere();
        server.registerShort("break", Nothing.class, Nothing.class, c -> breakIt(breaks));
        staysTheThread(this::isBroken);
    }

    @Test
    void anErrorBehindAHandlerTakesNoPlace() throws IOException {
        AtomicBoolean breaks = new AtomicBoolean();
        openBroken(breaks);
        registerWhere();
        server.register("break", Nothing.class, Nothing.class, c -> breakIt(breaks));
        for (int i = 0; i < 3; i++) {
            isBroken();
            assertThat(threadOf("where")).isNotNull();
        }
        Setup.until("none is under way", () -> server.underWay().isEmpty());
    }

    /** Of a handler that forgets its answer, and of one whose answer comes later. */
    @Test
    void aCallWhoseAnswerCannotBePostedIsNotUnderWay() throws IOException {
        AtomicBoolean breaks = new AtomicBoolean();
        AtomicBoolean isLater = new AtomicBoolean();
        openBroken(breaks);
        server.register("break", Nothing.class, Nothing.class, c -> breakLater(c, isLater, breaks));
        isBroken();
        isLater.set(true);
        isBroken();
        Setup.until("none is under way", () -> server.underWay().isEmpty());
    }

    private Nothing breakLater(
            Call<Nothing, Nothing> call, AtomicBoolean isLater, AtomicBoolean breaks) {
        breaks.set(!isLater.get());
        if (isLater.get()) {
            DeferredAnswer<Nothing> answer = call.defer();
            Thread.ofVirtual().start(() -> answer.complete(breakIt(breaks)));
        }
        return null;
    }

    /** Its threads end, also those that sleep. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void aServerMayBeClosedAfterItsInstance(String method) throws Exception {
        Set<Thread> others = threadsNamed(TAKER);
        others.addAll(threadsNamed(TAKER + "-watchdog"));
        open(method);
        registerWhere();
        threadOf("where");
        untilTheWatchdogSleeps();
        Set<Thread> takers = threadsNamed(TAKER);
        takers.removeAll(others);
        Set<Thread> watchdogs = threadsNamed(TAKER + "-watchdog");
        watchdogs.removeAll(others);
        assertThat(watchdogs).hasSize(1);
        setup.server.close();
        setup.server.close(); // the server is an owner, too
        assertThat(setup.server.isClosed()).isTrue();
        for (Thread taker : takers) {
            taker.join();
        }
        server.close();
        Setup.until("they end", () -> watchdogs.stream().noneMatch(Thread::isAlive));
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void whateverAHandlerThrowsIsItsAnswerAndTheServerGoesOn(String method) throws IOException {
        open(method);
        server.registerShort(
                "short",
                Nothing.class,
                Nothing.class,
                c -> {
                    throw new NoClassDefFoundError("demo/Gone");
                });
        server.register(
                "long",
                Nothing.class,
                Nothing.class,
                c -> {
                    throw new NoClassDefFoundError("demo/Gone");
                });
        for (String name : List.of("short", "long", "short")) {
            assertThatThrownBy(
                            () ->
                                    client.function(name, Nothing.class, Nothing.class)
                                            .call(setup.address(), new Nothing(), SOON))
                    .isInstanceOfSatisfying(
                            CallFailedException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.EREMOTE))
                    .hasMessageContaining("demo/Gone");
        }
    }
}
