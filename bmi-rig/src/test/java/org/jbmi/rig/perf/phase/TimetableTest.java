package org.jbmi.rig.perf.phase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When requests of a fixed rate are due. */
@Timeout(30)
class TimetableTest {
    private static final long START_NS = Long.MAX_VALUE - 1;

    @ParameterizedTest
    @CsvSource({"5, 100, 1, 200", "10000, 100, 1000, 100", "30, 100, 3, 100"})
    void theRequestsLastAsLongAsTheRateSays(double rate, long millis, long count, long lastsMs) {
        Phase phase = new Phase(Pattern.RATE, 64, 1, 0, rate, millis, Phase.Options.NONE);
        Timetable times = new Timetable(phase, START_NS);
        long endNs = START_NS + lastsMs * 1_000_000;
        assertThat(times.count()).isEqualTo(count);
        assertThat(times.isOver(endNs - 1)).isFalse();
        assertThat(times.isOver(endNs)).isTrue();
        assertThat(times.dueNs(count)).isEqualTo(endNs);
        double intervalNs = 1e9 / rate;
        assertThat(times.dueNs(0) - START_NS).isBetween(0L, (long) intervalNs);
        assertThat(times.dueNs(count - 1) - endNs).isBetween((long) -intervalNs - 1, 0L);
    }

    @ParameterizedTest
    @CsvSource({"100, 5000", "10000, 10000", "100000, 30000"})
    void aRateThatIsOutOfReachIsNamed(long millis, long patienceMs) {
        Phase phase = new Phase(Pattern.RATE, 64, 1, 0, 1000, millis, Phase.Options.NONE);
        Timetable times = new Timetable(phase, START_NS);
        long lastNs = times.dueNs(7) + patienceMs * 1_000_000;
        times.check(7, lastNs);
        assertThatThrownBy(() -> times.check(7, lastNs + 1))
                .hasMessage("Only 7 of " + millis + " requests were sent in time: lower --rate.");
        times.check(millis, lastNs + 2 * millis * 1_000_000); // waits for its last replies
    }
}
