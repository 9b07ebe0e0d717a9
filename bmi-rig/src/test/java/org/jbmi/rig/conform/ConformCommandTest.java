package org.jbmi.rig.conform;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.json.Json;
import org.jbmi.tools.BmiMain;
import org.jbmi.tools.cli.CommandRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.Map;

@Timeout(90)
class ConformCommandTest {
    private static CommandRun conform(String... options) {
        return CommandRun.ofCommand(new BmiMain(), "conform", options);
    }

    @Test
    void printsATableByGroupAndWhyItSkipped() {
        CommandRun run = conform("loopback", "--case", "62,63,89,47");
        assertThat(run.status()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out().lines())
                .containsSequence(
                        "loopback, default",
                        "  group                passed  failed  skipped",
                        "  D options                 0       0        1",
                        "  F expected messages       2       0        0",
                        "  G lists                   1       0        0",
                        "  all                       3       0        1")
                .anyMatch(line -> line.startsWith("  skipped 47 ") && line.contains("[PORT]"));
    }

    @Test
    @SuppressWarnings("unchecked")
    void printsOneJsonObjectForAConfiguration() {
        CommandRun run = conform("loopback", "--config", "default", "--json", "--case=62,47");
        assertThat(run.status()).isZero();
        assertThat(run.out().lines()).hasSize(1);
        Map<String, Object> object = (Map<String, Object>) Json.parse(run.out().strip());
        assertThat(object)
                .containsOnlyKeys("method", "config", "passed", "failed", "skipped", "cases")
                .containsEntry("method", "loopback")
                .containsEntry("config", "default")
                .containsEntry("passed", 1L)
                .containsEntry("failed", 0L)
                .containsEntry("skipped", 1L);
        List<Map<String, Object>> cases = (List<Map<String, Object>>) object.get("cases");
        assertThat(cases).hasSize(2);
        assertThat(cases.get(0))
                .containsOnlyKeys("id", "name", "outcome", "reason")
                .containsEntry("id", "47")
                .containsEntry("outcome", "skipped");
        assertThat((String) cases.get(0).get("reason")).contains("PORT");
        assertThat(cases.get(1)).containsEntry("id", "62").containsEntry("outcome", "passed");
    }

    @Test
    void findsTheFixtureOfAThirdPartyAndReportsItsFailures() {
        CommandRun run = conform("wrong", "--json", "--case", "62");
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out())
                .startsWith("{\"method\":\"wrong\",\"config\":\"quite\",\"passed\":0,\"failed\":1")
                .contains("\"outcome\":\"failed\"");
        assertThat(run.err()).startsWith("62 ").contains("FAILED");
    }

    @Test
    void refusesWhatIsNotThere() {
        refused(conform("nope"), "no fixture of a method \"nope\"", "loopback, tcp, wrong, zoid");
        refused(conform("loopback", "--config", "fast"), "no configuration \"fast\"", "default");
        refused(conform("loopback", "--case", "61000"), "no case 61000", "");
        refused(conform(), "METHOD", "");
    }

    private static void refused(CommandRun run, String what, String instead) {
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains(what).contains(instead).contains("Usage: bmi conform");
    }
}
