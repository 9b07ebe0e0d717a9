package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.shipper.Records.Number;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.Encoder;
import org.jbmi.shipper.codec.MalformedException;
import org.jbmi.shipper.wire.Header;
import org.jbmi.shipper.wire.Wire;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** Each byte of a call, and of its reply, as {@code docs/wire/shipper.md} has it. */
@Timeout(60)
class WireFormatTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final Path PAGE = Path.of("..", "docs", "wire", "shipper.md");

    /** What zoid moves inside one message of its lanes, either way. */
    private static final int INSIDE_A_MESSAGE_BYTES = 88;

    /** The first eight bytes of the SHA-256 of "any", and of "{value:i64} -> {value:i64}". */
    private static final String ANY = "d6a7cd2a7371b1a1";

    private static final String NUMBERS = "072b8709e594a885";
    private static final Duration NOW = Duration.ZERO;

    private final LoopbackHub hub = new LoopbackHub();
    private final Bmi serving =
            Bmi.builder().attach(LoopbackHub.class, hub).listen("loopback://server").open();
    private final Bmi calling = Bmi.builder().attach(LoopbackHub.class, hub).open();

    @AfterEach
    void close() {
        calling.close();
        serving.close();
    }

    private static byte[] bytes(String... hex) {
        return HEX.parseHex(String.join("", hex));
    }

    @Test
    void aCallNamesItsFunctionUntilTheServerHasAnsweredOne() {
        try (RawServer server = new RawServer(serving);
                Shipper client =
                        Shipper.builder(calling).withoutThreads().clock(() -> 0).client()) {
            RemoteFunction<Number, Number> any = client.function("any", Number.class, Number.class);
            ShippedCall<Number> first = forward(any, 5);
            server.welcome();
            long number = nextCall(server, client);
            assertThat(server.last())
                    .isEqualTo(
                            bytes(
                                    "4a534850" + "02" + "02" + "0001", // index 1
                                    "0180000000000000" + "00000100", // slot 0, its first use
                                    ANY + NUMBERS,
                                    "60ea0000" + "0500000000000000")); // a minute
            // No answer yet, so the server need not have heard of it.
            ShippedCall<Number> second = forward(any, 6);
            long unanswered = nextCall(server, client);
            assertThat(server.last()).hasSize(Wire.NAMED_CALL_BYTES + Long.BYTES);
            reply(server, client, number, first);
            reply(server, client, unanswered, second);

            ShippedCall<Number> third = forward(any, 7);
            number = nextCall(server, client);
            assertThat(server.last())
                    .isEqualTo(
                            bytes(
                                    "4a534850" + "02" + "08" + "0001",
                                    "0180000000000000" + HEX.toHexDigits(swapped(number)),
                                    "60ea0000" + "0700000000000000"));
            reply(server, client, number, third);
        }
    }

    private ShippedCall<Number> forward(RemoteFunction<Number, Number> function, long value) {
        return function.forward(calling.lookup("loopback://server"), new Number(value));
    }

    private static int swapped(long number) {
        return Integer.reverseBytes((int) number);
    }

    private static long nextCall(RawServer server, Shipper client) {
        List<Long> calls = new ArrayList<>();
        Setup.until(
                "a call",
                () -> !calls.isEmpty(),
                () -> client.progress(NOW),
                () -> calls.addAll(server.calls()));
        return calls.getFirst();
    }

    private static void reply(
            RawServer server, Shipper client, long number, ShippedCall<Number> call) {
        assertThat(server.reply(number, 9)).isTrue();
        Setup.until("the outcome", call::isDone, () -> client.progress(NOW));
        assertThat(call.await(NOW)).isEqualTo(new Number(9));
    }

    @Test
    void aReplyIsItsStatusAndItsOutput() {
        try (ShipperServer server = Shipper.builder(serving).withoutThreads().server();
                CompletionContext context = calling.openContext()) {
            server.register("any", Number.class, Number.class, Call::input).start();
            RawClient client = new RawClient(context, calling.lookup("loopback://server"));
            RawClient.Welcome welcome = client.sayHello(new BulkHandle.Token(1, 1), 0);
            server.process(NOW);
            context.await(welcome.receive(), 20_000);
            byte[] inbox = new byte[4096];
            long receive = client.receive(welcome.session(), MemorySegment.ofArray(inbox));
            client.call(welcome.session(), 0x8000_0003L, "any", "{value:i64} -> {value:i64}");
            server.process(NOW);
            int size = (int) context.await(receive, 20_000);
            byte[] session =
                    MemorySegment.ofArray(inbox).asSlice(8, 8).toArray(ValueLayout.JAVA_BYTE);
            assertThat(welcome.session()).isNotZero();
            assertThat(Arrays.copyOf(inbox, size))
                    .isEqualTo(
                            bytes(
                                    "4a534850" + "02" + "11" + "0000",
                                    HEX.formatHex(session) + "03000080",
                                    "00000000" + "0300008000000000"));
        }
    }

    @Test
    void sixtyFourBytesFitIntoOneMessageOfZoidEitherWay() {
        assertThat(Wire.CALL_BYTES + 64).isLessThanOrEqualTo(INSIDE_A_MESSAGE_BYTES);
        assertThat(Wire.REPLY_BYTES + 64).isLessThanOrEqualTo(INSIDE_A_MESSAGE_BYTES);
    }

    @Test
    void anotherVersionAndUnknownFlagsAreRefused() {
        Encoder out = new Encoder(64);
        Header header = new Header();
        Wire.begin(out, Wire.CALL, 0xff01, -5, Wire.MAX_NUMBER);
        read(header, out.toByteArray());
        assertThat(header.kind()).isEqualTo(Wire.CALL);
        assertThat(header.functionIndex()).isEqualTo(255);
        assertThat(header.has(Wire.FLAG_INPUT_BY_BULK)).isTrue();
        assertThat(header.session()).isEqualTo(-5);
        assertThat(header.number()).isEqualTo(Wire.MAX_NUMBER);
        byte[] whole = out.toByteArray();
        for (int size = 0; size < whole.length; size++) {
            refused(Arrays.copyOf(whole, size), "not one of the shipper");
        }
        whole[4] = 1;
        refused(whole, "version 1, and version 2 is spoken here");
        whole[4] = 2;
        whole[0] ^= 1;
        refused(whole, "not one of the shipper");
        int[] kinds = {
            Wire.HELLO,
            Wire.CANCEL,
            Wire.FETCH,
            Wire.GRANT,
            Wire.DONE,
            Wire.BYE,
            Wire.WELCOME,
            Wire.REPLY,
            Wire.PULL,
            Wire.PUSH,
            Wire.PUSH_INLINE,
            Wire.ABORT,
            Wire.GOODBYE
        };
        for (int kind : kinds) {
            Wire.begin(out, kind, 2, 1, 1);
            refused(out.toByteArray(), "has no flags 2");
        }
        Wire.begin(out, Wire.NAMED_CALL, 2, 1, 1);
        refused(out.toByteArray(), "has no flags 2");
    }

    private static void read(Header header, byte[] message) {
        Decoder in = new Decoder();
        in.reset(message, 0, message.length);
        header.read(in);
    }

    private static void refused(byte[] message, String why) {
        assertThatThrownBy(() -> read(new Header(), message))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining(why);
    }

    @Test
    void thePageHasTheVersionAndTheSizes() throws Exception {
        assertThat(Files.readString(PAGE))
                .contains("Version " + Wire.VERSION + ".")
                .contains("\n" + Wire.HEADER_BYTES + "     +---")
                .contains("A call is " + Wire.CALL_BYTES + " bytes longer than its input")
                .contains("A reply is " + Wire.REPLY_BYTES + " bytes longer than its output");
    }
}
