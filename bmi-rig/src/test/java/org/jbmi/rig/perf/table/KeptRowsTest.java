package org.jbmi.rig.perf.table;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;

/** How rows come into a file. */
@Timeout(30)
class KeptRowsTest {
    @TempDir Path directory;

    /** Whoever wrote the last line was killed in its middle. */
    @Test
    void aRowBeginsALine() throws Exception {
        Path file = directory.resolve("rows.json");
        String row = KeptRow.line(new KeptRow.Key("clients", "tcp RPC", 1), "It ended.");
        KeptRows rows = KeptRows.to(file);
        rows.add(row);
        rows.add(row);
        assertThat(file).hasContent(row + "\n" + row + "\n");
        String torn = row.substring(0, row.length() / 2);
        Files.writeString(file, torn);
        rows.add(row);
        assertThat(Files.readString(file)).isEqualTo(torn + "\n" + row + "\n");
    }
}
