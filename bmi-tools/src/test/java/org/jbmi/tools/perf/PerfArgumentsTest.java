package org.jbmi.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.HdrHistogram.Histogram;
import org.jbmi.tools.BmiMain;
import org.jbmi.tools.cli.Program;
import org.jbmi.tools.perf.worker.PhaseResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** What can be wrong before anything is started. */
@Timeout(60)
class PerfArgumentsTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String line) {
        return Program.of(new BmiMain())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(("perf " + line).strip().split("\\s+"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "                               | A target is needed",
                "tcp --bytes -1                 | is no number of bytes",
                "tcp --bytes 0                  | A message has 1 byte to 1 GiB here",
                "tcp --bytes 4k..64             | from the smaller size to the larger",
                "tcp --bytes ..                 | is no number of bytes",
                "tcp --pattern ping             | it is one of pingpong, rpc, stream, rate",
                "tcp --wait never               | it is one of spin, yield, adaptive, block",
                "tcp --cpus two                 | it is one of same, split, free",
                "pigeon                         | There is no method 'pigeon' here, only",
                "pigeon://x                     | There is no method 'pigeon' here, only",
                "tcp --listen tcp://127.0.0.1:1 | not both",
                "--listen tcp                   | is no address",
                "tcp --clients 0                | --clients goes from 1 to 1024",
                "tcp --threads 65               | --threads goes from 1 to 64",
                "tcp --pending -1               | --pending goes from 0",
                "tcp --outstanding 0            | --outstanding goes from 1",
                "tcp --seconds 0                | --seconds goes from more than 0",
                "tcp --seconds NaN              | --seconds goes from more than 0",
                "tcp --rounds 0                 | --rounds goes from 1 to 1000",
                "tcp --instances 0              | --instances goes from 1 to 4096",
                "tcp --warm-up -1               | --warm-up goes from 0",
                "tcp --rate 10                  | --rate is for --pattern rate",
                "tcp --pattern rate --rate 0    | --rate is more than 0",
                "tcp --pattern call --verify    | --verify is for messages, not for calls",
                "tcp --pattern pull --outstanding 257 | --outstanding goes from 1 to 256",
                "tcp --pattern push --versus raw-tcp  | Baselines know pingpong",
                "tcp --unexpected               | --unexpected is for --pattern stream",
                "tcp --pattern local            | --pattern local is for loopback",
                "tcp --pattern idle --wait spin | needs --wait adaptive or block",
                "tcp --through daemon           | are for zoid",
                "loopback --clients 2           | there is 1 client",
                "loopback --instances 2         | there is 1 client",
                "loopback://x                   | loopback does not leave its process",
                "tcp --versus pigeon            | There is no baseline",
                "tcp --versus raw-tcp --verify  | Baselines know",
                "tcp --versus raw-shm --bytes 1g | carries messages of up to",
                "tcp --versus few-pending       | few-pending needs --pending of more than 10",
                "tcp --clients 2 --versus raw-tcp | Baselines have one client",
                "tcp --instances 2 --versus-command x | Baselines have one client",
                "tcp --pattern idle --wait block --versus-command x | Baselines know",
                "tcp --knob no.such=1           | There is no knob 'no.such'",
                "tcp --plot /no/such/place.svg  | There is no directory for",
                "tcp --nonsense                 | Unknown option: '--nonsense'",
            })
    void aWrongCommandLineIsNamed(String line, String sentence) {
        assertThat(run(line == null ? "" : line)).isEqualTo(2);
        assertThat(err.toString()).contains(sentence).contains("Usage: bmi perf");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aSweepGoesUpByFours() {
        assertThat(ByteSizes.parse("64").all()).containsExactly(64);
        assertThat(ByteSizes.parse("1..4M").all())
                .startsWith(1, 4, 16)
                .endsWith(1 << 20, 4 << 20)
                .hasSize(12);
        assertThat(ByteSizes.parse("1k..5k").all()).containsExactly(1024, 4096, 5120);
        assertThat(ByteSizes.parse("8..8").all()).containsExactly(8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2..1", "0..1", "1...2", "x", "1..", "..1", "2g"})
    void noOtherSweepIsTaken(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> ByteSizes.parse(text));
    }

    @Test
    void processorsAreReadAsTheSystemWritesThem() {
        assertThat(CpuPlacement.parse("0")).containsExactly(0);
        assertThat(CpuPlacement.parse("0-2,7")).containsExactly(0, 1, 2, 7);
        List<Integer> cpus = List.of(3, 5);
        assertThat(CpuPlacement.SPLIT.server(cpus)).isEqualTo(5);
        assertThat(CpuPlacement.SAME.server(cpus)).isEqualTo(CpuPlacement.SPLIT.client(cpus));
        assertThat(CpuPlacement.FREE.client(cpus)).isNegative();
    }

    @ParameterizedTest
    @CsvSource({
        "0.10, 0.12, NEAR",
        "0.48, 0.55, FAR",
        "0.10, 0.50, MIXED",
        "0.25, 0.25, MIXED",
        "0, 0, MIXED",
    })
    void aRoundIsNearOrFarIfBothCalibrationsSaySo(double before, double after, Distance distance) {
        assertThat(Distance.of(before, after)).isEqualTo(distance);
        assertThat(Distance.of(after, before)).isEqualTo(distance);
    }

    @Test
    void ratiosAreOfTurnsInTheSameState() {
        Finding ours = finding(round(2_000, 0.1, 0.1), round(8_000, 0.5, 0.5));
        Finding theirs = finding(round(1_000, 0.1, 0.1), round(2_000, 0.1, 0.5));

        assertThat(Findings.ratio(ours, theirs, Distance.NEAR).median()).isBetween(1.99, 2.01);
        assertThat(Findings.ratio(ours, theirs, Distance.NEAR).count()).isEqualTo(1);
        assertThat(Findings.ratio(ours, theirs, Distance.FAR)).isNull();
        assertThat(Findings.ratio(ours, theirs, null).count()).isEqualTo(2);
        assertThat(ours.at(Distance.FAR).latencyUs(50)).isBetween(7.99, 8.01);
    }

    private static Round round(long latencyNs, double beforeUs, double afterUs) {
        Histogram latencies = PhaseResult.newHistogram();
        latencies.recordValue(latencyNs);
        PhaseResult result =
                new PhaseResult(latencies, 1, latencyNs, PhaseResult.Costs.NONE, List.of(1L));
        return new Round(result, beforeUs, afterUs);
    }

    private static Finding finding(Round... rounds) {
        List<Round> all = List.of(rounds);
        Finding.Threads threads = new Finding.Threads(1, 1);
        return new Finding("one", "", "rpc", 64, 2, Round.sum(all), all, -1, threads);
    }

    @Test
    void theTableOfTheTracerIsAddedUp() {
        List<String> table =
                List.of(
                        "% time     seconds  usecs/call     calls    errors syscall",
                        "------ ----------- ----------- --------- --------- ----------------",
                        " 99.00    0.000100           1        90         3 futex",
                        "------ ----------- ----------- --------- --------- ----------------",
                        "100.00    0.000101           1        91         3 total");
        assertThat(SystemCalls.parse(table)).isEqualTo(91);
        assertThat(SystemCalls.parse(List.of())).isZero();
    }
}
