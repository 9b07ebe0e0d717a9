package org.jbmi.rig.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.rig.perf.process.PerfWorkerMain;
import org.jbmi.rig.perf.worker.WaitMode;
import org.jbmi.rig.perf.worker.WorkerPlan;
import org.jbmi.testsuite.support.Json;
import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.BmiMain;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

/** Short runs of the whole rig, each in processes of its own; speed is nobody's concern here. */
@Timeout(180)
class PerfRunTest {
    private static final List<String> FIELDS =
            List.of(
                    "pattern",
                    "bytes",
                    "p50Us",
                    "p99Us",
                    "p999Us",
                    "messagesPerSecond",
                    "gbPerSecond",
                    "allocatedBytesPerMessage",
                    "calibrationUs");

    @TempDir Path directory;

    private ProgramRun start(String line) throws IOException {
        List<String> args = new ArrayList<>(List.of("perf"));
        args.addAll(List.of(line.split("\\s+")));
        return ProgramRun.start(
                BmiMain.class,
                List.of("-Djava.io.tmpdir=" + directory),
                args.toArray(String[]::new));
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> measure(String line) throws Exception {
        try (ProgramRun run = start(line + " --seconds 0.2 --rounds 1 --warm-up 0.2 --json")) {
            assertThat(run.awaitEnd()).as(run.transcript()).isZero();
            Map<String, Object> json = (Map<String, Object>) Json.parse(run.out().getLast());
            assertThat(json).containsKeys(FIELDS.toArray(String[]::new));
            assertThat(number(json, "messagesPerSecond")).as(run.transcript()).isPositive();
            return json;
        }
    }

    private static double number(Map<String, Object> json, String name) {
        return ((Number) json.get(name)).doubleValue();
    }

    private void assertNothingIsLeft() throws IOException {
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left.filter(path -> !path.toString().endsWith(".svg"))).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "loopback --pattern local --bytes 4k",
                "loopback --pattern rate --rate 500 --wait block --verify --no-calls",
                "tcp --pattern stream --unexpected --clients 2 --verify --no-calls",
                "loopback --pattern call --bytes 1000",
                "loopback --pattern forward --bytes 800 --wait block --no-calls",
                "loopback --pattern pull --bytes 100k --threads 2 --wait block --no-calls",
                "zoid --pattern push --bytes 100k --through direct --no-calls",
            })
    void everyPatternIsMeasured(String line) throws Exception {
        assertThat(measure(line)).containsEntry("verified", line.contains("--verify"));
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "half a minute")
    @ValueSource(
            strings = {
                "loopback --pattern rpc --verify --threads 2",
                "loopback --pattern stream --verify --bytes 100",
                "tcp --pattern pingpong --verify --bytes 1000 --outstanding 3 --no-calls",
                "zoid --pattern rpc --verify --pending 100 --no-calls",
                "zoid --pattern stream --bytes 64k --verify --no-calls",
                "tcp --pattern call --clients 2 --outstanding 256 --no-calls",
                "tcp --pattern rate --rate 500 --wait block --verify --no-calls",
                "tcp --pattern pull --bytes 100k --threads 2 --wait block --no-calls",
                "tcp --pattern push --bytes 3m --no-calls",
                "zoid --pattern pull --bytes 3m --no-calls",
            })
    void everyPatternIsMeasuredElsewhereToo(String line) throws Exception {
        everyPatternIsMeasured(line);
    }

    /** A round lasts as long as its messages: nobody waits where nothing is under way. */
    @Test
    void aSleepingStreamEndsWithItsMessages() throws Exception {
        String line = "perf tcp --pattern stream --bytes 64k --wait block --no-calls --json";
        String times = " --seconds 0.5 --rounds 10 --warm-up 0.2";
        try (ProgramRun run =
                ProgramRun.start(
                        BmiMain.class,
                        List.of("-Djava.io.tmpdir=" + directory),
                        (line + times).split(" "))) {
            assertThat(run.awaitEnd()).as(run.transcript()).isZero();
            Map<?, ?> json = (Map<?, ?>) Json.parse(run.out().getLast());
            double exchanges = ((Number) json.get("exchanges")).doubleValue();
            double rate = ((Number) json.get("exchangesPerSecond")).doubleValue();
            double seconds = exchanges / rate;
            // A test call that waits in vain takes 1 s, in each of the 10 rounds.
            assertThat(seconds).as(run.transcript()).isLessThan(7);
        }
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
    void aStreamTakesTurnsWithPlainCopies() throws Exception {
        Map<String, Object> json =
                measure("zoid --pattern stream --bytes 64k --versus memcpy --no-calls");
        Map<?, ?> copies = (Map<?, ?>) ((List<?>) json.get("versus")).getFirst();
        assertThat(copies.get("name")).isEqualTo("memcpy");
        assertThat((Double) copies.get("gbPerSecond")).isPositive();
        assertThat((Double) copies.get("ratio")).isPositive();
        assertNothingIsLeft();
    }

    /** Processor time is also that of the virtual machine's own threads; wakes are not. */
    @ParameterizedTest
    @CsvSource({"tcp, 10", "zoid, 18"})
    void whoWaitsForNothingHardlyWakes(String method, double mostASecond) throws Exception {
        String times = " --seconds 4 --rounds 1 --warm-up 0.2";
        try (ProgramRun run = start(method + " --pattern idle --wait adaptive --json" + times)) {
            assertThat(run.awaitEnd()).as(run.transcript()).isZero();
            Map<?, ?> json = (Map<?, ?>) Json.parse(run.out().getLast());
            String remark = ((List<?>) json.get("remarks")).getFirst().toString();
            assertThat(remark).contains("perf-client-0 ").contains("perf-server-0 ");
            Matcher wakes = Pattern.compile("(perf-|zbmi-)\\S+ ([0-9]+[.][0-9]+)").matcher(remark);
            while (wakes.find()) {
                assertThat(Double.parseDouble(wakes.group(2)))
                        .as(remark)
                        .isLessThanOrEqualTo(mostASecond);
            }
        }
        assertNothingIsLeft();
    }

    /** Each on processes of its own, since an instance serves one kind of calls at a time. */
    @Test
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
    void manyInstancesOfOneProcessAreFairlyServed() throws Exception {
        Map<String, Object> json =
                measure("tcp --pattern rpc --wait block --clients 2 --instances 20 --no-calls");
        assertThat(json).containsEntry("connections", 40L).containsKey("serverHeapBytes");
        assertThat(number(json, "slowestToMedian")).isBetween(0.0, 1.0);
        assertThat(number(json, "clientThreads")).isGreaterThanOrEqualTo(40);
        assertNothingIsLeft();
    }

    @Test
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
        measure("tcp --pattern stream --bytes 10k --versus raw-tcp --versus raw-shm --no-calls");
        assertNothingIsLeft();
    }

    @Test
    void aSweepIsDrawn() throws Exception {
        Path file = directory.resolve("sweep.svg");
        Map<String, Object> json =
                measure("loopback --pattern stream --bytes 64..4k --no-calls --plot " + file);
        assertThat((List<?>) json.get("sweep")).hasSize(4);
        assertThat(
                        DocumentBuilderFactory.newInstance()
                                .newDocumentBuilder()
                                .parse(file.toFile())
                                .getElementsByTagName("circle")
                                .getLength())
                .isEqualTo(4);
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
        try (ProgramRun run = start(line + " --seconds 0.2 --warm-up 0.2 --plot " + plot)) {
            assertThat(run.awaitEnd()).as(run.transcript()).isZero();
            assertIsReadableAnywhere(plot);
            assertNothingIsLeft();
            return run.out();
        }
    }

    private static List<String> cells(String row) {
        return Stream.of(row.split("\\|", -1)).map(String::strip).toList();
    }

    @Test
    void aTableByClientsSaysWhatEachCosts() throws Exception {
        Path plot = directory.resolve("clients.svg");
        List<String> rows = table("tcp --by clients --counts 1,2", plot);
        assertThat(rows).hasSize(6);
        assertThat(rows.stream().skip(2).map(row -> cells(row).subList(1, 3)))
                .containsExactly(
                        List.of("tcp RPC", "1"),
                        List.of("tcp RPC", "2"),
                        List.of("tcp unexpected", "1"),
                        List.of("tcp unexpected", "2"));
        List<String> many = cells(rows.get(3));
        assertThat(Double.parseDouble(many.get(3))).as("messages a second").isPositive();
        assertThat(Double.parseDouble(many.get(5))).as("slowest").isBetween(0.0, 1.0);
        assertThat(Double.parseDouble(many.get(6))).as("cost").isPositive();
        assertThat(many.get(8)).as("memory and threads").contains(", ");
        assertThat(Files.readString(plot)).contains(">tcp RPC  ", ">1</text>", ">2</text>");
    }

    @Test
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

    @Test
    void aServerByHandIsMeasuredAgainAndAgain() throws Exception {
        try (ProgramRun server = start("--listen tcp://127.0.0.1:0")) {
            String begin = "Answering on ";
            String said = server.awaitLine(line -> line.startsWith(begin));
            String address = said.substring(begin.length(), said.indexOf(';'));
            measure(address + " --pattern rpc --verify --no-calls");
            measure(address + " --pattern call --no-calls");
            server.process().destroy();
            assertThat(server.awaitEnd()).isEqualTo(143);
        }
    }

    /** One whose end waited for itself would be halted, with status 1. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWorkerEndsWhenItIsTold(boolean bySignal) throws Exception {
        WorkerPlan plan =
                new WorkerPlan(
                        WorkerPlan.Role.BOTH,
                        "loopback://worker",
                        WaitMode.BLOCK,
                        1,
                        1,
                        WorkerPlan.Cpus.FREE,
                        "",
                        Map.of());
        String[] arguments = plan.toArguments().toArray(String[]::new);
        try (ProgramRun run = ProgramRun.start(PerfWorkerMain.class, List.of(), arguments)) {
            run.awaitLine(line -> line.startsWith("@ready"));
            if (bySignal) {
                run.process().toHandle().destroy();
            } else {
                run.process().getOutputStream().close();
            }
            assertThat(run.awaitEnd()).as(run.transcript()).isEqualTo(bySignal ? 143 : 0);
        }
    }

    @Test
    void whatCannotBeMeasuredIsSaid() throws Exception {
        try (ProgramRun run = start("tcp --bytes 512m --seconds 0.2 --no-calls")) {
            assertThat(run.awaitEnd()).isEqualTo(1);
            assertThat(run.err())
                    .anyMatch(
                            line ->
                                    line.startsWith(
                                            "bmi perf: The client failed: The server cannot"));
        }
        assertNothingIsLeft();
    }

    @Test
    void anInterruptEndsAllProcesses() throws Exception {
        try (ProgramRun run = start("zoid --pattern rpc --seconds 60 --no-calls")) {
            run.awaitLine(line -> line.startsWith("rpc of "));
            List<ProcessHandle> workers = run.process().descendants().toList();
            assertThat(workers).hasSizeGreaterThanOrEqualTo(2);
            run.process().destroy();
            assertThat(run.awaitEnd()).isEqualTo(143);
            for (ProcessHandle worker : workers) {
                worker.onExit().get();
            }
        }
        assertNothingIsLeft();
    }
}
