package org.jbmi.zoid.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.testsuite.support.ChildJvm;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.plugins.test.TestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A thousand processes at one server. They are light ones: two processes of the system, with ten
 * instances each, at each of which fifty processes of ZOID are connected.
 */
@Timeout(120)
class ThousandProcessesTest {
    private static final int HOSTS = 2;
    private static final int INSTANCES = 10;
    private static final int EACH = 50;
    private static final int OF_A_HOST = INSTANCES * EACH;

    /** A process of the system, and the numbers of those that it hosts. */
    private static final class Host implements AutoCloseable {
        private final Process process;
        private final BufferedReader lines;
        private final Set<Integer> numbers = new HashSet<>();

        Host(Server server, String method) throws IOException {
            String folder = method.equals("zoid") ? server.folder().resolve("z").toString() : "";
            process = ChildJvm.start(Many.class, List.of(), server.address(), folder);
            lines = process.inputReader(StandardCharsets.UTF_8);
        }

        void awaitConnected() throws IOException {
            String line = String.valueOf(lines.readLine());
            assertThat(line).startsWith("here ");
            Stream.of(line.substring(5).split(" ", -1)).map(Integer::valueOf).forEach(numbers::add);
            assertThat(numbers).hasSize(OF_A_HOST);
        }

        String ask(String what) throws IOException {
            process.outputWriter().write(what + "\n");
            process.outputWriter().flush();
            return String.valueOf(lines.readLine());
        }

        void kill() throws InterruptedException {
            process.destroyForcibly().waitFor();
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    @Test
    void oneHangsAndAllAreKilled() throws Exception {
        oneHangsAndAllAreKilled("tcp");
    }

    @Test
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true")
    void theSameThroughSharedMemory() throws Exception {
        oneHangsAndAllAreKilled("zoid");
    }

    private static void oneHangsAndAllAreKilled(String method) throws Exception {
        try (Server server = Server.of(method);
                Host one = new Host(server, method);
                Host other = new Host(server, method)) {
            one.awaitConnected();
            other.awaitConnected();
            Set<Integer> all = new HashSet<>(one.numbers);
            all.addAll(other.numbers);
            assertThat(all).hasSize(HOSTS * OF_A_HOST);
            assertThat(server.daemon().processCount()).isEqualTo(HOSTS * OF_A_HOST);

            assertThat(one.ask("hang")).isEqualTo("hangs");
            await(() -> server.told().contains("waits"));
            // The one that hangs in the plug-in is not asked; it would say so if it came back.
            assertThat(one.ask("call")).isEqualTo("called " + (OF_A_HOST - 1));
            assertThat(other.ask("call")).isEqualTo("called " + OF_A_HOST);

            one.kill();
            await(() -> server.daemon().processCount() == OF_A_HOST);
            assertThat(gone(server)).containsExactlyInAnyOrderElementsOf(one.numbers);
            assertThat(other.ask("call")).isEqualTo("called " + OF_A_HOST);
            other.kill();
            await(() -> server.daemon().processCount() == 0);
            assertThat(gone(server)).containsExactlyInAnyOrderElementsOf(all);
            assertThat(Collections.frequency(server.told(), "waits")).isOne();
        }
    }

    /** Whose end was told, as often as it was. */
    private static List<Integer> gone(Server server) {
        return server.told().stream()
                .filter(words -> words.startsWith("proc 0 "))
                .map(words -> Integer.valueOf(words.substring(7)))
                .toList();
    }

    /** Waits for a fact, under the watchdog of the test. */
    private static void await(BooleanSupplier fact) throws InterruptedException {
        while (!fact.getAsBoolean()) {
            TimeUnit.MILLISECONDS.sleep(2);
        }
    }

    /** Hosts the processes, and does as it is told; ends with its standard input. */
    static final class Many {
        private static final int HANGING = 123;

        private Many() {}

        public static void main(String[] args) throws IOException {
            List<Zoid> all = new ArrayList<>();
            StringBuilder numbers = new StringBuilder("here");
            for (int i = 0; i < INSTANCES; i++) {
                var builder = Bmi.builder().knob("bmi.maxContexts", "100");
                if (!args[1].isEmpty()) {
                    builder.knob("zoid.runtimeDirectory", args[1]);
                }
                Bmi bmi = builder.open();
                for (int k = 0; k < EACH; k++) {
                    Zoid zoid = Server.describe(bmi).withoutThread().connect(args[0]);
                    numbers.append(' ').append(zoid.processId());
                    all.add(zoid);
                }
            }
            System.out.println(numbers);
            BufferedReader words =
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            boolean hangs = false;
            for (String word = words.readLine(); word != null; word = words.readLine()) {
                if (word.equals("hang")) {
                    hangs = true;
                    Thread.ofPlatform().daemon().start(() -> hang(all.get(HANGING)));
                    System.out.println("hangs");
                } else {
                    System.out.println("called " + call(all, hangs ? HANGING : -1));
                }
            }
            Runtime.getRuntime().halt(0);
        }

        private static void hang(Zoid zoid) {
            new TestClient(zoid).wait_(3_600_000);
            System.out.println("came back");
        }

        private static int call(List<Zoid> all, int but) {
            int right = 0;
            for (int i = 0; i < all.size(); i++) {
                Zoid zoid = all.get(i);
                right += i != but && new TestClient(zoid).process() == zoid.processId() ? 1 : 0;
            }
            return right;
        }
    }
}
