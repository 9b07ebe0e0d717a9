package org.jbmi.rig.perf.phase;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a process has spent. */
@Timeout(30)
class MeterTest {
    private static final long SPENT_NS = 200_000_000;

    private static void spend(Meter meter) {
        long before = meter.ownNs();
        while (meter.ownNs() - before < SPENT_NS) {
            Thread.onSpinWait();
        }
    }

    @Test
    void workOfTheRigIsNoCost() {
        Meter meter = new Meter();
        meter.watchThisThread();
        Meter.Reading start = meter.read();
        spend(meter);
        Meter.Reading spent = meter.read().minus(start);
        assertThat(spent.threadNs()).isGreaterThanOrEqualTo(SPENT_NS);
        assertThat(spent.cpuNs()).isGreaterThanOrEqualTo(SPENT_NS / 2);

        long before = meter.ownNs();
        start = meter.read();
        spend(meter);
        assertThat(meter.leaveOut(before)).isGreaterThanOrEqualTo(before + SPENT_NS);
        assertThat(meter.read().minus(start).threadNs()).isLessThan(SPENT_NS / 2);
    }
}
