package org.jbmi.rig.zoidfs;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.tools.ZoidfsMain;
import org.jbmi.tools.cli.CommandRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import java.util.List;

/** Measurements of zoidfs, as a user runs them. */
class ZoidfsPerfTest {
    private static CommandRun run(String... args) {
        return CommandRun.of(new ZoidfsMain(), args);
    }

    @Test
    void wrongArgumentsAreToldInASentence() {
        assertIsWrong("--row: there is no measure", "perf", "--row", "no such row", "--mib", "16");
        assertIsWrong("--seconds is 1", "perf", "--seconds", "0");
        assertIsWrong("tcp or zoid, not pigeon", "perf", "--method", "pigeon");
        assertIsWrong("--rounds goes from 1", "perf", "--rounds", "0");
    }

    private static void assertIsWrong(String text, String... args) {
        CommandRun run = run(args);
        assertThat(run.err()).contains(text);
        assertThat(run.status()).isEqualTo(2);
    }

    @Test
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "10 processes")
    void aMeasurementPrintsARowForEachComparison() {
        CommandRun run =
                run(
                        "perf",
                        "--method",
                        "tcp",
                        "--row",
                        "8 clients",
                        "--seconds",
                        "1",
                        "--rounds",
                        "1",
                        "--warm-up",
                        "0",
                        "--mib",
                        "16");
        assertThat(run.err()).contains("get_attr, 8 clients, load");
        assertThat(run.status()).isZero();
        List<String> lines = run.out().lines().toList();
        assertThat(lines).hasSize(4);
        assertThat(lines.get(2)).startsWith("| tcp | 4 KiB random reads").contains(" /s |");
        assertThat(lines.get(3)).startsWith("| tcp | get_attr").contains(">= 0.60 x BMI RPC");
    }
}
