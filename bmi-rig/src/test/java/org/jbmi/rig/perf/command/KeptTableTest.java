package org.jbmi.rig.perf.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.tools.BmiMain;
import org.jbmi.tools.cli.Program;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Tables and plots of rows that were measured at other times. */
@Timeout(60)
class KeptTableTest {
    private static final String CLIENTS =
            """
            {"table":"clients","row":"tcp RPC","count":1,"messagesPerSecond":10000,\
            "serverThreadNsPerMessage":4000,"serverCpuNsPerMessage":5000}
            {"table":"clients","row":"tcp RPC","count":16,"messagesPerSecond":20000,\
            "serverThreadNsPerMessage":99999,"slowestToMedian":0.9}

            {"table":"clients","row":"zoid direct RPC","count":16,"failed":"The server was tired."}
            {"table":"clients","row":"tcp RPC","count":16,"messagesPerSecond":30000,\
            "serverThreadNsPerMessage":6000,"slowestToMedian":0.0}
            """;
    private static final String PENDING =
            """
            {"table":"pending","row":"tcp","count":100,"p50Us":8.5,"testCallNs":300,"versus":\
            [{"name":"few-pending","p50Us":8.4,"testCallNs":200,"nearRatio":1.01,\
            "nearRatioMin":0.9,"nearRatioMax":1.2}]}
            {"table":"pending","row":"tcp","count":1000,"failed":"It ended."}
            {"table":"pending","row":"tcp of 1000 peers","count":100000,"p50Us":7.5,"versus":\
            [{"name":"few-pending","p50Us":7.25}]}
            """;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir Path directory;

    private int run(String rows, String line) throws IOException {
        Path kept = Files.writeString(directory.resolve("rows.json"), rows);
        return bmi("perf --kept " + kept + " " + line);
    }

    private int bmi(String line) {
        return Program.of(new BmiMain())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(line.split(" "));
    }

    private List<String> rows() {
        return out.toString().lines().skip(2).toList();
    }

    @Test
    void theLaterOfTwoRowsCountsAndOneThatFailedStays() throws Exception {
        Path plot = directory.resolve("plot.svg");
        assertThat(run(CLIENTS, "--by clients --plot " + plot)).as(err.toString()).isZero();
        assertThat(rows()).hasSize(3);
        assertThat(rows().get(0)).startsWith("| tcp RPC | 1 | 10000 | ");
        assertThat(rows().get(1))
                .startsWith("| tcp RPC | 16 | 30000 | 0, 0 | 0.00 | 6.00, 0.00 | 1.50 |");
        assertThat(rows().get(2)).isEqualTo("| zoid direct RPC | 16 | could not be measured |");
        assertThat(Files.readString(plot))
                .contains("<title>tcp RPC: 10.0</title>", "<title>tcp RPC: 30.0</title>")
                .contains("<title>tcp RPC: 4.0</title>", "<title>tcp RPC: 6.0</title>")
                .as("a client that got nothing is drawn at 0")
                .contains("<title>tcp RPC: 0</title>")
                .doesNotContain("zoid");
    }

    @Test
    void aTableHasTheRowsThatWereAskedFor() throws Exception {
        assertThat(run(CLIENTS, "tcp --by clients --counts 16")).as(err.toString()).isZero();
        assertThat(rows()).hasSize(1);
        assertThat(rows().getFirst()).startsWith("| tcp RPC | 16 | 30000 | ");
    }

    @Test
    void pendingReceivesAreComparedWithFew() throws Exception {
        Path plot = directory.resolve("plot.svg");
        assertThat(run(PENDING, "--by pending --plot " + plot)).as(err.toString()).isZero();
        assertThat(rows()).hasSize(3);
        assertThat(rows().get(0))
                .startsWith("| tcp | 1 | 100, 10 | 8.50, 8.40 | near 1.01 (0.90 to 1.20) x few");
        assertThat(rows().get(1)).isEqualTo("| tcp | 1 | 1000 | could not be measured |");
        assertThat(rows().get(2)).startsWith("| tcp | 1000 | 100000, 10000 | 7.50, 7.25 |");
        assertThat(Files.readString(plot))
                .contains("<title>tcp: 8.5</title>", "<title>tcp, 10 pending: 8.4</title>");
    }

    @Test
    void aFileWithoutSuchRowsIsNamed() throws Exception {
        assertThat(run(CLIENTS, "--by bytes")).isEqualTo(1);
        assertThat(err.toString()).contains("rows.json has no rows of --by bytes.");
        assertThat(out.toString()).isEmpty();
    }

    /** Its writer was killed, and others wrote after it. */
    @ParameterizedTest
    @ValueSource(strings = {"{", "{\"table\":\"clients\",\"row\":\"tcp R", "{\"table\":{}"})
    void aRowThatIsNotWholeIsLeftOut(String torn) throws Exception {
        assertThat(run(torn + "\n" + CLIENTS + torn, "--by clients")).as(err.toString()).isZero();
        assertThat(rows()).hasSize(3);
        assertThat(err.toString())
                .contains("rows.json: line 1 is no whole row; it is left out.")
                .contains("rows.json: line 7 is no whole row; it is left out.");
    }

    @Test
    void aFileOfOtherBytesIsNamed() throws Exception {
        Path kept = directory.resolve("bytes.json");
        Files.write(kept, new byte[] {'a', '\n', (byte) 0xff, (byte) 0xfe});
        assertThat(bmi("perf --by clients --kept " + kept)).isEqualTo(1);
        assertThat(err.toString()).contains("bytes.json: No JSON");
        Files.write(kept, new byte[] {(byte) 0xff, (byte) 0xfe});
        assertThat(bmi("perf --by clients --kept " + kept)).isEqualTo(1);
        assertThat(err.toString()).contains("bytes.json: Line 1 is not UTF-8.");
    }

    @Test
    void aLineThatIsNoRowIsNamed() throws Exception {
        assertThat(run("{\"table\":\"clients\"}", "--by clients")).isEqualTo(1);
        assertThat(err.toString()).contains("rows.json: This is no row of a table: {\"table\"");
        assertThat(run("tcp RPC", "--by clients")).isEqualTo(1);
        assertThat(err.toString()).contains("rows.json: No JSON");
    }
}
