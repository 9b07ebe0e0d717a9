package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.Records.Number;
import org.jbmi.testsuite.support.FreePort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** A session that cannot be opened says why. */
@Timeout(60)
class ConnectTest {
    static final List<String> METHODS = Setup.METHODS;
    private static final Duration SOON = Duration.ofSeconds(20);

    private static void fails(ErrorCode code, String words, ThrowingCallable connecting) {
        assertThatThrownBy(connecting)
                .isInstanceOfSatisfying(
                        CallFailedException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(words);
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aServerThatHasNoRoomSaysSo(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server =
                        Shipper.builder(setup.server)
                                .knob("shipper.maxSessionsPerPeer", "1")
                                .server()
                                .start();
                Shipper second = Shipper.on(setup.client)) {
            try (Shipper first = Shipper.on(setup.client)) {
                first.connect(setup.address(), SOON);
                fails(
                        ErrorCode.EBUSY,
                        "as many as it may have",
                        () -> second.connect(setup.address(), SOON));
            }
            Setup.untilEqual(
                    "sessions",
                    0L,
                    () -> setup.server.counters().find("shipper.server.sessions").get());
            second.connect(setup.address(), SOON);
            assertThat(server.underWay()).isEmpty();
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void aServerThatDoesNotAnswerIsWaitedForAsLongAsWasSaid(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper patient = Shipper.on(setup.client);
                Shipper hasty =
                        Shipper.builder(setup.client)
                                .knob("shipper.connectTimeoutMs", "50")
                                .client()) {
            PeerAddress address = setup.address();
            fails(
                    ErrorCode.ETIMEDOUT,
                    "did not answer the hello",
                    () -> hasty.connect(address, SOON));
            fails(
                    ErrorCode.EAGAIN,
                    "No welcome",
                    () -> patient.connect(address, Duration.ofMillis(20)));
            Thread.currentThread().interrupt();
            fails(ErrorCode.EINTR, "interrupted", () -> patient.connect(address, SOON));
            assertThat(Thread.interrupted()).isTrue();
            server.start();
            patient.connect(address, SOON); // the session that could not be waited for
        }
    }

    @Test
    void anAddressAtWhichNobodyListensRefuses() throws Exception {
        try (Setup setup = Setup.of("tcp");
                Shipper client = Shipper.on(setup.client)) {
            PeerAddress nobody = setup.client.lookup("tcp://127.0.0.1:" + FreePort.find());
            fails(ErrorCode.ECONNREFUSED, "cannot be reached", () -> client.connect(nobody, SOON));
        }
    }

    /** The server has been told by the hello where data goes, and is not told again. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void whoCallsAnAddressCannotKeepItForDataAfterwards(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper caller = Shipper.on(setup.client);
                Shipper mover = Shipper.on(setup.client)) {
            server.register("echo", Number.class, Number.class, Call::input).start();
            PeerAddress address = setup.address();
            RemoteFunction<Number, Number> echo =
                    caller.function("echo", Number.class, Number.class);
            assertThat(echo.call(address, new Number(1), SOON)).isEqualTo(new Number(1));
            assertThatThrownBy(() -> caller.connectForBulk(address, SOON))
                    .isInstanceOfSatisfying(
                            BmiException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.EEXIST))
                    .hasMessageContaining("before the first call");
            assertThat(echo.call(address, new Number(2), SOON)).isEqualTo(new Number(2));
            mover.connectForBulk(address, SOON);
            mover.connectForBulk(address, SOON);
            mover.connect(address, SOON);
        }
    }

    /** The clock, which a client asks right after its hello, stands for any full heap. */
    @Test
    void aHelloThatCouldNotBeSentIsFollowedByAnother() throws Exception {
        AtomicBoolean isFull = new AtomicBoolean(true);
        try (Setup setup = Setup.of("loopback");
                Shipper client =
                        Shipper.builder(setup.client)
                                .knob("shipper.connectTimeoutMs", "50")
                                .clock(
                                        () -> {
                                            if (isFull.getAndSet(false)) {
                                                throw new OutOfMemoryError("As if it were full.");
                                            }
                                            return System.nanoTime();
                                        })
                                .client()) {
            assertThatThrownBy(() -> client.connect(setup.address(), SOON))
                    .isInstanceOf(OutOfMemoryError.class);
            fails(
                    ErrorCode.ETIMEDOUT,
                    "did not answer the hello",
                    () -> client.connect(setup.address(), SOON));
        }
    }
}
