package org.jbmi.zoidfs.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which ends of messages a wait sees; all times are in milliseconds. */
class TrafficTest {
    private static final long NS_PER_MS = 1_000_000;
    private static final long TIMEOUT_MS = 1_600;
    private static final long BEGIN_MS = -5_000;

    private long nowMs = BEGIN_MS;
    private final Traffic traffic = new Traffic(TIMEOUT_MS, () -> nowMs * NS_PER_MS);

    private void end(long postMs) {
        traffic.end(postMs * NS_PER_MS);
    }

    private boolean hasEnd(long sinceMs, long latestPostMs) {
        return traffic.hasEnd(sinceMs * NS_PER_MS, latestPostMs * NS_PER_MS);
    }

    @Test
    void onlyMessagesThatWerePostedEarlyEnoughCount() {
        nowMs = 10_000;
        assertThat(hasEnd(BEGIN_MS, 10_000)).isFalse();
        end(9_000);
        assertThat(hasEnd(BEGIN_MS, 8_999)).isFalse();
        assertThat(hasEnd(BEGIN_MS, 9_000)).isTrue();
    }

    @Test
    void noNumberOfLaterMessagesHidesAnEarlierOne() {
        end(BEGIN_MS);
        for (nowMs++; nowMs <= BEGIN_MS + 2 * TIMEOUT_MS; nowMs++) {
            end(nowMs);
            end(nowMs);
            assertThat(hasEnd(BEGIN_MS, BEGIN_MS)).isTrue();
        }
    }

    @Test
    void anEndBeforeTheAskedTimeDoesNotCount() {
        nowMs = 0;
        end(BEGIN_MS);
        assertThat(hasEnd(0, BEGIN_MS)).isTrue();
        assertThat(hasEnd(TIMEOUT_MS / 16, BEGIN_MS)).isFalse();
    }

    @Test
    void thePlaceOfAnOldEndIsUsedAgain() {
        end(BEGIN_MS);
        nowMs = BEGIN_MS + 3 * TIMEOUT_MS;
        end(nowMs);
        assertThat(hasEnd(nowMs - 2 * TIMEOUT_MS, nowMs - 1)).isFalse();
        assertThat(hasEnd(nowMs - 2 * TIMEOUT_MS, nowMs)).isTrue();
    }
}
