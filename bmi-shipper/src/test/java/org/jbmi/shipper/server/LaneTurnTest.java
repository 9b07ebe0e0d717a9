package org.jbmi.shipper.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.shipper.wire.Tags;
import org.jbmi.spi.NumberTable;
import org.junit.jupiter.api.Test;

class LaneTurnTest {
    private final LaneTurn turn = new LaneTurn();
    private final NumberTable<Boolean> one = new NumberTable<>();
    private final NumberTable<Boolean> other = new NumberTable<>();

    @Test
    void aLaneComesAgainAfterAllOthersHadTheirTurn() {
        for (int lane = 1; lane <= Tags.MAX_LANE; lane++) {
            assertThat(turn.next(one)).isEqualTo(lane);
        }
        one.put(1, true);
        assertThat(turn.next(one)).isEqualTo(2);
    }

    @Test
    void peersShareTheTurnAndNotTheLanes() {
        one.put(1, true);
        assertThat(turn.next(one)).isEqualTo(2);
        assertThat(turn.next(other)).isEqualTo(3);
        other.put(4, true);
        assertThat(turn.next(one)).isEqualTo(4);
        other.put(5, true);
        assertThat(turn.next(other)).isEqualTo(6);
    }

    @Test
    void aPeerThatUsesAllLanesGetsNone() {
        for (int lane = 1; lane <= Tags.MAX_LANE; lane++) {
            one.put(lane, true);
        }
        assertThat(turn.next(one)).isZero();
        assertThat(turn.next(other)).isEqualTo(1);
        one.remove(9);
        assertThat(turn.next(one)).isEqualTo(9);
    }
}
