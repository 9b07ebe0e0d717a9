package org.jbmi.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.HdrHistogram.Histogram;
import org.jbmi.tools.perf.worker.PhaseResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

/** What is read of the machine, and what rounds are made into. */
@Timeout(60)
class FindingTest {
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
