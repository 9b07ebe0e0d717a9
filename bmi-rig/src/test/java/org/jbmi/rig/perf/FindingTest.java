package org.jbmi.rig.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.HdrHistogram.Histogram;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.rig.perf.phase.WorkerPlan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

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
        assertThat(Distance.of(trip(before), trip(after))).isEqualTo(distance);
        assertThat(Distance.of(trip(after), trip(before))).isEqualTo(distance);
    }

    private static Trip trip(double us) {
        return new Trip(us, us);
    }

    /** Batches of 50 round trips: how many are near, the others are far. */
    @ParameterizedTest
    @CsvSource({"40, NEAR", "30, NEAR", "29, MIXED", "11, MIXED", "10, FAR", "0, FAR"})
    void aQuarterOfTheBatchesMayHavePauses(int near, Distance distance) {
        long[] batches = new long[40];
        Arrays.fill(batches, 50 * 500);
        Arrays.fill(batches, 0, near, 50 * 119);
        Trip trip = Trip.of(batches, 50);
        assertThat(Distance.of(trip, trip)).isEqualTo(distance);
    }

    @Test
    void aRoundWhoseProcessorsWereTakenAwayIsMixed() {
        PhaseResult result = PhaseResult.empty();
        assertThat(new Round(result, trip(0.1), trip(0.1), 2).distance()).isEqualTo(Distance.NEAR);
        assertThat(new Round(result, trip(0.1), trip(0.1), 3).distance()).isEqualTo(Distance.MIXED);
        Map<Integer, Long> ticks =
                StolenTime.parse(
                        List.of(
                                "cpu  123 0 34 1822 6 0 2 11 0 0",
                                "cpu0 58 0 17 911 3 0 1 4 0 0",
                                "cpu1 65 0 17 911 3 0 1 7 0 0",
                                "intr 8 4 2"));
        assertThat(ticks).isEqualTo(Map.of(0, 4L, 1, 7L));
        StolenTime after = new StolenTime(ticks, 100_000_000);
        assertThat(after.percentSince(new StolenTime(Map.of(0, 4L, 1, 7L), 0))).isZero();
        assertThat(after.percentSince(new StolenTime(Map.of(0, 3L, 1, 6L), 0)))
                .as("perhaps a moment only")
                .isZero();
        assertThat(after.percentSince(new StolenTime(Map.of(0, 4L, 1, 5L), 0))).isEqualTo(10);
    }

    @Test
    void theMedianOfAnEvenNumberIsTheMeanOfTheTwoInTheMiddle() {
        assertThat(Findings.Spread.of(List.of(4.0, 1.0, 2.0, 3.0)).median()).isEqualTo(2.5);
        assertThat(Findings.Spread.of(List.of(4.0, 1.0, 2.0)).median()).isEqualTo(2);
        List<Round> two = List.of(round(1_000, 0.1, 0.1), round(1_000, 0.1, 0.1));
        PhaseResult flows =
                new PhaseResult(
                        PhaseResult.newHistogram(), 4, 1, PhaseResult.Costs.NONE, List.of(1L, 3L));
        Finding finding =
                new Finding(
                        "one",
                        "",
                        phase(Pattern.RPC, 64, 1),
                        flows,
                        two,
                        Map.of(),
                        new Finding.Threads(1, 1));
        assertThat(finding.fairness()).isEqualTo(0.5);
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
        return new Round(result, trip(beforeUs), trip(afterUs), 0);
    }

    private static Finding finding(Round... rounds) {
        List<Round> all = List.of(rounds);
        return finding(phase(Pattern.RPC, 64, 1), all);
    }

    private static Finding finding(Phase phase, List<Round> all) {
        Finding.Threads threads = new Finding.Threads(1, 1);
        return new Finding("one", "", phase, Round.sum(all), all, Map.of(), threads);
    }

    private static Phase phase(Pattern pattern, int bytes, int outstanding) {
        return new Phase(pattern, bytes, outstanding, 0, 0, 0, Phase.Options.NONE);
    }

    @Test
    void whereSeveralAreUnderWayTheRatesAreCompared() {
        List<Round> slow = List.of(round(4_000, 0.1, 0.1));
        List<Round> fast = List.of(round(1_000, 0.1, 0.1));
        Finding calls = finding(phase(Pattern.CALL, 64, 64), slow);
        Finding messages = finding(phase(Pattern.RPC, 64, 64), fast);

        assertThat(calls.comparesLatencies()).isFalse();
        assertThat(Findings.ratio(calls, messages, null).median()).isBetween(0.249, 0.251);
        assertThat(finding(phase(Pattern.RATE, 64, 64), slow).comparesLatencies()).isTrue();
    }

    @Test
    void ratesOfMessagesOfUnlikeSizesAreComparedByTheirBytes() {
        Phase pull = phase(Pattern.PULL, 16 << 20, 2);
        Phase stream = pull.beside(Pattern.STREAM);
        List<Round> slow = List.of(round(16_000, 0.1, 0.1));
        List<Round> fast = List.of(round(1_000, 0.1, 0.1));

        assertThat(stream.bytes()).isEqualTo(1 << 20);
        assertThat(stream.outstanding()).isEqualTo(8);
        assertThat(Findings.ratio(finding(pull, slow), finding(stream, fast), null).median())
                .isBetween(0.99, 1.01);
    }

    @Test
    void theSidesHaveProcessorsOfTheirOwnWhereTheyAreSplit() {
        List<Integer> cpus = List.of(3, 5);
        assertThat(CpuPlacement.SPLIT.of(cpus)).isEqualTo(new WorkerPlan.Cpus(3, 5));
        assertThat(CpuPlacement.SAME.of(cpus)).isEqualTo(new WorkerPlan.Cpus(3, 3));
        assertThat(CpuPlacement.FREE.of(cpus)).isEqualTo(WorkerPlan.Cpus.FREE);
    }

    @Test
    void theTableOfTheTracerIsRead() {
        List<String> table =
                List.of(
                        "% time     seconds  usecs/call     calls    errors syscall",
                        "------ ----------- ----------- --------- --------- ----------------",
                        "  1.00    0.000001           1         1           read",
                        " 99.00    0.000100           1        90         3 futex",
                        "------ ----------- ----------- --------- --------- ----------------",
                        "100.00    0.000101           1        91         3 total");
        assertThat(SystemCalls.parse(table).entrySet())
                .containsExactly(Map.entry("futex", 90L), Map.entry("read", 1L));
        assertThat(SystemCalls.parse(List.of())).isEmpty();
    }

    @Test
    void theMachinesOwnThreadsDoNotCount() {
        assertThat(SystemCalls.counts("C2 CompilerThre\n")).isFalse();
        assertThat(SystemCalls.counts("VM Periodic Tas\n")).isFalse();
        for (String name : List.of("perf-client-0", "perf-server-0", "zbmi-keeper", "java")) {
            assertThat(SystemCalls.counts(name + "\n")).as(name).isTrue();
        }
    }
}
