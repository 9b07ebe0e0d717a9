package org.jbmi.rig.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.json.Json;
import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.BmiMain;
import org.jbmi.tools.cli.CommandRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

/** Measurements of several things in turn, and what is made of them: tables and plots. */
@Timeout(300)
class PerfTableTest extends PerfTestSupport {
    /** Each of two clients has enough exchanges for its share, also on a busy machine. */
    private static final String LONGER = " --seconds 0.2 --rounds 1 --warm-up 0.1";

    /** As many rows of each kind. */
    private static final List<String> CLIENTS =
            Boolean.getBoolean("jbmi.long") ? List.of("1", "2") : List.of("2");

    /** More is under way than the system keeps: two sides that only sent would wait for ever. */
    @ParameterizedTest
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "half a minute")
    @ValueSource(strings = {"block", "adaptive", "spin"})
    void bothDirectionsAtOnceBesideABaseline(String wait) throws Exception {
        Map<String, Object> json =
                measure(
                        "tcp --pattern pingpong --bytes 1m --outstanding 8 --versus raw-tcp"
                                + " --no-calls --wait "
                                + wait);
        Map<?, ?> raw = (Map<?, ?>) ((List<?>) json.get("versus")).getFirst();
        assertThat(((Number) raw.get("exchanges")).longValue()).isPositive();
        assertNothingIsLeft();
    }

    @Test
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "ten processes")
    void severalConnectionsBesideABaseline() throws Exception {
        Map<String, Object> json =
                measure(
                        "tcp --pattern stream --bytes 64k --instances 3 --versus raw-tcp"
                                + " --no-calls");
        Map<?, ?> raw = (Map<?, ?>) ((List<?>) json.get("versus")).getFirst();
        assertThat(raw.get("setup").toString()).startsWith("3 pairs of processes");
        assertNothingIsLeft();
    }

    @Test
    void baselinesTakeTurnsWithOurs() throws Exception {
        Map<String, Object> json =
                measure("tcp --pattern rpc --versus raw-tcp --versus raw-shm --no-calls");
        assertThat((List<?>) json.get("versus")).hasSize(2);
        assertNothingIsLeft();
    }

    @Test
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "four processes")
    void aStreamTakesTurnsWithPlainCopies() throws Exception {
        Map<String, Object> json =
                measure("zoid --pattern stream --bytes 64k --versus memcpy --no-calls");
        Map<?, ?> copies = (Map<?, ?>) ((List<?>) json.get("versus")).getFirst();
        assertThat(copies.get("name")).isEqualTo("memcpy");
        assertThat((Double) copies.get("gbPerSecond")).isPositive();
        assertThat((Double) copies.get("ratio")).isPositive();
        assertNothingIsLeft();
    }

    /** Each on processes of its own, since an instance serves one kind of calls at a time. */
    @Test
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "six processes")
    void callsTakeTurnsWithTheMessagesThatTheyAreMadeOf() throws Exception {
        Map<String, Object> json =
                measure(
                        "loopback --pattern rpc --wait block --no-calls --versus call --versus"
                                + " forward");
        assertThat((List<?>) json.get("versus"))
                .extracting(side -> (Object) ((Map<?, ?>) side).get("name"))
                .containsExactly("call", "forward");
        assertThat((List<?>) json.get("versus"))
                .allSatisfy(
                        side -> assertThat((Double) ((Map<?, ?>) side).get("p50Us")).isPositive());
        assertNothingIsLeft();
    }

    @Test
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "CommandSideTest measures such a program")
    void aProgramOfTheUsersTakesTurnsWithOurs() throws Exception {
        try (ProgramRun run = startVersus(CommandPeer.line())) {
            assertThat(run.awaitEnd()).as(run.transcript()).isZero();
            Map<?, ?> json = (Map<?, ?>) Json.parse(run.out().getLast());
            Map<?, ?> peer = (Map<?, ?>) ((List<?>) json.get("versus")).getFirst();
            assertThat(peer.get("setup")).isEqualTo("two threads and two queues");
            assertThat(peer.get("rounds")).isEqualTo(3L);
            assertThat(peer.get("ratioRounds")).isEqualTo(3L);
            assertThat((Double) peer.get("p50Us")).isPositive();
        }
        assertNothingIsLeft();
    }

    private ProgramRun startVersus(String command) throws IOException {
        return ProgramRun.start(
                BmiMain.class,
                List.of("-Djava.io.tmpdir=" + directory),
                ("perf tcp --pattern rpc --no-calls --seconds 0.3 --rounds 3 --warm-up 0.2 --json"
                                + " --versus-command "
                                + command.replace(' ', '\u00a0'))
                        .transform(line -> List.of(line.split(" "))).stream()
                                .map(word -> word.replace('\u00a0', ' '))
                                .toArray(String[]::new));
    }

    @Test
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "six processes")
    void manyPendingReceivesTakeTurnsWithFew() throws Exception {
        Map<String, Object> json =
                measure("zoid --pattern rpc --pending 500 --versus few-pending --no-calls");
        assertThat((List<?>) json.get("versus")).hasSize(1);
        assertThat(json.get("versus").toString()).contains("few-pending").contains("ratio");
        assertNothingIsLeft();
    }

    @Test
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "half a minute")
    void baselinesStreamAsWell() throws Exception {
        Map<String, Object> json =
                measure(
                        "tcp --pattern stream --bytes 10k --instances 2 --versus raw-tcp --versus"
                                + " raw-shm --no-calls");
        assertThat((List<?>) json.get("versus"))
                .allSatisfy(
                        side ->
                                assertThat(((Map<?, ?>) side).get("setup").toString())
                                        .startsWith("2 pairs of processes, each "));
        assertNothingIsLeft();
    }

    @Test
    void aSweepIsDrawn() throws Exception {
        Path file = directory.resolve("sweep.svg");
        Map<String, Object> json =
                measure("loopback --pattern stream --bytes 64..1k --no-calls --plot " + file);
        assertThat((List<?>) json.get("sweep")).hasSize(3);
        assertThat(
                        DocumentBuilderFactory.newInstance()
                                .newDocumentBuilder()
                                .parse(file.toFile())
                                .getElementsByTagName("circle")
                                .getLength())
                .isEqualTo(3);
        assertThat(Files.readString(file)).contains("bytes a message");
        assertIsReadableAnywhere(file);
    }

    // Whatever a viewer makes of style sheets: each colour is a plain attribute.
    private static void assertIsReadableAnywhere(Path file) throws IOException {
        assertThat(Files.readString(file))
                .doesNotContain("<style", "style=", "class=", "var(")
                .doesNotContainPattern("(fill|stroke)=\"(?!#[0-9a-f]{6}\"|none\")")
                .doesNotContainPattern("<text (?!fill=|x=)");
    }

    private List<String> table(String line, Path plot) throws Exception {
        try (ProgramRun run = start(line + LONGER + " --plot " + plot)) {
            assertThat(run.awaitEnd()).as(run.transcript()).isZero();
            assertIsReadableAnywhere(plot);
            assertNothingIsLeft();
            return run.out();
        }
    }

    /** Measures nothing, so this process runs it: a new JVM takes longer. */
    private static List<String> drawnAgain(Path kept, Path plot) throws IOException {
        String line = "perf tcp --by clients --kept " + kept + " --plot " + plot;
        CommandRun run = CommandRun.of(new BmiMain(), line.split(" "));
        assertThat(run.status()).as(run.transcript()).isZero();
        assertIsReadableAnywhere(plot);
        return run.outLines();
    }

    private static List<String> cells(String row) {
        return Stream.of(row.split("\\|", -1)).map(String::strip).toList();
    }

    @Test
    void aTableByClientsSaysWhatEachCosts() throws Exception {
        Path plot = directory.resolve("clients.svg");
        Path kept = directory.resolve("rows.json");
        String counts = String.join(",", CLIENTS);
        List<String> rows = table("tcp --by clients --counts " + counts + " --keep " + kept, plot);
        assertThat(rows).hasSize(2 + 2 * CLIENTS.size());
        assertThat(rows.stream().skip(2).map(row -> cells(row).subList(1, 3)))
                .containsExactlyElementsOf(
                        Stream.of("tcp RPC", "tcp unexpected")
                                .flatMap(
                                        what -> CLIENTS.stream().map(count -> List.of(what, count)))
                                .toList());
        List<String> many = cells(rows.get(1 + CLIENTS.size()));
        assertThat(Double.parseDouble(many.get(3))).as("messages a second").isPositive();
        assertThat(Double.parseDouble(many.get(5))).as("slowest").isBetween(0.0, 1.0);
        assertThat(Double.parseDouble(many.get(6).split(",", -1)[0])).as("cost").isPositive();
        assertThat(many.get(8)).as("memory and threads").contains(", ");
        assertThat(Files.readString(plot)).contains(">tcp RPC  ");
        CLIENTS.forEach(count -> assertThat(plot).content().contains(">" + count + "</text>"));

        Path again = directory.resolve("again.svg");
        assertThat(drawnAgain(kept, again)).isEqualTo(rows);
        assertThat(again).hasSameTextualContentAs(plot);
    }

    @Test
    void aRowThatTakesTooLongIsEndedAndTheTableGoesOn() throws Exception {
        try (ProgramRun run =
                start("tcp --by clients --counts 1 --row-limit 1 --warm-up 60 --seconds 60")) {
            assertThat(run.awaitEnd()).as(run.transcript()).isZero();
            assertThat(run.out().stream().skip(2))
                    .containsExactly(
                            "| tcp RPC | 1 | could not be measured |",
                            "| tcp unexpected | 1 | could not be measured |");
            assertThat(run.transcript()).contains("The row took more than 1 s and was ended.");
        }
        assertNothingIsLeft();
    }

    @Test
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "14 processes")
    void aTableByPendingReceivesComparesWithFew() throws Exception {
        Path plot = directory.resolve("pending.svg");
        List<String> rows = table("tcp --by pending --counts 100,300", plot);
        assertThat(rows).hasSize(4);
        assertThat(rows.getLast()).contains("| 300, 10 |").contains("x few-pending");
        assertThat(Files.readString(plot)).contains(">300</text>", "10 pending");
    }

    @Test
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "half a minute")
    void aTableByBytesComparesWithRawTcp() throws Exception {
        List<String> rows = table("tcp --by bytes --counts 64k", directory.resolve("bytes.svg"));
        assertThat(rows).hasSize(10);
        assertThat(rows.get(2)).contains("| block, 1 connection | 64 |").contains("x raw-tcp");
        assertThat(rows).noneMatch(row -> row.contains("could not be measured"));
    }
}
