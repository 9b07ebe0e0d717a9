package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.UnexpectedMessages;
import org.jbmi.shipper.Records.Bytes;
import org.jbmi.shipper.Records.Move;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.shipper.wire.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Who a session belongs to, how it ends, and what is left of it then: nothing. */
@Timeout(60)
class SessionsTest {
    static final List<String> METHODS = Setup.METHODS;
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final BulkHandle.Token SECRET = new BulkHandle.Token(1, 1);
    private static final String NUMBERS = "{value:i64} -> {value:i64}";
    private static final int PROGRAMS_TAG = 17;

    private static long counter(Bmi bmi, String label) {
        bmi.counters(); // refreshes the gauges
        return bmi.counters().find(label).get();
    }

    private static void until(Bmi bmi, String label, long value) {
        Setup.until(label + " is " + value, () -> counter(bmi, label) == value);
    }

    private static Number sum(Call<Move, Number> call) {
        try (Lease lease = call.pull(call.input().data())) {
            long sum = 0;
            for (byte b : lease.segment().toArray(ValueLayout.JAVA_BYTE)) {
                sum += b;
            }
            return new Number(sum);
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void whoWasHandedAHandleIsNotTakenForItsOwner(String method) throws Exception {
        byte[] bytes = new byte[100_000];
        bytes[99_999] = 7;
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper owner = Shipper.on(setup.client);
                Bmi other = setup.anotherClient().retain();
                CompletionContext context = other.openContext();
                BulkHandle data = owner.expose(MemorySegment.ofArray(bytes), Permission.READ)) {
            server.register("sum", Move.class, Number.class, SessionsTest::sum).start();
            owner.connect(setup.address(), SOON);
            // Somebody else says hello with all that a handle tells, and wants the transfers.
            new RawClient(context, setup.address(other)).hello(data.owner(), Wire.FLAG_BULK);
            RemoteFunction<Move, Number> sum = owner.function("sum", Move.class, Number.class);
            assertThat(sum.call(setup.address(), new Move(data, 0, 0), SOON))
                    .isEqualTo(new Number(7));
        }
    }

    @Test
    void anAnswerEndsTheTransfersOfItsCallAndTheirMemoryComesBack() throws Exception {
        try (Setup setup = Setup.of("zoid");
                ShipperServer server = Shipper.builder(setup.server).withoutThreads().server();
                Shipper client = Shipper.builder(setup.client).withoutThreads().client();
                BulkHandle data =
                        client.expose(
                                MemorySegment.ofArray(new byte[1 << 20]), Permission.READ_WRITE)) {
            server.register(
                    "leave",
                    Move.class,
                    Number.class,
                    call -> {
                        List<MemorySegment> memory = List.of(call.lease(1 << 20).segment());
                        if (call.input().offset() % 2 == 0) {
                            call.startPull(call.input().data(), 0, memory, 0, 1 << 20);
                        } else {
                            call.startPush(call.input().data(), 0, memory, 0, 1 << 20);
                        }
                        return new Number(1);
                    });
            server.start();
            RemoteFunction<Move, Number> leave = client.function("leave", Move.class, Number.class);
            for (int i = 0; i < 100; i++) { // the pool has 64 MiB
                ShippedCall<Number> call = leave.forward(setup.address(), new Move(data, i, 0));
                Setup.until(
                        "the call is over, and its memory back",
                        () ->
                                call.isDone()
                                        && counter(setup.server, "shipper.server.leasedBytes") == 0,
                        () -> server.process(Duration.ZERO),
                        () -> client.progress(Duration.ZERO));
                assertThat(call.await(Duration.ZERO)).isEqualTo(new Number(1));
            }
            assertThat(counter(setup.server, "shipper.server.brokenSessions")).isZero();
        }
    }

    @Test
    void aLeaseThatIsClosedInATransferIsFreedWhenTheTransferIsOver() throws Exception {
        try (Setup setup = Setup.of("zoid");
                ShipperServer server = Shipper.builder(setup.server).withoutThreads().server();
                Shipper client = Shipper.builder(setup.client).withoutThreads().client();
                BulkHandle data =
                        client.expose(MemorySegment.ofArray(new byte[1 << 20]), Permission.READ)) {
            server.register(
                    "close",
                    Move.class,
                    Number.class,
                    call -> {
                        call.defer();
                        Lease used = call.lease(1 << 20);
                        Lease unused = call.lease(1 << 19);
                        call.startPull(call.input().data(), 0, List.of(used.segment()), 0, 1 << 20);
                        used.close();
                        unused.close();
                        return null;
                    });
            server.start();
            ShippedCall<Number> call =
                    client.function("close", Move.class, Number.class)
                            .forward(setup.address(), new Move(data, 0, 0));
            List<Long> lent = new ArrayList<>();
            Setup.until(
                    "the pull is over",
                    () -> counter(setup.server, "shipper.server.pulledBytes") == 1 << 20,
                    () -> server.process(Duration.ZERO),
                    () -> lent.add(counter(setup.server, "shipper.server.leasedBytes")),
                    () -> client.progress(Duration.ZERO));
            assertThat(lent).contains(1L << 20).doesNotContain(3L << 19);
            assertThat(counter(setup.server, "shipper.server.leasedBytes")).isZero();
            assertThat(call.isDone()).isFalse();
        }
    }

    @Test
    void aLargeOutputThatIsNeverFetchedIsGivenUp() throws Exception {
        AtomicLong nowNs = new AtomicLong();
        try (Setup setup = Setup.of("loopback");
                ShipperServer server =
                        Shipper.builder(setup.server)
                                .withoutThreads()
                                .clock(nowNs::get)
                                .knob("shipper.transferIdleMs", "1000")
                                .server();
                CompletionContext context = setup.client.openContext()) {
            server.register(
                    "large", Number.class, Bytes.class, call -> new Bytes(new byte[100_000]));
            server.start();
            RawClient client = new RawClient(context, setup.address());
            RawClient.Welcome welcome = client.sayHello(SECRET, 0);
            Setup.until(
                    "a welcome", () -> welcome.session() != 0, () -> server.process(Duration.ZERO));
            client.receive(welcome.session(), MemorySegment.ofArray(new byte[4096]));
            client.call(welcome.session(), 1, "large", "{value:i64} -> {bytes:bytes}");
            Setup.until(
                    "an output is held",
                    () -> counter(setup.server, "shipper.server.heldBytes") > 0,
                    () -> server.process(Duration.ZERO));
            nowNs.set(990_000_000L);
            server.process(Duration.ZERO);
            assertThat(counter(setup.server, "shipper.server.heldBytes")).isPositive();
            nowNs.set(1_010_000_000L);
            server.process(Duration.ZERO);
            assertThat(counter(setup.server, "shipper.server.heldBytes")).isZero();
            assertThat(server.underWay()).isEmpty();
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aClientThatEndsASessionTellsTheServer(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server =
                        Shipper.builder(setup.server).knob("shipper.chunkBytes", "64k").server();
                Shipper client = Shipper.on(setup.client);
                Arena arena = Arena.ofShared()) {
            server.register(
                    "fill",
                    Move.class,
                    Number.class,
                    call -> {
                        try (Lease lease = call.lease(1 << 20)) {
                            call.push(call.input().data(), 0, lease.segment());
                            return new Number(1);
                        }
                    });
            server.start();
            RemoteFunction<Move, Number> fill = client.function("fill", Move.class, Number.class);
            BulkHandle data;
            try (Arena gone = Arena.ofShared()) {
                List<MemorySegment> memory =
                        List.of(arena.allocate(1 << 19), gone.allocate(1 << 19));
                data = client.expose(memory, Permission.WRITE);
            }
            // When the server has sent a half, the other one has no place to go to: so the client
            // ends the session.
            assertThatThrownBy(() -> fill.call(setup.address(), new Move(data, 0, 0), SOON))
                    .isInstanceOf(CallFailedException.class);
            until(setup.server, "shipper.server.sessions", 0);
            until(setup.server, "shipper.server.leasedBytes", 0);
            BulkHandle good = client.expose(arena.allocate(1 << 20), Permission.WRITE);
            assertThat(fill.call(setup.address(), new Move(good, 0, 0), SOON))
                    .isEqualTo(new Number(1));
            good.close();
            assertThat(counter(setup.server, "shipper.server.brokenSessions")).isZero();
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void whatWasCancelledIsTakenFromTheInstanceAlsoWhenTheProgramWaitsNoMore(String method)
            throws Exception {
        try (Setup setup = Setup.of(method);
                Shipper client = Shipper.on(setup.client)) {
            Bmi serving = setup.server;
            ShipperServer server = ShipperServer.on(serving);
            server.register("echo", Number.class, Number.class, Call::input).start();
            RemoteFunction<Number, Number> echo =
                    client.function("echo", Number.class, Number.class);
            assertThat(echo.call(setup.address(), new Number(1), SOON)).isEqualTo(new Number(1));
            server.close(); // says goodbye, upon which the client cancels the rest of its receives
            until(setup.client, "bmi.operations", 0);
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aWelcomeThatComesTooLateIsGivenBack(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper hasty =
                        Shipper.builder(setup.client)
                                .knob("shipper.connectTimeoutMs", "50")
                                .client();
                Bmi other = setup.anotherClient().retain();
                Shipper patient = Shipper.on(other)) {
            server.register("echo", Number.class, Number.class, Call::input);
            assertThatThrownBy(
                            () ->
                                    hasty.function("echo", Number.class, Number.class)
                                            .call(setup.address(), new Number(1), SOON))
                    .isInstanceOfSatisfying(
                            CallFailedException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.ETIMEDOUT));
            server.start();
            assertThat(
                            patient.function("echo", Number.class, Number.class)
                                    .call(setup.address(other), new Number(2), SOON))
                    .isEqualTo(new Number(2));
            // The server has found both hellos; one client believes in a session.
            until(setup.server, "shipper.server.sessions", 1);
        }
    }

    @Test
    void aPeerThatTakesNoAnswersKeepsNoneFromOthersAndOnlySoManyForAWhile() throws Exception {
        AtomicLong nowNs = new AtomicLong();
        try (Setup setup = Setup.of("loopback");
                ShipperServer server =
                        Shipper.builder(setup.server)
                                .withoutThreads()
                                .clock(nowNs::get)
                                .knob("shipper.maxSessionsPerPeer", "2")
                                .knob("shipper.transferIdleMs", "1000")
                                .server();
                Bmi other = setup.anotherClient().retain();
                CompletionContext context = setup.client.openContext();
                CompletionContext others = other.openContext()) {
            server.start();
            server.process(Duration.ZERO);
            long atRest = counter(setup.server, "bmi.operations");
            RawClient greedy = new RawClient(context, setup.address());
            for (int i = 1; i <= 200; i++) {
                greedy.sayHelloWithoutReceive(SECRET, 0);
                greedy.call(((long) i << 32) | 5, 1, "echo", NUMBERS); // no such session
                server.process(Duration.ZERO);
            }
            // Two sessions with a receive and a welcome each, 16 refusals, 16 goodbyes.
            assertThat(counter(setup.server, "bmi.operations") - atRest).isEqualTo(4 + 16 + 16);

            RawClient honest = new RawClient(others, setup.address(other));
            long session = (1L << 40) | 5;
            MemorySegment inbox = MemorySegment.ofArray(new byte[4096]);
            honest.receive(session, inbox);
            honest.call(session, 1, "echo", NUMBERS);
            RawClient.Welcome welcome = honest.sayHello(SECRET, 0);
            server.process(Duration.ZERO);
            assertThat(inbox.get(ValueLayout.JAVA_BYTE, 5)).isEqualTo((byte) Wire.GOODBYE);
            assertThat(welcome.session()).isNotZero();
            assertThat(counter(setup.server, "shipper.server.sessions")).isEqualTo(3);

            nowNs.set(2_000_000_000L);
            server.process(Duration.ZERO);
            server.process(Duration.ZERO);
            // The sessions that nobody heard of are gone, too, and said goodbye to.
            assertThat(counter(setup.server, "shipper.server.sessions")).isEqualTo(1);
            nowNs.set(4_000_000_000L);
            server.process(Duration.ZERO);
            server.process(Duration.ZERO);
            assertThat(counter(setup.server, "bmi.operations") - atRest).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aHelloOfAPeerThatTheProgramDropsHarmsNobody(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client);
                Bmi other = setup.anotherClient().retain();
                CompletionContext context = other.openContext()) {
            server.register("echo", Number.class, Number.class, Call::input);
            RawClient stranger = new RawClient(context, setup.address(other));
            for (int i = 0; i < 5; i++) {
                stranger.sayHelloWithoutReceive(SECRET, 0);
            }
            messageToTheProgram(context, stranger.server());
            messageFrom(setup.server).drop(); // after its hellos have come
            server.start();
            RemoteFunction<Number, Number> echo =
                    client.function("echo", Number.class, Number.class);
            assertThat(echo.call(setup.address(), new Number(1), SOON)).isEqualTo(new Number(1));
            until(setup.server, "shipper.server.sessions", 1);
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aServerThatClosesOpensNoSession(String method) throws Exception {
        CountDownLatch runs = new CountDownLatch(1);
        Semaphore go = new Semaphore(0);
        try (Setup setup = Setup.of(method);
                Shipper client = Shipper.on(setup.client)) {
            ShipperServer server =
                    Shipper.builder(setup.server).knob("shipper.closeWaitMs", "30000").server();
            server.register("echo", Number.class, Number.class, Call::input);
            server.register(
                    "hold",
                    Number.class,
                    Number.class,
                    call -> {
                        runs.countDown();
                        go.acquireUninterruptibly();
                        return call.input();
                    });
            server.start();
            ShippedCall<Number> hold =
                    client.function("hold", Number.class, Number.class)
                            .forward(setup.address(), new Number(1));
            runs.await();
            CompletableFuture<Void> close = CompletableFuture.runAsync(server::close);
            try {
                ends(hold, ErrorCode.EPIPE);
                ShippedCall<Number> echo =
                        client.function("echo", Number.class, Number.class)
                                .forward(setup.address(), new Number(2));
                ends(echo, ErrorCode.EPIPE);
            } finally {
                go.release();
                close.get(20, TimeUnit.SECONDS);
            }
        }
    }

    private static void ends(ShippedCall<?> call, ErrorCode code) {
        assertThatThrownBy(() -> call.await(SOON))
                .isInstanceOfSatisfying(
                        CallFailedException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    /** The call arrives when the server says goodbye, which the client does not receive. */
    @Test
    void aServerThatClosesTakesNoCall() throws Exception {
        AtomicReference<Runnable> onSend = new AtomicReference<>(() -> {});
        try (Setup setup = Setup.of("loopback");
                CompletionContext context = setup.client.openContext()) {
            Consumer<String> told =
                    what -> {
                        if (what.equals("postSend")) {
                            onSend.get().run();
                        }
                    };
            try (ShipperServer server =
                    Shipper.builder(WatchedBmi.before(setup.server, told))
                            .withoutThreads()
                            .server()) {
                server.register("echo", Number.class, Number.class, Call::input).start();
                RawClient client = new RawClient(context, setup.address());
                RawClient.Welcome welcome = client.sayHello(SECRET, 0);
                server.process(Duration.ZERO);
                onSend.set(() -> client.call(welcome.session(), 1, "echo", NUMBERS));
            }
            assertThat(counter(setup.server, "shipper.server.calls")).isZero();
        }
    }

    private static void messageToTheProgram(CompletionContext context, PeerAddress to) {
        context.await(
                context.postSendUnexpected(to, MemorySegment.ofArray(new byte[8]), PROGRAMS_TAG),
                20_000);
    }

    private static PeerAddress messageFrom(Bmi bmi) {
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        try (UnexpectedListener own =
                bmi.openListener(UnexpectedFilter.ofTags(PROGRAMS_TAG, PROGRAMS_TAG))) {
            Setup.until("the message", () -> own.test(messages, 10) > 0);
        }
        PeerAddress peer = messages.peer(0);
        messages.free(0);
        return peer;
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void theEndOfASessionLeavesThePeerToTheProgram(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                CompletionContext to = setup.server.openContext();
                CompletionContext from = setup.client.openContext()) {
            server.register("echo", Number.class, Number.class, Call::input).start();
            PeerAddress address = setup.address();
            // The program has a talk of its own with the same peer, before and after.
            messageToTheProgram(from, address);
            PeerAddress peer = messageFrom(setup.server);
            try (Shipper client = Shipper.on(setup.client)) {
                client.function("echo", Number.class, Number.class)
                        .call(address, new Number(1), SOON);
            }
            until(setup.server, "shipper.server.sessions", 0);
            MemorySegment got = MemorySegment.ofArray(new byte[8]);
            long receive = from.postReceive(address, got, PROGRAMS_TAG);
            long send = to.postSend(peer, MemorySegment.ofArray(new byte[] {42}), PROGRAMS_TAG);
            from.await(receive, 20_000);
            to.await(send, 20_000);
            assertThat(got.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 42);
        }
    }
}
