package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.Encoder;
import org.jbmi.shipper.wire.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;

/** What went wrong in a handler, or in a post, is never taken for the end of the client's wait. */
@Timeout(60)
class HandlerErrorsTest {
    static final List<String> METHODS = Setup.METHODS;
    private static final Duration SOON = Duration.ofSeconds(20);

    private static void isRemote(Throwable e, ErrorCode code) {
        assertThat(e)
                .isInstanceOfSatisfying(
                        CallFailedException.class,
                        failed -> {
                            assertThat(failed.code()).isEqualTo(code);
                            assertThat(failed.isRemote()).isTrue();
                        })
                .hasMessageContaining("inner");
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
    @Test
    void anAnswerIsNotTakenForTheEndOfTheWait() throws Exception {
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
            out.putInt(ErrorCode.EAGAIN.negativeValue());
            out.putString("inner");
            server.meetsAReceive(out);
            assertThatThrownBy(output::join)
                    .isInstanceOf(CompletionException.class)
                    .satisfies(e -> isRemote(e.getCause(), ErrorCode.EAGAIN));
        }
    }

    @Test
    void aCallThatCannotBeSentHasNotTimedOut() throws Exception {
        AtomicReference<ErrorCode> next = new AtomicReference<>();
        try (Setup setup = Setup.of("loopback");
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(failing(setup.client, next))) {
            server.register("echo", Number.class, Number.class, Call::input).start();
            RemoteFunction<Number, Number> echo =
                    client.function("echo", Number.class, Number.class);
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
        return WatchedBmi.before(
                bmi,
                what -> {
                    if (what.equals("postSendUnexpected")) {
                        ErrorCode code = next.getAndSet(null);
                        if (code != null) {
                            throw new BmiException(code, "As if it could not be sent.");
                        }
                    }
                });
    }

    private static void isToBeTriedAgain(Throwable e) {
        assertThat(e)
                .isInstanceOfSatisfying(
                        CallFailedException.class,
                        failed -> {
                            assertThat(failed.code()).isEqualTo(ErrorCode.ETRYAGAIN);
                            assertThat(failed.isRemote()).isFalse();
                        });
    }
}
