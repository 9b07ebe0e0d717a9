package org.jbmi.tools.shipper;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.shipper.CallFailedException;
import org.jbmi.shipper.ShippedCall;
import org.jbmi.shipper.Shipper;
import org.jbmi.shipper.ShipperServer;
import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.codec.Encoder;
import org.jbmi.testsuite.json.Json;
import org.jbmi.testsuite.support.FreePort;
import org.jbmi.tools.BmiMain;
import org.jbmi.tools.cli.Program;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** The calls of a server, as a user looks at them from another process's place. */
@Timeout(60)
class CallsCommandTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Codec<Long> NUMBER =
            new Codec<>() {
                @Override
                public String signature() {
                    return "{value:i64}";
                }

                @Override
                public void encode(Long value, Encoder out) {
                    out.putLong(value);
                }

                @Override
                public Long decode(Decoder in) {
                    return in.getLong();
                }
            };

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final String address = "tcp://127.0.0.1:" + FreePort.find();

    private int ops(String... more) {
        var command = Program.of(new BmiMain());
        command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        String[] args = new String[more.length + 2];
        args[0] = "ops";
        args[1] = address;
        System.arraycopy(more, 0, args, 2, more.length);
        return command.execute(args);
    }

    @Test
    void showsACallWhileItsHandlerRuns() throws Exception {
        CountDownLatch runs = new CountDownLatch(2);
        CountDownLatch go = new CountDownLatch(1);
        try (Bmi serving = Bmi.builder().listen(address).open();
                ShipperServer server = ShipperServer.on(serving);
                Bmi calling = Bmi.builder().open();
                Shipper client = Shipper.on(calling)) {
            server.register(
                            "demo.hang",
                            NUMBER,
                            NUMBER,
                            call -> {
                                runs.countDown();
                                go.await();
                                return call.input();
                            })
                    .start();
            assertThat(ops()).as(err.toString()).isZero();
            assertThat(out.toString()).doesNotContain("demo.hang").contains("0 calls");

            var hang = client.function("demo.hang", NUMBER, NUMBER, Long.class);
            ShippedCall<Long> first = hang.forward(calling.lookup(address), 1L);
            ShippedCall<Long> second = hang.forward(calling.lookup(address), 2L);
            runs.await();
            assertThat(ops()).as(err.toString()).isZero();
            assertThat(out.toString())
                    .contains("demo.hang")
                    .contains("its handler runs")
                    .contains("2 calls");
            out.getBuffer().setLength(0);
            assertThat(ops("--json", "--most", "1")).as(err.toString()).isZero();
            List<?> calls = (List<?>) ((Map<?, ?>) Json.parse(out.toString().strip())).get("calls");
            assertThat(calls).hasSize(1);
            Map<?, ?> call = (Map<?, ?>) calls.getFirst();
            assertThat(call.get("function")).isEqualTo("demo.hang");
            assertThat(call.get("reason")).isEqualTo("its handler runs");
            assertThat((Long) call.get("leftMs")).isPositive();
            out.getBuffer().setLength(0);
            assertThat(ops("--counters")).as(err.toString()).isZero();
            assertThat(out.toString())
                    .containsPattern("shipper\\.server\\.refusals +0 +calls")
                    .containsPattern("shipper\\.server\\.pulledBytes +0 +bytes")
                    .doesNotContain("demo.hang");
            out.getBuffer().setLength(0);
            assertThat(ops("--counters", "--json")).as(err.toString()).isZero();
            Map<?, ?> counted = (Map<?, ?>) Json.parse(out.toString().strip());
            assertThat((Long) counted.get("shipper.server.calls")).isGreaterThanOrEqualTo(2);
            go.countDown();
            assertThat(first.await(SOON)).isEqualTo(1L);
            assertThat(second.await(SOON)).isEqualTo(2L);
        }
    }

    @Test
    void aServerThatDoesNotTellIsSaidToBeOne() {
        try (Bmi serving = Bmi.builder().listen(address).open();
                ShipperServer server =
                        Shipper.builder(serving).knob("shipper.introspection", "false").server()) {
            server.start();
            assertThat(ops()).isEqualTo(1);
            assertThat(err.toString()).startsWith("bmi ops: ").doesNotContain("\tat ");
        }
    }

    /** Its class may be another one, such as an echo. */
    @Test
    void aServerOfAnotherKindIsAskedFor() {
        try (Bmi serving = Bmi.builder().listen(address).open()) {
            assertThat(ops("--knob", "shipper.connectTimeoutMs=500")).isEqualTo(1);
            assertThat(err.toString())
                    .contains("is it a server for this command?")
                    .doesNotContain("PT");
            assertThat(serving.methods()).isNotEmpty();
        }
    }

    @Test
    void nobodyThereAndWrongWordsAreErrors() {
        assertThat(ops()).isEqualTo(1); // the refusal comes at once
        assertThat(err.toString())
                .startsWith(
                        "bmi ops: The server cannot be reached (ECONNREFUSED, " + address + ").")
                .doesNotContain(CallFailedException.class.getName());
        assertThat(ops("--most", "0")).isEqualTo(2);
        assertThat(err.toString()).contains("--most is 1 or more");
        assertThat(ops("--knob", "shipper.noSuch=1")).isNotZero();
        assertThat(err.toString()).contains("shipper.noSuch");
    }
}
