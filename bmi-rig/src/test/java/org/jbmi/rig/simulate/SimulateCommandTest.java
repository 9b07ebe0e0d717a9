package org.jbmi.rig.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.simulator.Simulation;
import org.jbmi.simulator.coverage.Coverage;
import org.jbmi.simulator.process.Violation;
import org.jbmi.testsuite.json.Json;
import org.jbmi.tools.BmiMain;
import org.jbmi.tools.cli.CommandRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;

@Timeout(90)
class SimulateCommandTest {
    private static CommandRun simulate(String... options) {
        return CommandRun.ofCommand(new BmiMain(), "simulate", options);
    }

    @Test
    void aSeedThatNobodyGaveIsSaidFirst() {
        CommandRun run = simulate("--steps", "2000", "--json");
        String seed = run.err().strip().replace("seed ", "");
        assertThat(run.out()).contains("\"seed\":" + seed + ",");
    }

    @Test
    void printsWhatWasDoneAndWhichFaultMetWhichState() {
        CommandRun run = simulate("--seed", "5", "--steps", "20000");
        assertThat(run.status()).as(run.out()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).startsWith("seed 5: ").contains(" steps a minute\n");
        assertThat(run.out().lines())
                .anyMatch(line -> line.contains("client crashes") && line.contains("garbage"))
                .anyMatch(line -> line.startsWith("quarantine "));
    }

    @Test
    void fillsTheHeapOnDemand() {
        CommandRun run = simulate("--seed", "5", "--steps", "20000", "--full-heap");
        assertThat(run.status()).as(run.out()).isZero();
        String head =
                run.out().lines().filter(line -> line.contains("heap full")).findFirst().orElse("");
        String idle =
                run.out().lines().filter(line -> line.startsWith("idle ")).findFirst().orElse("");
        assertThat(head).endsWith("heap full");
        assertThat(idle.substring(idle.lastIndexOf(' ') + 1)).isNotEqualTo("0");
    }

    @Test
    @SuppressWarnings("unchecked")
    void printsOneJsonObject() {
        CommandRun run = simulate("--seed=5", "--steps=20000", "--json");
        assertThat(run.status()).as(run.out()).isZero();
        assertThat(run.out().lines()).hasSize(1);
        Map<String, Object> object = (Map<String, Object>) Json.parse(run.out().strip());
        assertThat(object)
                .containsEntry("seed", 5L)
                .containsEntry("violation", null)
                .containsEntry("history", List.of());
        assertThat((long) object.get("steps")).isGreaterThanOrEqualTo(20_000);
        assertThat((long) object.get("succeeded")).isPositive();
    }

    @Test
    void refusesWhatMakesNoSense() {
        for (String wrong : List.of("--steps=0", "--steps=-1", "--steps=x", "--seed=x", "--no")) {
            CommandRun run = simulate(wrong);
            assertThat(run.status()).as(wrong).isEqualTo(2);
            assertThat(run.err().lines().findFirst().orElse("")).startsWith("bmi simulate: ");
            assertThat(run.out()).isEmpty();
        }
    }

    @Test
    void printsTheSeedAndTheHistoryOfAFailure() {
        Simulation.Report report =
                new Simulation.Report(
                        7,
                        1234,
                        2,
                        0.5,
                        10,
                        11,
                        12,
                        13,
                        new Coverage(),
                        new Simulation.Failure(
                                "nothing holds",
                                99,
                                300,
                                2,
                                List.of("first this", "then that"),
                                new Violation("nothing holds")));
        StringWriter text = new StringWriter();
        assertThat(SimulateCommand.show(new PrintWriter(text), report, false)).isEqualTo(1);
        assertThat(text.toString())
                .startsWith("seed 7: 1234 steps in 2 worlds")
                .endsWith(
                        """
                        first this
                        then that

                        FAILED: nothing holds
                        seed 7, world 99; 300 scheduled steps, 2 in the shortest history found \
                        (above)
                        """);
        StringWriter json = new StringWriter();
        assertThat(SimulateCommand.show(new PrintWriter(json), report, true)).isEqualTo(1);
        assertThat(json.toString())
                .contains("\"seed\":7", "\"violation\":\"nothing holds\"")
                .contains("\"history\":[\"first this\",\"then that\"]");
    }
}
