package org.jbmi.rig.perf.worker;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.Timetable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a client of a rate sleeps. */
@Timeout(30)
class OpenLoopTest {
    private static final long NS_PER_MS = 1_000_000;

    // Else it takes the processor from the server for whose last replies it waits.
    @Test
    void nothingIsDueSoonBehindTheEnd() {
        Phase phase = new Phase(Pattern.RATE, 8, 1, 0, 1, 1000, Phase.Options.NONE);
        Timetable times = new Timetable(phase, 0);
        long dueNs = times.dueNs(0);
        long endNs = times.dueNs(1);
        assertThat(OpenLoop.isNothingDueSoon(times, 0, dueNs - 3 * NS_PER_MS)).isTrue();
        assertThat(OpenLoop.isNothingDueSoon(times, 0, dueNs - NS_PER_MS)).isFalse();
        assertThat(OpenLoop.isNothingDueSoon(times, 1, endNs - 3 * NS_PER_MS)).isTrue();
        assertThat(OpenLoop.isNothingDueSoon(times, 1, endNs - NS_PER_MS)).isFalse();
        assertThat(OpenLoop.isNothingDueSoon(times, 1, endNs)).isTrue();
    }
}
