package org.jbmi.rig.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Map;

/** What the knobs say together. */
@Timeout(30)
class KnobsTest {
    @Test
    void aCommandChannelMeansTheEngineOfTheDaemon() {
        assertThat(Knobs.zoidHost(Map.of())).isEqualTo("auto");
        assertThat(Knobs.zoidHost(Map.of("zoid.host", "embedded"))).isEqualTo("embedded");
        assertThat(Knobs.zoidHost(Map.of("zoid.commandChannel", "ring"))).isEqualTo("daemon");
    }
}
