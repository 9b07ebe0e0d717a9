package org.jbmi.rig.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.json.Json;
import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.BmiMain;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * No message costs more than it did: what does not depend on the machine is compared with recorded
 * bounds. A young process allocates what its compiler has not done away with yet, and on a busy
 * machine that takes its time: the measurement is repeated for longer before it counts as too much.
 */
@Timeout(280)
class MessageCostTest {
    private static final String BOUNDS = "costs.txt";
    private static final double[] SECONDS = {0.5, 1.5, 6, 25};
    private static final boolean IS_LONG = Boolean.getBoolean("jbmi.long");

    /** A line of the file. */
    record Bound(
            double allocated,
            double client,
            double server,
            double calls,
            boolean onlyLong,
            String what) {
        static Bound parse(String line) {
            String[] cells = line.split("\\|", -1);
            return new Bound(
                    Double.parseDouble(cells[0].strip()),
                    Double.parseDouble(cells[1].strip()),
                    Double.parseDouble(cells[2].strip()),
                    Double.parseDouble(cells[3].strip()),
                    cells[4].strip().equals("long"),
                    cells[5].strip());
        }

        /** What is too much, in words. */
        List<String> broken(Map<?, ?> json) {
            List<String> broken = new ArrayList<>();
            compare(broken, json, "steadyAllocatedBytesPerMessage", allocated);
            compare(broken, json, "clientCopiesPerMessage", client);
            compare(broken, json, "serverCopiesPerMessage", server);
            if (json.get("systemCallsPerMessage") != null) {
                compare(broken, json, "systemCallsPerMessage", calls);
            }
            return broken;
        }

        private static void compare(List<String> broken, Map<?, ?> json, String name, double most) {
            double value =
                    json.get(name) instanceof Number number ? number.doubleValue() : Double.NaN;
            if (!(value <= most)) {
                broken.add(name + " is " + value + ", more than " + most);
            }
        }

        @Override
        public String toString() {
            return what;
        }
    }

    static Stream<Bound> bounds() throws IOException {
        try (InputStream in = MessageCostTest.class.getResourceAsStream(BOUNDS)) {
            assertThat(in).isNotNull();
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return text.lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(Bound::parse)
                    .filter(bound -> IS_LONG || !bound.onlyLong());
        }
    }

    @ParameterizedTest
    @MethodSource("bounds")
    void aMessageCostsNoMoreThanItDid(Bound bound) throws Exception {
        List<String> broken = List.of("nothing was measured");
        for (int i = 0; i < SECONDS.length && !broken.isEmpty(); i++) {
            broken = bound.broken(measure(bound.what(), SECONDS[i]));
        }
        assertThat(broken).isEmpty();
    }

    private static Map<?, ?> measure(String line, double seconds) throws Exception {
        List<String> args = new ArrayList<>(List.of("perf"));
        args.addAll(List.of(line.split(" +", -1)));
        String time = Double.toString(seconds);
        args.addAll(List.of("--json", "--rounds", "5", "--warm-up", time, "--seconds", time));
        String[] words = args.toArray(String[]::new);
        List<String> options = List.of("-XX:TieredStopAtLevel=4");
        try (ProgramRun run = ProgramRun.start(BmiMain.class, options, words)) {
            assertThat(run.awaitEnd()).as(run.transcript()).isZero();
            return (Map<?, ?>) Json.parse(run.out().getLast());
        }
    }
}
