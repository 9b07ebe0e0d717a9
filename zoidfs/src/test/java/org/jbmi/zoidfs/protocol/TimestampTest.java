package org.jbmi.zoidfs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Instant;

/** A server may send any numbers. */
class TimestampTest {
    private static final long FIRST = Instant.MIN.getEpochSecond();
    private static final long LAST = Instant.MAX.getEpochSecond();

    private static Instant of(long seconds, int nanos) {
        return new Timestamp(seconds, nanos).toInstant();
    }

    @Test
    void nanosMayBeMoreThanASecond() {
        assertThat(of(7, -1)).isEqualTo(Instant.ofEpochSecond(7, -1));
        assertThat(of(7, Integer.MAX_VALUE)).isEqualTo(Instant.ofEpochSecond(7, Integer.MAX_VALUE));
        assertThat(of(FIRST - 2, Integer.MAX_VALUE)).isAfter(Instant.MIN);
        assertThat(of(LAST + 1, -1)).isEqualTo(Instant.MAX);
    }

    @Test
    void whatLiesOutsideBecomesTheEnd() {
        assertThat(of(FIRST, 0)).isEqualTo(Instant.MIN);
        assertThat(of(FIRST, -1)).isEqualTo(Instant.MIN);
        assertThat(of(Long.MIN_VALUE, Integer.MIN_VALUE)).isEqualTo(Instant.MIN);
        assertThat(of(LAST - 1, Integer.MAX_VALUE)).isEqualTo(Instant.MAX);
        assertThat(of(Long.MAX_VALUE, Integer.MAX_VALUE)).isEqualTo(Instant.MAX);
    }
}
