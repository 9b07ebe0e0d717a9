package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.observe.Counter;
import org.jbmi.shipper.Records.Bytes;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.wire.Wire;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.daemon.StatReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Calls say what they call by a number of one byte, once the server knows what it means. */
@Timeout(60)
class FunctionIndexTest {
    static final List<String> METHODS = Setup.METHODS;

    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String NUMBERS = "{value:i64} -> {value:i64}";
    private static final int ROUNDS = 20;
    private static final int WELCOME_AND_FIRST_REPLY = 2;
    private static final long LOOK_NS = 1_000_000;

    private static Number plus(Call<Number, Number> call, long more) {
        return new Number(call.input().value() + more);
    }

    private static ErrorCode codeOf(Runnable call) {
        try {
            call.run();
            return ErrorCode.SUCCESS;
        } catch (CallFailedException e) {
            return e.code();
        }
    }

    /** More functions than there are indexes: the last ones go on being named. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void anyNumberOfFunctionsIsCalledAgainAndAgain(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client)) {
            for (int i = 0; i < 300; i++) {
                long more = i;
                server.register("f" + i, Number.class, Number.class, call -> plus(call, more));
            }
            server.start();
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 300; i++) {
                    Number sum =
                            client.function("f" + i, Number.class, Number.class)
                                    .call(setup.address(), new Number(round), SOON);
                    assertThat(sum).isEqualTo(new Number(round + i));
                }
            }
        }
    }

    /** What an index means does not change; what the server offers does. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void nameAndSignatureAreCheckedInEachCall(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client)) {
            server.register("f", Number.class, Number.class, Call::input).start();
            RemoteFunction<Number, Number> f = client.function("f", Number.class, Number.class);
            Runnable call = () -> f.call(setup.address(), new Number(1), SOON);
            assertThat(codeOf(call)).isEqualTo(ErrorCode.SUCCESS);
            server.unregister("f");
            assertThat(codeOf(call)).isEqualTo(ErrorCode.ENOSYS);
            server.register("f", Number.class, Bytes.class, one -> new Bytes(new byte[8]));
            assertThat(codeOf(call)).isEqualTo(ErrorCode.EPROTOTYPE);
            RemoteFunction<Number, Bytes> other = client.function("f", Number.class, Bytes.class);
            assertThat(other.call(setup.address(), new Number(1), SOON).bytes()).hasSize(8);
            server.unregister("f");
            server.register("f", Number.class, Number.class, Call::input);
            assertThat(codeOf(call)).isEqualTo(ErrorCode.SUCCESS);
        }
    }

    /** A server that comes anew knows nothing of what its predecessor was told. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void eachSessionIsToldAnew(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                Shipper client = Shipper.on(setup.client)) {
            RemoteFunction<Number, Number> f = client.function("f", Number.class, Number.class);
            for (int life = 0; life < 2; life++) {
                try (ShipperServer server = ShipperServer.on(setup.server)) {
                    server.register("f", Number.class, Number.class, Call::input).start();
                    PeerAddress address = setup.address();
                    Setup.until(
                            "an answer of life " + life,
                            () ->
                                    codeOf(() -> f.call(address, new Number(1), SOON))
                                            == ErrorCode.SUCCESS);
                    f.call(address, new Number(2), SOON);
                }
            }
        }
    }

    /** None, one that was not given, and the highest that there is. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2, 255})
    void aCallByAnIndexOfNothingEndsTheSession(int index) throws Exception {
        misuse(
                (client, session) -> client.callByIndex(session, 2, index),
                "A client calls what it has not named.");
    }

    @Test
    void anIndexThatIsGivenToTwoFunctionsEndsTheSession() throws Exception {
        misuse(
                (client, session) -> client.call(session, 2, "g", NUMBERS, 1),
                "A client gives an index to two functions.");
        misuse(
                (client, session) -> client.call(session, 2, "f", "{value:i64} -> {}", 1),
                "A client gives an index to two functions.");
    }

    private interface Misuse {
        void by(RawClient client, long session);
    }

    /** In a session in which 1 is f, and was given twice so. */
    private static void misuse(Misuse misuse, String why) throws Exception {
        try (Setup setup = Setup.of("loopback");
                ShipperServer server = ShipperServer.on(setup.server);
                Bmi other = setup.anotherClient().retain();
                CompletionContext context = other.openContext()) {
            server.register("f", Number.class, Number.class, Call::input).start();
            RawClient client = new RawClient(context, setup.address(other));
            long session = client.hello(new BulkHandle.Token(1, 1), 0);
            assertThat(outcome(context, client, session, () -> name(client, session))).isZero();
            assertThat(outcome(context, client, session, () -> name(client, session))).isZero();
            assertThat(outcome(context, client, session, () -> client.callByIndex(session, 1, 1)))
                    .isZero();
            MemorySegment inbox = MemorySegment.ofArray(new byte[4096]);
            long receive = client.receive(session, inbox);
            misuse.by(client, session);
            context.await(receive, 20_000);
            assertThat(inbox.get(ValueLayout.JAVA_BYTE, 5)).isEqualTo((byte) Wire.GOODBYE);
            assertThat(inbox.getString(28).substring(0, why.length())).isEqualTo(why);
        }
    }

    private static void name(RawClient client, long session) {
        client.call(session, 1, "f", NUMBERS, 1);
    }

    private static int outcome(
            CompletionContext context, RawClient client, long session, Runnable call) {
        MemorySegment inbox = MemorySegment.ofArray(new byte[4096]);
        long receive = client.receive(session, inbox);
        call.run();
        context.await(receive, 20_000);
        return inbox.get(ValueLayout.JAVA_INT_UNALIGNED, Wire.HEADER_BYTES);
    }

    @Test
    void anInputOverTheKnobIsRefusedBeforeAnythingIsSent() throws Exception {
        try (Setup setup = Setup.of("loopback");
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client =
                        Shipper.builder(setup.client)
                                .knob("shipper.maxInputBytes", "4k")
                                .client()) {
            server.register("f", Bytes.class, Number.class, call -> new Number(1)).start();
            RemoteFunction<Bytes, Number> f = client.function("f", Bytes.class, Number.class);
            Bytes tooLarge = new Bytes(new byte[4093]);
            assertThat(codeOf(() -> f.call(setup.address(), tooLarge, SOON)))
                    .as("of a call that waits for the welcome")
                    .isEqualTo(ErrorCode.EMSGSIZE);
            for (int i = 0; i < 3; i++) { // named, and not
                f.call(setup.address(), new Bytes(new byte[4092]), SOON);
                assertThatThrownBy(() -> f.forward(setup.address(), tooLarge))
                        .isInstanceOfSatisfying(
                                BmiException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.EMSGSIZE));
            }
        }
    }

    /** The reply of 64 bytes ends its receive in the message that brings it, and is not copied. */
    @Test
    void aCallOfSixtyFourBytesOnZoidIsAMessageOfTheLaneEitherWay() throws Exception {
        Counter leaked;
        try (Setup setup = Setup.of("zoid");
                ShipperServer server = Shipper.builder(setup.server).withoutThreads().server();
                Shipper client = Shipper.builder(setup.client).withoutThreads().client()) {
            server.register("f", Bytes.class, Bytes.class, Call::input).start();
            leaked = setup.server.counters().find("zoid.server.leakedBlocks");
            RemoteFunction<Bytes, Bytes> f = client.function("f", Bytes.class, Bytes.class);
            Bytes input = new Bytes(new byte[64 - Integer.BYTES]);
            call(setup, server, client, f, input);
            awaitMovedInside(setup, WELCOME_AND_FIRST_REPLY);
            long copies = counter(setup, "zoid.server.copies");
            for (int i = 0; i < ROUNDS; i++) {
                call(setup, server, client, f, input);
            }
            awaitMovedInside(setup, WELCOME_AND_FIRST_REPLY + ROUNDS);
            assertThat(counter(setup, "zoid.server.copies")).as("copies").isEqualTo(copies);
        }
        assertThat(leaked.get()).as("blocks that are left").isZero();
    }

    private static long counter(Setup setup, String label) {
        setup.server.counters(); // refreshes the gauges
        return setup.server.counters().find(label).get();
    }

    private static void call(
            Setup setup,
            ShipperServer server,
            Shipper client,
            RemoteFunction<Bytes, Bytes> f,
            Bytes input) {
        ShippedCall<Bytes> call = f.forward(setup.address(), input);
        Setup.until(
                "the outcome",
                call::isDone,
                () -> server.process(Duration.ZERO),
                () -> client.progress(Duration.ZERO));
        call.await(Duration.ZERO);
    }

    /** A server that is busy writes its counters at the ticks of its keeper, not at once. */
    private static void awaitMovedInside(Setup setup, long expected) {
        while (movedInside(setup) < expected) {
            LockSupport.parkNanos(LOOK_NS);
            assertThat(Thread.interrupted()).as("the watchdog's interrupt").isFalse();
        }
        assertThat(movedInside(setup)).isEqualTo(expected);
    }

    private static long movedInside(Setup setup) {
        return StatReport.counters(new RuntimeDirectory(setup.zoidFolder())).stream()
                .filter(reading -> reading.spec().label().equals("zbmi.inline.moves"))
                .mapToLong(reading -> reading.value())
                .sum();
    }
}
