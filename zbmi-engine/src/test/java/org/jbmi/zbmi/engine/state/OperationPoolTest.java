package org.jbmi.zbmi.engine.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zbmi.engine.port.EagerPlaces;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.junit.jupiter.api.Test;

/** What one peer has does not keep another from what it may have. */
class OperationPoolTest {
    private static final int MOST_CLIENTS = 1000;
    private static final long MOST_OF_A_CLIENT = 1 << 20;
    private static final long MOST_OF_THE_SERVER = 1 << 22;

    @Test
    void thereAreAsManyAsAllPeersTogetherMayHave() {
        int spare = MOST_CLIENTS * ClientRequests.MOST_KEPT;
        long most = MOST_CLIENTS * MOST_OF_A_CLIENT + MOST_OF_THE_SERVER;
        assertThat(new OperationPool(most, spare).most).isEqualTo((int) most);
    }

    @Test
    void limitsThatAllowMoreThanThereAreIdsAreAnError() {
        assertThatThrownBy(
                        () ->
                                new EngineLimits(
                                        1 << 20,
                                        1 << 20,
                                        1,
                                        1,
                                        1,
                                        0,
                                        0,
                                        new EagerPlaces(0, 64, 64),
                                        1,
                                        0,
                                        1,
                                        0,
                                        1,
                                        0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("more operations than there are ids");
    }

    @Test
    void fewerThanAreWantedAreAnError() {
        assertThatThrownBy(() -> new OperationPool(1 << 30, 1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
