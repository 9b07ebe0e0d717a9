package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
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

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** What a server keeps for its clients is counted, whatever they say; what is small arrives. */
@Timeout(60)
class HeldMemoryTest {
    static final List<String> METHODS = Setup.METHODS;
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final Duration NOW = Duration.ZERO;
    private static final int INBOX_BYTES = 4096;
    private static final BulkHandle.Token SECRET = new BulkHandle.Token(1, 1);
    private static final String BYTES_OF_A_NUMBER = "{value:i64} -> {bytes:bytes}";

    /** Names memory that the raw client pretends to have. */
    private static BulkHandle memory(long bytes) {
        return new BulkHandle(
                Wire.ownerOf(SECRET), new BulkHandle.Token(2, 2), 1, bytes, Permission.READ_WRITE);
    }

    private static long counter(Bmi bmi, String label) {
        bmi.counters(); // refreshes the gauges
        return bmi.counters().find(label).get();
    }

    /** A server without threads, and one client that writes its messages by hand. */
    private static final class Raw implements AutoCloseable {
        private final Setup setup = Setup.of("loopback");
        private final ShipperServer server;
        private final CompletionContext context = setup.client.openContext();
        private final RawClient client = new RawClient(context, setup.address());
        private final long session;
        private byte[] inbox = {};

        Raw(int inboxBytes, UnaryOperator<ShipperBuilder> knobs) throws IOException {
            server = knobs.apply(Shipper.builder(setup.server).withoutThreads()).server();
            server.register("make", Number.class, Bytes.class, call -> new Bytes(new byte[1 << 20]))
                    .register(
                            "large",
                            Number.class,
                            Bytes.class,
                            call -> new Bytes(new byte[20 << 20]))
                    .start();
            RawClient.Welcome welcome = client.sayHello(SECRET, 0, inboxBytes);
            process();
            session = welcome.session();
        }

        /** Posts a receive for the next message of the server. */
        void hear() {
            inbox = new byte[INBOX_BYTES];
            client.receive(session, MemorySegment.ofArray(inbox));
        }

        void process() {
            server.process(NOW);
            server.process(NOW);
        }

        /** Checks the kind of the message that has come. */
        MemorySegment heard(int kind) {
            assertThat(inbox[5]).isEqualTo((byte) kind);
            return MemorySegment.ofArray(inbox);
        }

        int heardStatus(int kind) {
            return heard(kind).get(ValueLayout.JAVA_INT_UNALIGNED, Wire.HEADER_BYTES);
        }

        /** Calls for an output; returns how many bytes wait to be fetched. */
        long announced(long number, String function) {
            hear();
            client.call(session, number, function, BYTES_OF_A_NUMBER);
            process();
            MemorySegment reply = heard(Wire.REPLY);
            assertThat(reply.get(ValueLayout.JAVA_SHORT_UNALIGNED, 6))
                    .isEqualTo((short) Wire.FLAG_OUTPUT_TO_FETCH);
            return reply.get(ValueLayout.JAVA_LONG_UNALIGNED, Wire.REPLY_BYTES);
        }

        long count(String label) {
            return counter(setup.server, label);
        }

        @Override
        public void close() throws IOException {
            context.close();
            server.close();
            setup.close();
        }
    }

    @Test
    void anOutputIsHeldHoweverLargeAClientSaysItsInboxIs() throws Exception {
        try (Raw raw = new Raw(1 << 30, builder -> builder)) {
            long bytes = raw.announced(1, "make");
            assertThat(bytes).isGreaterThan(1 << 20);
            assertThat(raw.count("shipper.server.heldBytes")).isEqualTo(bytes);
        }
    }

    @Test
    void theKnobsLimitInputsAndOutputsInOneMessageToo() throws Exception {
        try (Setup setup = Setup.of("loopback");
                ShipperServer server =
                        Shipper.builder(setup.server)
                                .knob("shipper.maxInputBytes", "1024")
                                .server();
                Shipper client =
                        Shipper.builder(setup.client)
                                .knob("shipper.maxOutputBytes", "1024")
                                .client()) {
            server.register(
                            "make",
                            Number.class,
                            Bytes.class,
                            call -> new Bytes(new byte[(int) call.input().value()]))
                    .register("take", Bytes.class, Number.class, call -> new Number(1))
                    .start();
            RemoteFunction<Number, Bytes> make = client.function("make", Number.class, Bytes.class);
            RemoteFunction<Bytes, Number> take = client.function("take", Bytes.class, Number.class);
            assertThat(make.call(setup.address(), new Number(1020), SOON).bytes()).hasSize(1020);
            take.call(setup.address(), new Bytes(new byte[1020]), SOON);
            assertThatThrownBy(() -> make.call(setup.address(), new Number(1021), SOON))
                    .hasMessageContaining("over shipper.maxOutputBytes");
            assertThatThrownBy(() -> take.call(setup.address(), new Bytes(new byte[1021]), SOON))
                    .hasMessageContaining("more bytes than the server takes");
        }
    }

    /** Each push is in its request, and its channel is free as soon as the client confirms it. */
    @Test
    void aClientThatConfirmsTransfersAndTakesNoRequestLosesItsSession() throws Exception {
        List<Call<Number, Number>> calls = new CopyOnWriteArrayList<>();
        try (Raw raw =
                new Raw(INBOX_BYTES, builder -> builder.knob("shipper.maxCallsPerClient", "8"))) {
            raw.server.register(
                    "keep",
                    Number.class,
                    Number.class,
                    call -> {
                        call.defer();
                        calls.add(call);
                        return null;
                    });
            raw.client.call(raw.session, 1, "keep", "{value:i64} -> {value:i64}");
            raw.process();
            List<MemorySegment> bytes = List.of(MemorySegment.ofArray(new byte[100]));
            long most = 0;
            for (int i = 1; i < 1000 && raw.count("shipper.server.sessions") == 1; i++) {
                calls.getFirst().startPush(memory(100), 0, bytes, 0, 100);
                raw.client.done(raw.session, i, ErrorCode.SUCCESS, 0);
                raw.process();
                most = Math.max(most, raw.count("bmi.operations"));
            }
            assertThat(raw.count("shipper.server.brokenSessions")).isEqualTo(1);
            assertThat(most).isLessThan(400);
        }
    }

    @Test
    void anOutputIsFetchedOnce() throws Exception {
        try (Raw raw = new Raw(INBOX_BYTES, builder -> builder)) {
            BulkHandle room = memory(raw.announced(1, "make"));
            raw.hear();
            raw.client.fetch(raw.session, 1, room);
            raw.process();
            raw.heard(Wire.PUSH);
            assertThat(raw.count("shipper.server.sessions")).isEqualTo(1);
            raw.hear();
            raw.client.fetch(raw.session, 1, room);
            raw.process();
            assertThat(raw.heardStatus(Wire.GOODBYE)).isEqualTo(ErrorCode.EBADMSG.negativeValue());
            assertThat(raw.count("shipper.server.sessions")).isZero();
            assertThat(raw.count("shipper.server.heldBytes")).isZero();
        }
    }

    @Test
    void whatAClientSaysOfAFetchedOutputIsNotTheEndOfAWait() throws Exception {
        try (Raw raw = new Raw(INBOX_BYTES, builder -> builder)) {
            BulkHandle room = memory(raw.announced(1, "make"));
            raw.hear();
            raw.client.fetch(raw.session, 1, room);
            raw.process();
            int transfer = raw.heard(Wire.PUSH).get(ValueLayout.JAVA_INT_UNALIGNED, 16);
            raw.hear();
            raw.client.done(raw.session, transfer, ErrorCode.EAGAIN, 0);
            raw.process();
            assertThat(raw.heardStatus(Wire.REPLY)).isEqualTo(ErrorCode.EREMOTE.negativeValue());
        }
    }

    /** Its transfers are not over before the client says so; together they exceed the heap. */
    @Test
    void whatAClientFetchesAndCancelsIsNotKept() throws Exception {
        try (Raw raw = new Raw(INBOX_BYTES, builder -> builder)) {
            for (int i = 1; i <= 60; i++) {
                BulkHandle room = memory(raw.announced(i, "large"));
                raw.hear();
                raw.client.fetch(raw.session, i, room);
                raw.process();
                raw.heard(Wire.PUSH);
                raw.hear();
                raw.hear();
                raw.client.cancel(raw.session, i);
                raw.process();
                raw.heard(Wire.ABORT);
            }
            assertThat(raw.count("shipper.server.sessions")).isEqualTo(1);
        }
    }

    /** The heap of the tests has as many bytes, and other things in it. */
    @Test
    void anInputForWhichTheServerHasNoMemoryIsRefusedInWords() throws Exception {
        assertThat(Runtime.getRuntime().maxMemory()).isLessThanOrEqualTo(1L << 30);
        try (Raw raw =
                new Raw(
                        INBOX_BYTES,
                        builder ->
                                builder.knob("shipper.maxInputBytes", "1024m")
                                        .knob("shipper.maxHeldBytes", "2048m"))) {
            raw.hear();
            raw.client.callByBulk(raw.session, 1, "make", BYTES_OF_A_NUMBER, memory(1 << 30));
            raw.process();
            assertThat(raw.heardStatus(Wire.REPLY)).isEqualTo(ErrorCode.ENOMEM.negativeValue());
            assertThat(new String(raw.inbox, StandardCharsets.ISO_8859_1))
                    .contains("The server has no memory for the input.");
            assertThat(raw.count("shipper.server.heldBytes")).isZero();
        }
    }

    @ParameterizedTest
    @FieldSource("METHODS")
    void whoDefersHearsThatAnOutputIsNotKept(String method) throws Exception {
        List<Boolean> sent = new CopyOnWriteArrayList<>();
        try (Setup setup = Setup.of(method);
                ShipperServer server =
                        Shipper.builder(setup.server)
                                .knob("shipper.maxHeldBytes", "1024")
                                .server();
                Shipper client = Shipper.on(setup.client)) {
            server.register(
                    "make",
                    Number.class,
                    Bytes.class,
                    call -> {
                        Bytes output = new Bytes(new byte[(int) call.input().value()]);
                        sent.add(call.defer().complete(output));
                        return null;
                    });
            server.start();
            RemoteFunction<Number, Bytes> make = client.function("make", Number.class, Bytes.class);
            assertThatThrownBy(() -> make.call(setup.address(), new Number(8 << 10), SOON))
                    .isInstanceOfSatisfying(
                            CallFailedException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.ENOMEM));
            assertThat(make.call(setup.address(), new Number(8), SOON).bytes()).hasSize(8);
            Setup.until("both are told", () -> sent.size() == 2);
            assertThat(sent).containsExactly(false, true);
        }
    }

    /** It fits the client's inbox, and an output of this size is not allowed. */
    @ParameterizedTest
    @FieldSource("METHODS")
    void aPushMayBeLargerThanOutputs(String method) throws Exception {
        byte[] bytes = new byte[3_000];
        byte[] pushed = new byte[bytes.length];
        Arrays.fill(pushed, (byte) 7);
        try (Setup setup = Setup.of(method);
                ShipperServer server =
                        Shipper.builder(setup.server)
                                .knob("shipper.maxOutputBytes", "1024")
                                .server();
                Shipper client = Shipper.on(setup.client);
                BulkHandle data = client.expose(MemorySegment.ofArray(bytes), Permission.WRITE)) {
            server.register(
                    "push",
                    Move.class,
                    Number.class,
                    call -> {
                        call.push(call.input().data(), 0, MemorySegment.ofArray(pushed));
                        return new Number(1);
                    });
            server.start();
            assertThat(
                            client.function("push", Move.class, Number.class)
                                    .call(setup.address(), new Move(data, 0, 0), SOON))
                    .isEqualTo(new Number(1));
            assertThat(bytes).isEqualTo(pushed);
        }
    }
}
