package org.jbmi.rig.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jbmi.rig.perf.phase.WaitMode;
import org.jbmi.rig.perf.phase.WorkerPlan;
import org.jbmi.rig.perf.process.PerfWorkerMain;
import org.jbmi.testsuite.json.Json;
import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.BmiMain;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a measurement does, by all patterns. */
@Timeout(300)
class PerfRunTest extends PerfTestSupport {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "loopback --pattern rate --rate 5 --wait block --verify --no-calls",
                "tcp --pattern stream --unexpected --clients 2 --verify --no-calls",
                "loopback --pattern forward --bytes 800 --wait block --no-calls",
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
                "loopback --pattern local --bytes 4k",
                "loopback --pattern rpc --verify --threads 2",
                "loopback --pattern call --bytes 1000",
                "loopback --pattern pull --bytes 100k --threads 2 --wait block --no-calls",
                "loopback --pattern stream --verify --bytes 100",
                "tcp --pattern pingpong --verify --bytes 1000 --outstanding 3 --no-calls",
                "zoid --pattern rpc --verify --pending 100 --no-calls",
                "zoid --pattern stream --bytes 64k --verify --no-calls",
                "tcp --pattern call --clients 2 --outstanding 256 --no-calls",
                "tcp --pattern rate --rate 500 --wait block --verify --no-calls",
                "tcp --pattern pull --bytes 100k --threads 2 --wait block --no-calls",
                "tcp --pattern push --bytes 3m --no-calls",
                "zoid --pattern pull --bytes 3m --no-calls",
                "zoid --pattern push --bytes 100k --through direct --no-calls",
            })
    void everyPatternIsMeasuredElsewhereToo(String line) throws Exception {
        everyPatternIsMeasured(line);
    }

    /** A round lasts as long as its messages: nobody waits where nothing is under way. */
    @Test
    void aSleepingStreamEndsWithItsMessages() throws Exception {
        String line = "perf tcp --pattern stream --bytes 64k --wait block --no-calls --json";
        String times = " --seconds 0.1 --rounds 8 --warm-up 0.1";
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
            // A test call that waits in vain takes 1 s, in each of the 8 rounds.
            assertThat(seconds).as(run.transcript()).isLessThan(5);
        }
        assertNothingIsLeft();
    }

    /** A waiting thread wakes more often at first, so that short rounds would say too much. */
    @Test
    void idleIsOneRound() throws Exception {
        String times = " --seconds 0.4 --warm-up 0.1";
        try (ProgramRun run = start("loopback --pattern idle --json" + times)) {
            assertThat(run.awaitEnd()).as(run.transcript()).isZero();
            Map<?, ?> json = (Map<?, ?>) Json.parse(run.out().getLast());
            assertThat((List<?>) json.get("remarks"))
                    .singleElement()
                    .asString()
                    .startsWith("All processes of loopback:");
        }
        assertNothingIsLeft();
    }

    /** Processor time is also that of the virtual machine's own threads; wakes are not. */
    @ParameterizedTest
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "waiters of zoid and of tcp have tests in their modules")
    @CsvSource({"zoid, 18", "tcp, 10"})
    void whoWaitsForNothingHardlyWakes(String method, double mostASecond) throws Exception {
        String times = " --seconds 4 --rounds 1 --warm-up 0.2";
        try (ProgramRun run = start(method + " --pattern idle --wait adaptive --json" + times)) {
            assertThat(run.awaitEnd()).as(run.transcript()).isZero();
            Map<?, ?> json = (Map<?, ?>) Json.parse(run.out().getLast());
            String remark = ((List<?>) json.get("remarks")).getFirst().toString();
            assertThat(remark).contains("perf-client-0 ").contains("perf-server-0 ");
            assertThat(remark).doesNotContain("perf-commands"); // of the rig itself
            Matcher wakes = Pattern.compile("(perf-|zbmi-)\\S+ ([0-9]+[.][0-9]+)").matcher(remark);
            while (wakes.find()) {
                assertThat(Double.parseDouble(wakes.group(2)))
                        .as(remark)
                        .isLessThanOrEqualTo(mostASecond);
            }
        }
        assertNothingIsLeft();
    }

    @Test
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "PerfTableTest measures two clients")
    void manyInstancesOfOneProcessAreFairlyServed() throws Exception {
        Map<String, Object> json =
                measure("tcp --pattern rpc --wait block --clients 2 --instances 20 --no-calls");
        assertThat(json).containsEntry("connections", 40L).containsKey("serverHeapBytes");
        assertThat(number(json, "slowestToMedian")).isBetween(0.0, 1.0);
        assertThat(number(json, "clientThreads")).isGreaterThanOrEqualTo(40);
        assertNothingIsLeft();
    }

    @Test
    void aServerByHandIsMeasuredAgainAndAgain() throws Exception {
        try (ProgramRun server = start("--listen tcp://127.0.0.1:0")) {
            String begin = "Answering on ";
            String said = server.awaitLine(line -> line.startsWith(begin));
            String address = said.substring(begin.length(), said.indexOf(';'));
            measure(address + " --pattern rpc --verify --no-calls");
            assertThat(measure(address + " --pattern call --clients 2 --no-calls"))
                    .containsKey("clientHeapBytes")
                    .doesNotContainKey("serverHeapBytes"); // nobody knows it
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
    void aPlotThatCannotBeWrittenLosesNoFigures() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/full")), "there is no file that takes nothing");
        String line = "loopback --pattern local --no-calls --json --plot /dev/full";
        try (ProgramRun run = start(line + TIMES)) {
            assertThat(run.awaitEnd()).as(run.transcript()).isEqualTo(1);
            assertThat(run.out()).singleElement().asString().contains("\"p50Us\":");
            assertThat(run.err().getLast()).contains("No space left");
        }
    }

    @Test
    void whatCannotBeMeasuredIsSaid() throws Exception {
        try (ProgramRun run =
                start("tcp --bytes 8m --knob tcp.poolBytes=4m --seconds 0.2 --no-calls")) {
            assertThat(run.awaitEnd()).isEqualTo(1);
            assertThat(run.err())
                    .anyMatch(
                            line ->
                                    line.startsWith(
                                            "bmi perf: The client failed: The server cannot"));
        }
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "the same sentence as without a baseline")
    @ValueSource(strings = "loopback --versus raw-tcp")
    void aRateThatIsOutOfReachIsNamedBesideABaseline(String target) throws Exception {
        aRateThatIsOutOfReachIsNamed(target);
    }

    @ParameterizedTest
    @ValueSource(strings = "loopback")
    void aRateThatIsOutOfReachIsNamed(String target) throws Exception {
        try (ProgramRun run =
                start(target + " --pattern rate --rate 1e9 --wait block --no-calls" + TIMES)) {
            assertThat(run.awaitEnd()).isEqualTo(1);
            assertThat(run.err().getLast())
                    .contains(" failed: Only ")
                    .endsWith(" requests were sent in time: lower --rate.");
        }
    }

    /** It says nothing about its compilers, and may have none. */
    @Test
    void aProgramIsNotSaidToCompile() throws Exception {
        Path peer = directory.resolve("peer.svg"); // a name that may be left
        Files.writeString(peer, "#!/bin/sh\nexec " + CommandPeer.line() + "\n");
        assertThat(peer.toFile().setExecutable(true)).isTrue();
        Map<String, Object> json =
                measure("loopback --wait block --no-calls --versus-command " + peer);
        assertThat((List<?>) json.get("remarks"))
                .noneMatch(remark -> remark.toString().contains("peer.svg"));
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
