package org.jbmi.rig.perf.table;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

/** Which rows a table has. Nothing is measured: each run fails before it starts. */
@Timeout(30)
class RowsOfTablesTest {
    private final List<String> lines = new ArrayList<>();

    private final TableRuns runs =
            new TableRuns(
                    new TableRuns.Output(
                            lines::add,
                            notice -> {},
                            measurement -> {
                                throw new IllegalStateException("played");
                            }),
                    TableRuns.Bounds.none());

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "zoid", "loopback"})
    void theTargetsOfAMethodAreAllOfItAndNoneOfAnother(String method) throws Exception {
        new PerfTable(runs).print(method);
        List<String> rows = lines.subList(2, lines.size() - 1);
        assertThat(rows).isNotEmpty().allMatch(row -> row.startsWith("| " + method + " |"));
        assertThat(rows.stream().filter(row -> row.contains("idle waiter")).count())
                .isEqualTo(method.equals("loopback") ? 0 : 1);
    }

    @Test
    void whatWasNotMeasuredHasReachedNoTarget() throws Exception {
        new PerfTable(runs).print("");
        assertThat(lines.subList(2, lines.size()))
                .allMatch(row -> row.contains("| could not be measured |"))
                .anyMatch(row -> row.startsWith("| all | allocation"));
    }

    @Test
    void aRatioThatNoRoundHasIsADash() {
        String line = "{\"table\":\"bytes\",\"row\":\"r\",\"count\":1,\"versus\":[%s]}";
        assertThat(KeptRow.parse(line.formatted("{\"name\":\"raw-tcp\"}")).ratio())
                .isEqualTo("- x raw-tcp");
    }
}
