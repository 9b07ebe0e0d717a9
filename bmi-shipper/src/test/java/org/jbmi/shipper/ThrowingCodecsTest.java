package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.Records.Bytes;
import org.jbmi.shipper.Records.Fussy;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.Encoder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.io.Serial;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Whatever a record's constructor or a codec throws, an Error as well, ends its call and nothing
 * else: the library's threads, in which they run, go on.
 */
@Timeout(60)
class ThrowingCodecsTest {
    static final List<String> METHODS = Setup.METHODS;

    /** Long: a busy machine needs seconds to find some 100 MiB of memory. */
    private static final Duration SOON = Duration.ofSeconds(50);

    /** What fits a message, and what is moved by bulk. */
    private static final int[] SIZES = {1, 100_000};

    private static byte[] bytes(int size, int first) {
        byte[] bytes = new byte[size];
        bytes[0] = (byte) first;
        return bytes;
    }

    private static void fails(ShippedCall<?> call, ErrorCode code, String words) {
        assertThatThrownBy(() -> call.await(SOON))
                .isInstanceOfSatisfying(
                        CallFailedException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(words);
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void anInputWhoseRecordThrowsAnErrorIsRefusedAndTheServerGoesOn(String method)
            throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client)) {
            server.register(
                            "size",
                            Fussy.class,
                            Number.class,
                            call -> new Number(call.input().bytes().length))
                    .start();
            RemoteFunction<Bytes, Number> size = client.function("size", Bytes.class, Number.class);
            for (int bytes : SIZES) {
                fails(
                        size.forward(setup.address(), new Bytes(bytes(bytes, 13))),
                        ErrorCode.EBADMSG,
                        "13 is not wanted");
                assertThat(size.call(setup.address(), new Bytes(bytes(bytes, 12)), SOON))
                        .isEqualTo(new Number(bytes));
            }
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void anOutputWhoseRecordThrowsAnErrorFailsAndTheClientGoesOn(String method) throws Exception {
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client)) {
            server.register("echo", Bytes.class, Bytes.class, Call::input).start();
            RemoteFunction<Bytes, Fussy> echo = client.function("echo", Bytes.class, Fussy.class);
            for (int bytes : SIZES) {
                fails(
                        echo.forward(setup.address(), new Bytes(bytes(bytes, 13))),
                        ErrorCode.EBADMSG,
                        "13 is not wanted");
                // Read in the client's own thread: nobody waits in one of the program.
                CompletableFuture<Fussy> unlucky =
                        echo.forward(setup.address(), new Bytes(bytes(bytes, 13))).future();
                assertThatThrownBy(() -> unlucky.get(20, TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .hasMessageContaining("13 is not wanted");
                CompletableFuture<Fussy> lucky =
                        echo.forward(setup.address(), new Bytes(bytes(bytes, 12))).future();
                assertThat(lucky.get(20, TimeUnit.SECONDS).bytes()).hasSize(bytes);
            }
        }
    }

    /** Writes and reads numbers as usual. */
    private static class Numbers implements Codec<Number> {
        private final Codec<Number> codec = Codec.of(Number.class);

        @Override
        public String signature() {
            return codec.signature();
        }

        @Override
        public void encode(Number value, Encoder out) {
            codec.encode(value, out);
        }

        @Override
        public Number decode(Decoder in) {
            return codec.decode(in);
        }
    }

    /** As where the heap is full in the middle of a large record. */
    private static final class Failing extends Numbers {
        @Override
        public void encode(Number value, Encoder out) {
            if (value.value() == 13) {
                throw new OutOfMemoryError("13 is too much");
            }
            super.encode(value, out);
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void anInputThatCannotBeWrittenTakesNoPlace(String method) throws Exception {
        Codec<Number> numbers = new Numbers();
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client =
                        Shipper.builder(setup.client).knob("shipper.maxCalls", "1").client()) {
            server.register("echo", Number.class, Number.class, Call::input).start();
            RemoteFunction<Number, Number> echo =
                    client.function("echo", new Failing(), numbers, Number.class);
            PeerAddress address = setup.address();
            // Written when the welcome has come, in the client's own thread perhaps.
            fails(echo.forward(address, new Number(13)), ErrorCode.ENOMEM, "13 is too much");
            assertThat(echo.call(address, new Number(12), SOON)).isEqualTo(new Number(12));
            assertThatThrownBy(() -> echo.forward(address, new Number(13)))
                    .isInstanceOf(OutOfMemoryError.class);
            assertThat(echo.call(address, new Number(14), SOON)).isEqualTo(new Number(14));
        }
    }

    /** Cannot be put into words. */
    private static final class Mute extends RuntimeException {
        @Serial private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new AssertionError("There are no words for it.");
        }
    }

    /** Refuses 13 without words where numbers are written, and 14 where they are read. */
    private static final class Wordless extends Numbers {
        @Override
        public void encode(Number value, Encoder out) {
            if (value.value() == 13) {
                throw new Mute();
            }
            super.encode(value, out);
        }

        @Override
        public Number decode(Decoder in) {
            Number value = super.decode(in);
            if (value.value() == 14) {
                throw new Mute();
            }
            return value;
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void whatACodecThrowsNeedNoWords(String method) throws Exception {
        Codec<Number> numbers = new Numbers();
        Codec<Number> wordless = new Wordless();
        List<Boolean> sent = new CopyOnWriteArrayList<>();
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client)) {
            server.register("in", wordless, numbers, Call::input)
                    .register("out", numbers, wordless, Call::input)
                    .register(
                            "later",
                            numbers,
                            wordless,
                            call -> {
                                sent.add(call.defer().complete(call.input()));
                                return null;
                            })
                    .start();
            PeerAddress address = setup.address();
            RemoteFunction<Number, Number> in =
                    client.function("in", wordless, numbers, Number.class);
            // Written when the welcome has come, in the client's own thread perhaps.
            fails(in.forward(address, new Number(13)), ErrorCode.EINVAL, "Mute");
            fails(in.forward(address, new Number(14)), ErrorCode.EBADMSG, "Mute");
            for (String name : List.of("out", "later")) {
                RemoteFunction<Number, Number> out =
                        client.function(name, numbers, wordless, Number.class);
                fails(out.forward(address, new Number(13)), ErrorCode.EINVAL, "Mute");
                fails(out.forward(address, new Number(14)), ErrorCode.EBADMSG, "Mute");
                assertThat(out.call(address, new Number(15), SOON)).isEqualTo(new Number(15));
            }
            Setup.until("all are told", () -> sent.size() == 3);
            assertThat(sent).containsExactly(false, true, true);
        }
    }

    /** Gives nothing, as a codec of the program may by mistake. */
    private static final class Empty extends Numbers {
        @Override
        public Number decode(Decoder in) {
            super.decode(in);
            return null;
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void theFutureOfAnOutputThatIsNullFails(String method) throws Exception {
        Codec<Number> numbers = new Numbers();
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client)) {
            server.register("echo", Number.class, Number.class, Call::input).start();
            CompletableFuture<Number> output =
                    client.function("echo", numbers, new Empty(), Number.class)
                            .forward(setup.address(), new Number(1))
                            .future();
            assertThatThrownBy(() -> output.get(20, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(NullPointerException.class);
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void anOutputThatCannotBeWrittenIsAnsweredInWords(String method) throws Exception {
        Codec<Number> numbers = new Numbers();
        try (Setup setup = Setup.of(method);
                ShipperServer server = ShipperServer.on(setup.server);
                Shipper client = Shipper.on(setup.client)) {
            server.register("echo", numbers, new Failing(), Call::input);
            server.register(
                    "later",
                    numbers,
                    new Failing(),
                    call -> {
                        assertThat(call.defer().complete(call.input())).isFalse();
                        return null;
                    });
            server.start();
            for (String name : List.of("echo", "later")) {
                fails(
                        client.function(name, Number.class, Number.class)
                                .forward(setup.address(), new Number(13)),
                        ErrorCode.ENOMEM,
                        "13 is too much");
            }
            assertThat(
                            client.function("echo", Number.class, Number.class)
                                    .call(setup.address(), new Number(12), SOON))
                    .isEqualTo(new Number(12));
        }
    }

    /** Writes what fits the heap of the tests once, and not twice. */
    private static final class Huge extends Numbers {
        private static final int MIBS = 359;

        @Override
        public void encode(Number value, Encoder out) {
            out.skip(MIBS << 20); // at once: an array that grows touches the whole heap
        }
    }

    @Test
    void anOutputForWhichTheServerHasNoMemoryHoldsNone() throws Exception {
        Codec<Number> numbers = new Numbers();
        try (Setup setup = Setup.of("loopback");
                ShipperServer server =
                        Shipper.builder(setup.server)
                                .knob("shipper.maxOutputBytes", "360m")
                                .knob("shipper.maxHeldBytes", "512m")
                                .server();
                Shipper client = Shipper.on(setup.client)) {
            server.register("huge", numbers, new Huge(), Call::input).start();
            RemoteFunction<Number, Number> huge =
                    client.function("huge", Number.class, Number.class);
            for (int i = 0; i < 2; i++) { // there would be room for one
                fails(
                        huge.forward(setup.address(), new Number(i)),
                        ErrorCode.ENOMEM,
                        "output"); // written or kept
                assertThat(setup.server.counters().find("shipper.server.heldBytes").get()).isZero();
            }
        }
    }

    /** The heap of the tests has as many bytes, and other things in it. */
    @Test
    void anOutputForWhichTheClientHasNoMemoryFailsAndTheClientGoesOn() throws Exception {
        try (Setup setup = Setup.of("loopback");
                RawServer server = new RawServer(setup.server);
                Shipper client =
                        Shipper.builder(setup.client)
                                .withoutThreads()
                                .knob("shipper.maxOutputBytes", "1024m")
                                .client()) {
            assertThat(Runtime.getRuntime().maxMemory()).isLessThanOrEqualTo(1L << 30);
            RemoteFunction<Number, Number> any = client.function("any", Number.class, Number.class);
            ShippedCall<Number> large = any.forward(setup.address(), new Number(1));
            server.welcome();
            client.progress(Duration.ZERO);
            server.announce(server.calls().getFirst(), 1 << 30);
            client.progress(Duration.ZERO);
            fails(large, ErrorCode.ENOMEM, "no memory for an output of 1073741824 bytes");
            ShippedCall<Number> small = any.forward(setup.address(), new Number(2));
            server.reply(server.calls().getFirst(), 7);
            client.progress(Duration.ZERO);
            assertThat(small.await(Duration.ZERO)).isEqualTo(new Number(7));
        }
    }
}
