package org.jbmi.mempool.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.TimeUnit;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class PlatformTest {

    @Test
    void aKnownPlatformHasNumbers() {
        assertThat(Platform.of("Linux", "amd64").unknown()).isNull();
        assertThat(Platform.of("Linux", "aarch64").unknown()).isNull();
        assertThat(Platform.of("Linux", "aarch64").futexCall()).isEqualTo(98);
    }

    @Test
    void anUnknownSystemOrProcessorIsNamed() {
        assertThat(Platform.of("Plan 9", "amd64").unknown()).contains("Plan 9");
        assertThat(Platform.of("Linux", "riscv64").unknown()).contains("riscv64");
    }

    @Test
    void whereNothingIsBoundEachCallSaysWhy() {
        Functions none = Functions.bind(Platform.of("Plan 9", "amd64"));

        assertThat(none.unavailable()).contains("Plan 9");
        assertThatThrownBy(() -> none.userId().invoke())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("Plan 9");
        assertThatThrownBy(() -> none.close().invoke(3))
                .isInstanceOf(UnsupportedOperationException.class);
    }
}
