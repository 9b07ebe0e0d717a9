package org.jbmi.zbmi.daemon.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class RelayOperationsTest {
    private static final int PLACES = 1 << 12;
    private static final int CHOSEN = 500;

    private static RelayOperations table() {
        return new RelayOperations(
                1 << 14,
                () -> {
                    throw new AssertionError("nothing is begun here");
                });
    }

    @Test
    void referencesThatMeetInOneTableDoNotMeetInAnother() {
        RelayOperations known = table();
        RelayOperations other = table();
        int[] at = new int[PLACES];
        int found = 0;
        int most = 0;
        for (long reference = 1; found < CHOSEN; reference++) {
            if (known.place(reference, PLACES) == 0) {
                most = Math.max(most, ++at[other.place(reference, PLACES)]);
                found++;
            }
        }
        assertThat(most).as("of %d at one place", CHOSEN).isLessThan(10);
    }
}
