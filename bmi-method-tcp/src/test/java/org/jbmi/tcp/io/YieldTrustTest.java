package org.jbmi.tcp.io;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a lead yields before it sleeps. */
class YieldTrustTest {
    private static final long SHORT_NS = 5_000;
    private static final int MANY = 100_000;

    private final YieldTrust trust = new YieldTrust();

    @Test
    void aLeadGoesOnToYieldWhileThatPays() {
        for (int i = 0; i < MANY; i++) {
            assertThat(trust.mayYield()).isTrue();
            trust.ended(true, SHORT_NS);
        }
    }

    @Test
    void aYieldInVainNowAndThenChangesNothing() {
        for (int i = 0; i < MANY; i++) {
            assertThat(trust.mayYield()).isTrue();
            trust.ended(i % 2 == 1, SHORT_NS);
        }
    }

    @Test
    void aWaitSleepsAfterItsYieldsInVain() {
        assertThat(yieldsUntilSleep()).isEqualTo(YieldTrust.YIELDS);
        assertThat(yieldsUntilSleep()).isEqualTo(YieldTrust.YIELDS);
    }

    @Test
    void yieldsInVainGetRare() {
        int yields = 0;
        for (int i = 0; i < MANY; i++) {
            yields += yieldsUntilSleep();
        }
        assertThat(yields)
                .isBetween(
                        YieldTrust.YIELDS * MANY / YieldTrust.MOST_PAUSE,
                        2 * YieldTrust.YIELDS * MANY / YieldTrust.MOST_PAUSE);
    }

    @Test
    void theFirstSleepsAfterLostTrustYieldNoMore() {
        for (int i = 0; i < YieldTrust.TRUST / YieldTrust.COST; i++) {
            assertThat(yieldsUntilSleep()).isEqualTo(YieldTrust.YIELDS);
        }
        for (int i = 0; i < YieldTrust.LEAST_PAUSE; i++) {
            assertThat(trust.mayYield()).isFalse();
        }
        assertThat(trust.mayYield()).isTrue();
    }

    @Test
    void oneMessageTurnsYieldsOnAgain() {
        for (int i = 0; i < MANY; i++) {
            yieldsUntilSleep();
        }
        while (!trust.mayYield()) {
            // sleeps until the next try
        }
        trust.ended(true, SHORT_NS);
        aLeadGoesOnToYieldWhileThatPays();
    }

    /** The message that came during another program's time slice came in spite of the yield. */
    @Test
    void aYieldThatLetAnotherProgramRunDoesNotPay() {
        assertThat(trust.mayYield()).isTrue();
        trust.ended(true, YieldTrust.LONG_NS + 1);
        for (int i = 0; i < YieldTrust.LEAST_PAUSE; i++) {
            assertThat(trust.mayYield()).isFalse();
        }
        assertThat(trust.mayYield()).isTrue();
        trust.ended(true, YieldTrust.LONG_NS + 1);
        for (int i = 0; i < 2 * YieldTrust.LEAST_PAUSE; i++) {
            assertThat(trust.mayYield()).isFalse();
        }
        assertThat(trust.mayYield()).isTrue();
    }

    /** Two messages do not make up for one wait in vain, so such yields end. */
    @Test
    void yieldsThatCostMoreThanTheySaveEnd() {
        int waits = 0;
        while (trust.mayYield()) {
            trust.ended(true, SHORT_NS);
            trust.mayYield();
            trust.ended(true, SHORT_NS);
            yieldsUntilSleep();
            waits++;
            assertThat(waits).isLessThanOrEqualTo(YieldTrust.TRUST);
        }
        assertThat(trust.mayYield()).isFalse();
    }

    private int yieldsUntilSleep() {
        int yields = 0;
        while (trust.mayYield()) {
            trust.ended(false, SHORT_NS);
            yields++;
        }
        return yields;
    }
}
