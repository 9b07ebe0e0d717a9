package org.jbmi.tools.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.config.Configuration;
import org.jbmi.zbmi.host.place.HostKnobs;
import org.jbmi.zbmi.host.place.HostLayout;
import org.junit.jupiter.api.Test;

import java.util.Map;

/** The spin time of a host is in nanoseconds. */
class SpinKnobsTest {
    private static long spinNs(Map<String, String> knobs) {
        Configuration resolved =
                Configuration.resolve(HostKnobs.all(), knobs, name -> null, name -> null);
        return HostLayout.of(resolved).spinNs();
    }

    @Test
    void isInNanoseconds() {
        assertThat(spinNs(Map.of())).isEqualTo(10_000);
        assertThat(spinNs(Map.of("zbmi.spinNs", "0"))).isZero();
        assertThat(spinNs(Map.of("zbmi.spinNs", "1500"))).isEqualTo(1_500);
    }

    @Test
    void aTimeOutOfBoundsIsRefused() {
        assertThatThrownBy(() -> spinNs(Map.of("zbmi.spinNs", "-1")))
                .isInstanceOf(BmiException.class)
                .hasMessageContaining("zbmi.spinNs");
    }
}
