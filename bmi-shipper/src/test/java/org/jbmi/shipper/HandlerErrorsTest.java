package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.Options;
import org.jbmi.config.Configuration;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.Encoder;
import org.jbmi.shipper.server.ServerCore;
import org.jbmi.shipper.server.ServerSettings;
import org.jbmi.shipper.wire.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** What went wrong in a handler, or in a post, is never taken for the end of the client's wait. */
@Timeout(60)
class HandlerErrorsTest {
    static final List<String> METHODS = Setup.METHODS;
    private static final Duration SOON = Duration.ofSeconds(20);

    private static void isRemote(Throwable e, ErrorCode code) {
        isFailure(e, code, true);
        assertThat(e).hasMessageContaining("inner");
    }

    private static void isFailure(Throwable e, ErrorCode code, boolean isRemote) {
        assertThat(e)
                .isInstanceOfSatisfying(
                        CallFailedException.class,
                        failed -> {
                            assertThat(failed.code()).isEqualTo(code);
                            assertThat(failed.isRemote()).isEqualTo(isRemote);
                        });
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void theEndOfAWaitInAHandlerIsAnErrorOfTheHandler(String method) throws Exception {
        List<ErrorCode> ends = List.of(ErrorCode.EAGAIN, ErrorCode.EINTR);
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client)) {
            server.register(
                    "throw",
                    Number.class,
                    Number.class,
                    call -> {
                        throw new BmiException(ends.get((int) call.input().value()), "inner");
                    });
            server.register(
                    "later",
                    Number.class,
                    Number.class,
                    call -> {
                        call.defer().fail(ends.get((int) call.input().value()), "inner");
                        return null;
                    });
            server.start();
            for (String name : List.of("throw", "later")) {
                RemoteFunction<Number, Number> function =
                        client.function(name, Number.class, Number.class);
                for (int i = 0; i < ends.size(); i++) {
                    Number input = new Number(i);
                    assertThatThrownBy(() -> function.call(setup.address(), input, SOON))
                            .satisfies(e -> isRemote(e, ErrorCode.EREMOTE));
                }
            }
        }
    }

    /** As an older server may answer. */
    @ParameterizedTest
    @EnumSource(names = {"EAGAIN", "EINTR"})
    void anAnswerIsNotTakenForTheEndOfTheWait(ErrorCode code) throws Exception {
        try (Setup setup = Setup.of("loopback");
                RawServer server = new RawServer(setup.server);
                Shipper client = Shipper.on(setup.client)) {
            CompletableFuture<Number> output =
                    CompletableFuture.supplyAsync(
                            () ->
                                    client.function("any", Number.class, Number.class)
                                            .call(setup.address(), new Number(1), SOON));
            server.welcome();
            Encoder out = server.begin(Wire.REPLY, server.await(Wire.NAMED_CALL));
            out.putInt(code.negativeValue());
            out.putString("inner");
            server.meetsAReceive(out);
            assertThatThrownBy(output::join)
                    .isInstanceOf(CompletionException.class)
                    .satisfies(e -> isRemote(e.getCause(), ErrorCode.EREMOTE));
        }
    }

    @Test
    void aCallThatCannotBeSentHasNotTimedOut() throws Exception {
        AtomicReference<ErrorCode> next = new AtomicReference<>();
        try (Setup setup = Setup.of("loopback");
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(failing(setup.client, next))) {
            RemoteFunction<Number, Number> echo = echo(server, client);
            next.set(ErrorCode.EAGAIN); // for the hello
            assertThatThrownBy(() -> client.connect(setup.address(), SOON))
                    .satisfies(HandlerErrorsTest::isToBeTriedAgain);
            for (ErrorCode code : List.of(ErrorCode.EAGAIN, ErrorCode.EINTR)) {
                client.connect(setup.address(), SOON);
                next.set(code);
                assertThatThrownBy(() -> echo.call(setup.address(), new Number(1), SOON))
                        .satisfies(HandlerErrorsTest::isToBeTriedAgain);
                assertThat(echo.call(setup.address(), new Number(2), SOON))
                        .isEqualTo(new Number(2));
            }
        }
    }

    private static Bmi failing(Bmi bmi, AtomicReference<ErrorCode> next) {
        return failing(
                bmi,
                "postSendUnexpected",
                () -> {
                    ErrorCode code = next.getAndSet(null);
                    if (code != null) {
                        throw new BmiException(code, "As if it could not be sent.");
                    }
                });
    }

    private static Bmi failing(Bmi bmi, String post, Runnable failure) {
        return WatchedBmi.before(
                bmi,
                what -> {
                    if (what.equals(post)) {
                        failure.run();
                    }
                });
    }

    private static Runnable full(AtomicInteger heap) {
        return () -> {
            if (heap.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new OutOfMemoryError("As if the heap were full.");
            }
        };
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aClientWithAFullHeapLosesNeitherItsServerNorAPlace(String method) throws Exception {
        AtomicInteger heap = new AtomicInteger();
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client =
                        Shipper.builder(failing(setup.client, "postSendUnexpected", full(heap)))
                                .knob("shipper.maxCalls", "1")
                                .client()) {
            eachFailsOnce(setup, echo(server, client), heap, 3, false); // the hello, then two calls
        }
    }

    private static RemoteFunction<Number, Number> echo(ShipperServer server, Shipper client) {
        server.register("echo", Number.class, Number.class, Call::input).start();
        return client.function("echo", Number.class, Number.class);
    }

    /** Makes calls of which each meets one lack, and then succeeds. */
    private static void eachFailsOnce(
            Setup setup,
            RemoteFunction<Number, Number> echo,
            AtomicInteger lacks,
            int calls,
            boolean isRemote) {
        for (int i = 0; i < calls; i++) {
            lacks.set(1);
            Number input = new Number(i);
            assertThatThrownBy(() -> echo.forward(setup.address(), input).await(SOON))
                    .satisfies(e -> isFailure(e, ErrorCode.ENOMEM, isRemote));
            assertThat(echo.call(setup.address(), input, SOON)).isEqualTo(input);
        }
    }

    /** An instance on which no longest message can be found, as if the heap were full. */
    private static Bmi withoutLengths(Bmi bmi, Runnable failure) {
        return (Bmi)
                Proxy.newProxyInstance(
                        Bmi.class.getClassLoader(),
                        new Class<?>[] {Bmi.class},
                        (self, method, arguments) -> {
                            if (arguments != null
                                    && List.of(arguments).contains(Options.MAX_UNEXPECTED_BYTES)) {
                                failure.run();
                            }
                            return method.invoke(bmi, arguments);
                        });
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aCallThatWaitsForAWelcomeEndsWithAFullHeap(String method) throws Exception {
        AtomicInteger heap = new AtomicInteger();
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(withoutLengths(setup.client, full(heap)))) {
            eachFailsOnce(setup, echo(server, client), heap, 1, false);
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aServerWithAFullHeapStillWelcomes(String method) throws Exception {
        AtomicInteger heap = new AtomicInteger();
        try (Setup setup = Setup.of(method);
                ShipperServer server =
                        Shipper.builder(failing(setup.server, "postSend", full(heap)))
                                .knob("shipper.maxSessionsPerPeer", "1")
                                .server();
                Shipper client =
                        Shipper.builder(setup.client)
                                .knob("shipper.connectTimeoutMs", "50")
                                .client()) {
            RemoteFunction<Number, Number> echo = echo(server, client);
            heap.set(40); // more than the answers that may wait for one peer
            Setup.until("a welcome", () -> connects(client, setup));
            assertThat(echo.call(setup.address(), new Number(1), SOON)).isEqualTo(new Number(1));
        }
    }

    private static boolean connects(Shipper client, Setup setup) {
        try {
            client.connect(setup.address(), SOON);
            return true;
        } catch (CallFailedException e) {
            assertThat(e.code()).isIn(ErrorCode.ETIMEDOUT, ErrorCode.EBUSY);
            return false;
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aHandlerWithoutAThreadTakesNoPlace(String method) throws Exception {
        AtomicInteger threads = new AtomicInteger();
        Runnable full = full(threads);
        try (Setup setup = Setup.of(method);
                ShipperServer server = withThreads(setup.server, full);
                Shipper client = Shipper.on(setup.client)) {
            eachFailsOnce(setup, echo(server, client), threads, 3, true);
        }
    }

    /** Runs one handler at a time, in threads that come only after something was done. */
    private static ShipperServer withThreads(Bmi bmi, Runnable before) {
        Map<String, String> knobs = Map.of("shipper.maxRunning", "1");
        ServerSettings settings =
                Shipper.builder(bmi)
                        .serverSettings(Configuration.resolve(ShipperKnobs.all(), knobs));
        ThreadFactory virtual = Thread.ofVirtual().factory();
        bmi.retain(); // its close gives this back
        return new ShipperServer(
                new ServerCore(
                        bmi,
                        settings,
                        task -> {
                            before.run();
                            return virtual.newThread(task);
                        }));
    }

    private static void isToBeTriedAgain(Throwable e) {
        isFailure(e, ErrorCode.ETRYAGAIN, false);
    }
}
