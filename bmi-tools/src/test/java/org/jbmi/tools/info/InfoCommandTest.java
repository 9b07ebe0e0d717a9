package org.jbmi.tools.info;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.json.Json;
import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.BmiMain;
import org.jbmi.tools.cli.CommandRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

@Timeout(60)
class InfoCommandTest {
    private static String info(String... options) {
        CommandRun run = CommandRun.ofCommand(new BmiMain(), "info", options);
        assertThat(run.status()).isZero();
        return run.out();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Map<String, Object>> entries(String json, String list) {
        Map<String, Object> object = (Map<String, Object>) Json.parse(json.strip());
        assertThat(object).containsOnlyKeys("methods", "zoid", "knobs");
        Map<String, Map<String, Object>> entries = new HashMap<>();
        for (Object entry : (List<Object>) object.get(list)) {
            Map<String, Object> fields = (Map<String, Object>) entry;
            assertThat(entries.put((String) fields.get("name"), fields)).isNull();
        }
        return entries;
    }

    @Test
    void jsonHasEveryMethodWithItsLimits() {
        Map<String, Map<String, Object>> methods = entries(info("--json"), "methods");
        assertThat(methods).containsOnlyKeys("loopback", "tcp", "zoid");
        assertThat(methods.get("loopback"))
                .containsEntry("available", true)
                .containsEntry("reason", null)
                .containsEntry("maxExpectedBytes", 134217728L)
                .containsEntry("maxUnexpectedBytes", 8192L)
                .containsKeys("eagerBytes", "maxListCount");
        assertThat(methods.get("tcp"))
                .containsEntry("maxExpectedBytes", 16777216L)
                .containsEntry("maxUnexpectedBytes", 16384L);
        assertThat(methods.get("zoid")).containsEntry("maxExpectedBytes", 134217728L);
    }

    @Test
    void jsonHasTheKnobsOfCoreMethodsAndDaemon() {
        Map<String, Map<String, Object>> knobs = entries(info("--json"), "knobs");
        assertThat(knobs)
                .containsKeys(
                        "bmi.maxContexts",
                        "loopback.poolBytes",
                        "zoid.runtimeDirectory",
                        "zoid.eagerBytes",
                        "zbmi.totalBytes");
        assertThat(knobs.get("bmi.maxContexts"))
                .containsEntry("type", "number")
                .containsEntry("unit", "contexts")
                .containsEntry("value", 16L)
                .containsEntry("source", "default")
                .containsEntry("default", "16")
                .containsEntry("property", "jbmi.bmi.maxContexts")
                .containsEntry("environment", "JBMI_BMI_MAX_CONTEXTS");
        assertThat(knobs.values())
                .allSatisfy(knob -> assertThat((String) knob.get("help")).endsWith("."));
    }

    @Test
    void textNamesMethodsAndKnobs() {
        assertThat(info())
                .contains("  loopback ")
                .contains("  zoid ")
                .contains("  zbmi.totalBytes = 536870912 bytes  (default)\n")
                .contains("    jbmi.zbmi.totalBytes  JBMI_ZBMI_TOTAL_BYTES\n");
    }

    @Test
    void saysWhereAValueCameFromAndWhyAMethodCannotBeUsed() throws Exception {
        try (ProgramRun run =
                ProgramRun.start(
                        List.of("env", "JBMI_BMI_SPIN_NS=0"),
                        BmiMain.class,
                        List.of("-Djbmi.zoid.eagerBytes=512", "-Dos.arch=pdp11"),
                        "info",
                        "--json")) {
            assertThat(run.awaitEnd()).as(run.transcript()).isZero();
            assertThat(run.out()).hasSize(1);
            String json = run.out().getFirst();
            assertThat(entries(json, "knobs").get("bmi.spinNs"))
                    .containsEntry("value", 0L)
                    .containsEntry("source", "environment");
            assertThat(entries(json, "knobs").get("zoid.eagerBytes"))
                    .containsEntry("value", 512L)
                    .containsEntry("source", "property");
            Map<String, Object> zoid = entries(json, "methods").get("zoid");
            assertThat(zoid).containsEntry("available", false);
            assertThat((String) zoid.get("reason")).contains("pdp11");
        }
    }
}
