package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zoid.forward.client.Launch;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.forward.client.ZoidBuilder;
import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.client.ZoidException;
import org.jbmi.zoid.forward.stub.ClientCall;
import org.jbmi.zoid.forward.stub.ClientPlugin;
import org.jbmi.zoid.forward.stub.Signatures;
import org.jbmi.zoid.forward.wire.Forwarded;
import org.jbmi.zoid.forward.wire.Forwarded_InCodec;
import org.jbmi.zoid.forward.wire.Forwarded_OutCodec;
import org.jbmi.zoid.forward.wire.Names;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Each error of the forwarding layer, where it comes from. */
@Timeout(90)
class ErrorsTest {
    private static final int HELD = 200;
    private static final String MEET = "meet(in:obj:i32):bool";

    /** The server lets so many calls of a process be under way; that it is there is one of them. */
    private static final int MOST_CALLS = 255;

    @TempDir Path folder;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private DaemonSetup setup;

    @BeforeEach
    void open() {
        setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
    }

    @AfterEach
    void close() {
        setup.close(); // lets go on what waits
        threads.close();
    }

    private static void assertFails(Runnable call, ZoidError error, String words) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        ZoidException.class, e -> assertThat(e.error()).isEqualTo(error))
                .hasMessageContaining(words);
    }

    private static Runnable callOf(Zoid zoid, int plugin, int function, String signature) {
        String[] signatures = new String[function + 1];
        Arrays.fill(signatures, signature);
        return () -> new ClientPlugin(zoid, plugin, "other", signatures).begin(function).forward();
    }

    /** A user knows of a server, and not of the functions that a client calls. */
    @Test
    void aServerThatIsNotThereIsToldWithoutTheNameOfAFunction() {
        assertThatThrownBy(() -> Zoid.connect(setup.clientBmi, "loopback://none"))
                .isInstanceOf(ZoidException.class)
                .hasMessageContaining("The server cannot be reached.")
                .message()
                .doesNotContain("Call of");
    }

    /** Whether its plug-in is not loaded, or has no such function, or has another one there. */
    @Test
    void aCommandThatTheServerDoesNotKnowIsSaid() {
        try (Zoid zoid = setup.client(Launch.NONE)) {
            assertFails(
                    callOf(zoid, HELD + 1, 0, MEET),
                    ZoidError.ENOSYS,
                    "The server has not loaded the plug-in 201.");
            assertFails(
                    callOf(zoid, HELD, 99, MEET),
                    ZoidError.ENOSYS,
                    "The plug-in has no function 99.");
            assertFails(
                    callOf(zoid, HELD, 0, MEET),
                    ZoidError.EPROTOTYPE,
                    "The server's function is keep(");
            assertThat(new HeldClient(zoid).say(1, "none")).isEqualTo(-1);
        }
    }

    /** Its number can be guessed, what it said at its coming cannot. */
    @Test
    void nobodyCallsForAnotherProcess() {
        try (Zoid zoid = setup.client(Launch.NONE)) {
            Forwarded.In forged =
                    new Forwarded.In(
                            zoid.processId(),
                            7,
                            HELD,
                            3,
                            Signatures.hash(MEET),
                            new byte[0],
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty());
            Forwarded.Out answer =
                    setup.call(
                                    Names.CALL,
                                    Forwarded_InCodec.INSTANCE,
                                    Forwarded_OutCodec.INSTANCE,
                                    Forwarded.Out.class,
                                    forged)
                            .await(DaemonSetup.SOON);
            assertThat(answer.error()).isEqualTo(ZoidError.ESRCH.number());
            assertThat(setup.functions.told).isEmpty();
        }
    }

    /** Or a request of a hundred bytes would take memory for an array that does not come. */
    @Test
    void anArrayThatDoesNotComeIsRefusedBeforeThePluginBringsMemory() {
        setup.functions.goesOn.countDown();
        String keep = new HeldDispatcher(setup.functions).signatures().getFirst();
        try (Zoid zoid = setup.client(Launch.NONE)) {
            ClientCall call = new ClientPlugin(zoid, HELD, "held", keep).begin(0);
            call.out(Long.BYTES).putLong(1000);
            assertFails(call::forward, ZoidError.EINVAL, "has another size than is said");
            assertThat(setup.functions.told).isEmpty();
        }
    }

    /** It may be a client of another server itself, whose errors are its own. */
    @Test
    void whateverAPluginThrowsIsAnErrorOfThePlugin() {
        try (Zoid zoid = setup.client(Launch.NONE)) {
            Held held = new HeldClient(zoid);
            for (RuntimeException own :
                    List.of(
                            new BmiException(ErrorCode.ENOMEM, "own"),
                            new BmiException(ErrorCode.EHOSTDOWN, "own"),
                            new ZoidException(ZoidError.ENOSYS, 0, "own"),
                            new ZoidException(ZoidError.E2BIG, 100, "own"),
                            new IllegalStateException("own"))) {
                setup.functions.thrown = own;
                assertFails(() -> held.meet(0), ZoidError.EREMOTEIO, "own");
                assertFails(
                        () -> held.keep(MemorySegment.ofArray(new byte[9]), 9),
                        ZoidError.EREMOTEIO,
                        "own");
            }
        }
    }

    /** As that of a sample does which the machine has no memory for. */
    @Test
    void anAllocatorThatRunsOutOfMemoryIsOneThatHasNone() {
        try (Zoid zoid = setup.client(Launch.NONE)) {
            setup.functions.failing = true;
            assertFails(
                    () -> new HeldClient(zoid).keep(MemorySegment.ofArray(new byte[9]), 9),
                    ZoidError.ENOMEM,
                    "The plug-in has no memory for 9 bytes.");
            setup.functions.failing = false;
        }
        assertThat(setup.functions.told).containsExactly("allocate");
    }

    @Test
    void aCallThatTakesTooLongIsGivenUpOnBothSides() {
        Duration limit = Duration.ofMillis(100);
        try (Zoid zoid =
                Zoid.builder(setup.clientBmi)
                        .launch(Launch.NONE)
                        .callTimeout(limit)
                        .connect(setup.address())) {
            // One of them is given up when its function has begun, however busy the machine is.
            while (!setup.functions.told.contains("interrupted")) {
                assertFails(() -> new HeldClient(zoid).meet(1), ZoidError.ETIMEDOUT, "held.meet: ");
            }
        }
    }

    @Test
    void anInterruptEndsACallOnBothSides() throws Exception {
        try (Zoid zoid = setup.client(Launch.NONE)) {
            CompletableFuture<Boolean> kept = new CompletableFuture<>();
            Thread waiting =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            assertFails(
                                                    () -> new HeldClient(zoid).meet(1),
                                                    ZoidError.EINTR,
                                                    "interrupted");
                                            kept.complete(Thread.interrupted());
                                        } catch (AssertionError e) {
                                            kept.completeExceptionally(e);
                                        }
                                    });
            DaemonSetup.await(() -> setup.functions.told.contains("waits"));
            waiting.interrupt();
            assertThat(kept.get()).isTrue();
            DaemonSetup.await(() -> setup.functions.told.contains("interrupted"));
            waiting.join();
        }
    }

    /** It waits for a day to be taken in, but not for the reason of a refusal. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Timeout(30)
    void aProcessThatIsRefusedHearsTheReasonAtOnce(boolean hasThread) {
        ZoidBuilder process =
                Zoid.builder(setup.clientBmi)
                        .launch(Launch.NONE)
                        .program(List.of("x", "x".repeat(5 << 20)))
                        .connectTimeout(Duration.ofDays(1));
        ZoidBuilder wanted = hasThread ? process : process.withoutThread();
        assertFails(() -> wanted.connect(setup.address()).close(), ZoidError.EINVAL, "take us in");
    }

    @Test
    void aProcessHasSoManyCallsUnderWayAndNoMore() throws Exception {
        int more = 20;
        ConcurrentLinkedQueue<ZoidError> refused = new ConcurrentLinkedQueue<>();
        try (Zoid zoid = setup.client(Launch.NONE)) {
            for (int i = 0; i < MOST_CALLS + more; i++) {
                threads.execute(
                        () -> {
                            try {
                                new HeldClient(zoid).meet(1);
                            } catch (ZoidException e) {
                                refused.add(e.error());
                            }
                        });
            }
            DaemonSetup.await(() -> waiting() + refused.size() == MOST_CALLS + more);
            setup.functions.goesOn.countDown();
            threads.close(); // when all have ended
            assertThat(refused).hasSize(more).containsOnly(ZoidError.EAGAIN);
            assertThat(new HeldClient(zoid).meet(1)).isTrue();
        }
    }

    private int waiting() {
        return Collections.frequency(setup.functions.told, "waits");
    }
}
