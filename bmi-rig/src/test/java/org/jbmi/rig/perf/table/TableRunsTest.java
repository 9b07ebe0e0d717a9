package org.jbmi.rig.perf.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.rig.perf.Measurement;
import org.jbmi.rig.perf.PerfPlan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A table that is ended while it is measured. */
@Timeout(60)
class TableRunsTest {
    private final List<String> lines = new ArrayList<>();

    @TempDir Path directory;

    private static void end(Measurement measurement) {
        try {
            measurement.close(); // as a signal does
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** It would hide the row of another run in the same file. */
    @Test
    void aRowThatASignalEndsIsNotKept() {
        Path file = directory.resolve("rows.json");
        TableRuns runs =
                new TableRuns(
                        new TableRuns.Output(lines::add, notice -> {}, TableRunsTest::end),
                        new TableRuns.Bounds(0, KeptRows.to(file), false));
        assertThatThrownBy(
                        () ->
                                new ClientsTable(runs, new PerfPlan.Times(1, 1, 1))
                                        .print("tcp", List.of(1)))
                .isInstanceOf(InterruptedIOException.class)
                .hasMessage("The measurement was ended.");
        assertThat(file).doesNotExist();
        assertThat(lines).as("the head").hasSize(2);
    }
}
