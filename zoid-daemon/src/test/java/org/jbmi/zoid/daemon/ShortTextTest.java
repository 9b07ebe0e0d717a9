package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A text that is cut can still be sent. */
class ShortTextTest {
    private static final String PAIR = "\uD83D\uDE00";

    @Test
    void aTextIsCutBetweenTwoCharacters() {
        String most = "x".repeat(400);
        assertThat(Forwarding.shortened(most)).isEqualTo(most);
        assertThat(Forwarding.shortened(most + "y")).isEqualTo(most);
        String fits = "x".repeat(398) + PAIR;
        assertThat(Forwarding.shortened(fits)).isEqualTo(fits);
        assertThat(Forwarding.shortened(fits + "y")).isEqualTo(fits);
        assertThat(Forwarding.shortened("x".repeat(399) + PAIR)).isEqualTo("x".repeat(399));
        assertThat(Forwarding.shortened(PAIR.substring(0, 1) + "x")).isEqualTo("?x");
    }
}
