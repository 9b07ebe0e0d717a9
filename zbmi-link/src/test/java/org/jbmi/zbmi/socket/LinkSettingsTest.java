package org.jbmi.zbmi.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.mempool.ThreadParking;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.channels.spi.SelectorProvider;

@Timeout(30)
class LinkSettingsTest {
    private static LinkSettings settings(long stallNs, int bufferBytes) {
        return new LinkSettings(
                SelectorProvider.provider(), ThreadParking.INSTANCE, stallNs, bufferBytes);
    }

    @Test
    void theSmallestNumbersAreTaken() {
        assertThat(settings(1, 0).bufferBytes()).isZero();
    }

    @Test
    void whatMakesNoSenseIsRefusedInWords() {
        assertThatThrownBy(() -> settings(0, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("given 0 ns");
        assertThatThrownBy(() -> settings(Long.MIN_VALUE, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> settings(1, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1 bytes");
    }
}
