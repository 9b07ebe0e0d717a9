package org.jbmi.shipper;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.Records.Bytes;
import org.jbmi.shipper.Records.Number;
import org.jbmi.testsuite.support.ChildJvm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An answer waits for no client: one that stands still holds up nobody else. */
@Timeout(120)
class StoppedClientTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    /** More than travels without a grant, so that the client must come for it. */
    private static final int ANSWER_BYTES = 1_000;

    /** How long a client waits in its call, and how long a server's post would wait for it. */
    private static final int LONG_MS = 60_000;

    private static final int OWN_TAG = 4711;

    @TempDir private Path folder;

    @Test
    void anAnswerToAClientThatStandsStillIsOutOfTheServersHands() throws Exception {
        Path place = folder.resolve("z");
        BlockingQueue<DeferredAnswer<Bytes>> answers = new LinkedBlockingQueue<>();
        try (Bmi bmi =
                        KillPeer.builder("zoid", place)
                                .knob("zbmi.immediateWaitMs", Integer.toString(LONG_MS))
                                .knob("zoid.callTimeoutMs", Integer.toString(LONG_MS))
                                .listen("zoid://")
                                .open();
                Bmi other = KillPeer.builder("zoid", place).open();
                ShipperServer server = ShipperServer.on(bmi);
                Shipper innocent = Shipper.on(other)) {
            server.register("echo", Number.class, Number.class, Call::input);
            server.register(
                    "later",
                    Number.class,
                    Bytes.class,
                    call -> {
                        answers.add(call.defer());
                        return null;
                    });
            server.start();
            PeerAddress here = other.lookup("zoid://");
            RemoteFunction<Number, Number> echo =
                    innocent.function("echo", Number.class, Number.class);
            echo.call(here, new Number(1), SOON);
            Process still = ChildJvm.start(Still.class, List.of("-Xmx128m"), place.toString());
            try {
                assertThat(still.inputReader().readLine()).isEqualTo("waiting");
                DeferredAnswer<Bytes> first = answers.poll(20, TimeUnit.SECONDS);
                DeferredAnswer<Bytes> second = answers.poll(20, TimeUnit.SECONDS);
                first.complete(new Bytes(new byte[ANSWER_BYTES]));
                // What remains is posted for the ends of the two clients: so the answer was taken,
                // by a client that waits, and that has nothing else to do from here on.
                Setup.until("the first answer is taken", () -> operations(bmi) == 2);
                stop(still.pid());
                CompletableFuture<Boolean> answered =
                        CompletableFuture.supplyAsync(
                                () -> second.complete(new Bytes(new byte[ANSWER_BYTES])));
                assertThat(answered.get(20, TimeUnit.SECONDS)).isTrue();
                for (int i = 0; i < 10; i++) {
                    assertThat(echo.call(here, new Number(i), SOON)).isEqualTo(new Number(i));
                }
                Setup.until("the second alone is not taken", () -> operations(bmi) == 3);
            } finally {
                still.destroyForcibly().waitFor();
            }
            Setup.until("nothing is left of it", () -> operations(bmi) == 1);
        }
    }

    private static long operations(Bmi bmi) {
        bmi.counters(); // refreshes the gauges
        return bmi.counters().find("bmi.operations").get();
    }

    private static void stop(long pid) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-STOP", Long.toString(pid)).start().waitFor())
                .isZero();
        Path stat = Path.of("/proc", Long.toString(pid), "stat");
        Setup.until("it stands still", () -> isStopped(stat));
    }

    private static boolean isStopped(Path stat) {
        try {
            return Files.readString(stat).contains(") T ");
        } catch (IOException e) {
            return false;
        }
    }

    /** Calls twice, and then waits in a call that nothing ends. */
    static final class Still {
        private Still() {}

        public static void main(String[] arguments) {
            try (Bmi bmi =
                            KillPeer.builder("zoid", Path.of(arguments[0]))
                                    .knob("zoid.eagerBytes", "0")
                                    .open();
                    Shipper shipper = Shipper.builder(bmi).withoutThreads().client();
                    CompletionContext context = bmi.openContext()) {
                PeerAddress server = bmi.lookup("zoid://");
                shipper.connect(server, SOON);
                RemoteFunction<Number, Bytes> later =
                        shipper.function("later", Number.class, Bytes.class);
                later.forward(server, new Number(1));
                later.forward(server, new Number(2));
                context.postReceive(server, MemorySegment.ofArray(new byte[1]), OWN_TAG);
                System.out.println("waiting");
                System.out.flush();
                Completions outcomes = Completions.ofCapacity(1);
                while (context.testContext(outcomes, LONG_MS) == 0) {}
            }
        }
    }
}
