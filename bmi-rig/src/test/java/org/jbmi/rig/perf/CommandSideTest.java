package org.jbmi.rig.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.rig.perf.phase.WaitMode;
import org.jbmi.tools.cli.ToolException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The protocol of lines, with a program that keeps to it and some that do not. */
@Timeout(60)
class CommandSideTest {
    private static final PerfPlan PLAN =
            new PerfPlan(
                    "tcp",
                    new Phase(Pattern.RPC, 64, 1, 0, 0, 0, Phase.Options.NONE),
                    List.of(64),
                    PerfPlan.Clients.ONE,
                    1,
                    WaitMode.SPIN,
                    CpuPlacement.SPLIT,
                    new PerfPlan.Times(1, 50, 0),
                    new PerfPlan.Peers(List.of(), List.of()),
                    Map.of(),
                    "auto",
                    false,
                    null);
    private static final Phase PHASE = PLAN.phase().lasting(50);

    private static CommandSide open(String line) throws Exception {
        CommandSide side = new CommandSide(PLAN, line, List.of(0, 1));
        boolean opened = false;
        try {
            side.open();
            opened = true;
        } finally {
            if (!opened) {
                side.close();
            }
        }
        return side;
    }

    @Test
    void aProgramIsMeasuredAgainAndAgain() throws Exception {
        try (CommandSide side = open(CommandPeer.line())) {
            assertThat(side.setup()).isEqualTo("two threads and two queues");
            for (int i = 0; i < 2; i++) {
                PhaseResult result = side.run(PHASE);
                assertThat(result.exchanges()).isPositive();
                assertThat(result.elapsedNs()).isGreaterThanOrEqualTo(50_000_000);
                assertThat(result.latencies().getTotalCount()).isBetween(1L, 100L);
            }
        }
    }

    @Test
    void aMeanServesWhereThereAreNoLatencies() throws Exception {
        String line = "echo ready; while read l; do echo result exchanges=10 elapsedNs=20000; done";
        try (CommandSide side = open(line)) {
            PhaseResult result = side.run(PHASE);
            assertThat(result.latencies().getTotalCount()).isEqualTo(10);
            assertThat(result.latencies().getMaxValue()).isBetween(1_999L, 2_001L);
            assertThat(side.setup()).isEqualTo("it does not say");
        }
    }

    @Test
    void itIsToldWhatToDo() throws Exception {
        String line = "echo ready; read l; echo \"failed $l\"";
        try (CommandSide side = open(line)) {
            assertThatThrownBy(() -> side.run(PHASE))
                    .hasMessageContaining(
                            "run pattern=rpc bytes=64 outstanding=1 rate=0.0 millis=50 touch=0"
                                    + " unexpected=0 wait=spin client-cpu=0 server-cpu=1");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "echo good day                           | it said \"good day\" where it says"
                        + " ready.",
                "true                                    | It ended.",
                "echo failed It is not there.            | It is not there.",
                "echo ready; read l; echo result a=b     | where a result comes.",
                "echo ready; read l; echo result exchanges=0 elapsedNs=1 | where a result comes.",
                "echo ready; read l; echo latency soon   | where a result comes.",
                "echo ready; read l; echo latency        | where a result comes.",
                "echo ready; read l; echo latency 100 -5 | where a result comes.",
                "echo ready; read l; echo latency -1     | where a result comes.",
                "echo ready; read l; echo latency 100 0  | where a result comes.",
                "echo ready; read l; echo latency 7000 3; echo result exchanges=2 elapsedNs=9000"
                        + " | where a result comes.",
                "echo ready; read l; echo result exchanges=1001 elapsedNs=1000 | where a result"
                        + " comes.",
                "echo ready; read l; echo failed No rpc. | No rpc.",
                "echo ready; read l                      | It ended.",
            })
    void whoDoesNotKeepToItIsNamed(String line, String sentence) {
        assertThatThrownBy(
                        () -> {
                            try (CommandSide side = open(line)) {
                                side.run(PHASE);
                            }
                        })
                .isInstanceOf(ToolException.class)
                .hasMessageContaining("The command")
                .hasMessageContaining(sentence);
    }

    @Test
    void theReasonIsToldAfterTheEnd() throws Exception {
        try (CommandSide side = open("echo ready; echo '# soon'; echo failed No licence.")) {
            awaitEnd(side);
            assertThatThrownBy(() -> side.processes().getFirst().tell("run"))
                    .isInstanceOf(ToolException.class)
                    .hasMessageEndingWith("failed: No licence.");
        }
    }

    private static void awaitEnd(CommandSide side) throws Exception {
        long pid = side.processes().getFirst().pid();
        Optional<ProcessHandle> process = ProcessHandle.of(pid);
        if (process.isPresent()) {
            process.get().onExit().get();
        }
    }

    /** Two threads read what it writes. */
    @Test
    void itsErrorsAreToldWithItsEnd() {
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> open("echo why >&2; exit 3"))
                    .hasMessageEndingWith("It ended. It said: why");
        }
    }

    @Test
    void whatItHasStartedEndsAlsoIfItEndsFirst() throws Exception {
        String line = "sleep 1000 > /dev/null 2>&1 & echo ready $!; read l";
        ProcessHandle child;
        try (CommandSide side = open(line)) {
            child = ProcessHandle.of(Long.parseLong(side.setup())).orElseThrow();
            assertThatThrownBy(() -> side.run(PHASE)).hasMessageContaining("It ended.");
        }
        try {
            child.onExit().get(10, TimeUnit.SECONDS);
        } finally {
            child.destroyForcibly();
        }
    }

    /** Otherwise each turn would show the figures of the one before. */
    @Test
    void aSecondResultIsNotTakenForThatOfTheNextTurn() throws Exception {
        String line =
                "echo ready; while read l; do printf '%s\\n' '#' 'result exchanges=1 elapsedNs=9'"
                        + " '# more' 'result exchanges=2 elapsedNs=9'; done";
        try (CommandSide side = open(line)) {
            assertThatThrownBy(
                            () -> {
                                for (int i = 0; i < 100; i++) { // its line may come a moment later
                                    side.run(PHASE);
                                }
                            })
                    .isInstanceOf(ToolException.class)
                    .hasMessageContaining("it said \"result exchanges=")
                    .hasMessageContaining("out of turn.");
        }
    }

    @Test
    void whatItHasStartedEndsWithIt() throws Exception {
        Optional<ProcessHandle> child = Optional.empty();
        // A shell that waits for its child is given four seconds before it is killed.
        String last = Boolean.getBoolean("jbmi.long") ? "; wait" : "";
        try (CommandSide side = open("sleep 1000 & echo ready; cat > /dev/null" + last)) {
            while (child.isEmpty()) { // it is a shell at first, and becomes what it runs
                child =
                        side.pids().stream()
                                .flatMap(pid -> ProcessHandle.of(pid).stream())
                                .filter(each -> each.info().command().orElse("").endsWith("sleep"))
                                .findFirst();
            }
        }
        child.orElseThrow().onExit().get();
    }
}
