package org.jbmi.spi;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.spi.WaitPolicy.Mode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How long a waiter looks before it sleeps. */
class WaitPolicyTest {
    private static final long LOOK_NS = 10_000;
    private static final int MANY = 1000;

    @Test
    void spinAndYieldNeverSleepAndBlockSleepsAtOnce() {
        for (Mode mode : new Mode[] {Mode.SPIN, Mode.YIELD}) {
            WaitPolicy policy = WaitPolicy.of(mode, LOOK_NS, 2, false);
            assertThat(policy.neverSleeps()).isTrue();
            assertThat(policy.lookNs()).isEqualTo(Long.MAX_VALUE);
        }
        WaitPolicy block = WaitPolicy.of(Mode.BLOCK, LOOK_NS, 2, false);
        assertThat(block.neverSleeps()).isFalse();
        assertThat(block.lookNs()).isZero();
    }

    @Test
    void onOneProcessorAnAdaptiveWaiterSleepsAtOnce() {
        WaitPolicy policy = WaitPolicy.of(Mode.ADAPTIVE, LOOK_NS, 1, false);
        policy.ended(true, true);
        assertThat(policy.lookNs()).isZero();
    }

    @Test
    void whoIsPinnedToOneOfSeveralLooks() {
        WaitPolicy policy = WaitPolicy.of(Mode.ADAPTIVE, LOOK_NS, 1, true);
        assertThat(policy.lookNs()).isEqualTo(LOOK_NS);
    }

    @Test
    void whoSpinsLetsOthersRunNowAndThen() {
        assertThat(yieldsIn(4096, WaitPolicy.of(Mode.SPIN, LOOK_NS, 2, false))).isEqualTo(4);
        assertThat(yieldsIn(4096, WaitPolicy.of(Mode.SPIN, LOOK_NS, 1, true))).isEqualTo(128);
        assertThat(yieldsIn(4096, WaitPolicy.of(Mode.SPIN, LOOK_NS, 1, false))).isEqualTo(4096);
        assertThat(yieldsIn(4096, WaitPolicy.of(Mode.YIELD, LOOK_NS, 2, false))).isEqualTo(4096);
        assertThat(yieldsIn(4096, WaitPolicy.of(Mode.ADAPTIVE, LOOK_NS, 2, false))).isZero();
    }

    private static int yieldsIn(int looks, WaitPolicy policy) {
        int yields = 0;
        for (int i = 0; i < looks; i++) {
            yields += policy.isYieldDue() ? 1 : 0;
        }
        return yields;
    }

    @Test
    void theSystemSaysWhoIsPinned(@TempDir Path directory) throws IOException {
        Path status = directory.resolve("status");
        Path online = directory.resolve("online");
        Files.writeString(online, "0-3,8\n");
        assertThat(Processors.isPinned(status, online)).as("no word of it").isFalse();
        for (String several : new String[] {"0-1", "0,2", "", "?"}) {
            Files.writeString(status, "Name:\tjava\nCpus_allowed_list:\t" + several + "\n");
            assertThat(Processors.isPinned(status, online)).as(several).isFalse();
        }
        Files.writeString(status, "Cpus_allowed:\t4\nCpus_allowed_list:\t2\nMems:\t0\n");
        assertThat(Processors.isPinned(status, online)).isTrue();
        Files.writeString(online, "2\n");
        assertThat(Processors.isPinned(status, online)).as("there is no other").isFalse();
    }

    @Test
    void whoFindsNothingSoonSleepsAtOnceAndLooksNowAndThen() {
        WaitPolicy policy = WaitPolicy.of(Mode.ADAPTIVE, LOOK_NS, 2, false);
        int looked = 0;
        for (int i = 0; i < MANY; i++) {
            long lookNs = policy.lookNs();
            looked += lookNs > 0 ? 1 : 0;
            policy.ended(lookNs, LOOK_NS + 1);
        }
        assertThat(looked).isBetween(MANY / 32, MANY / 8);
    }

    @Test
    void oneSuccessBringsTheTrustBack() {
        WaitPolicy policy = WaitPolicy.of(Mode.ADAPTIVE, LOOK_NS, 2, false);
        for (int i = 0; i < MANY; i++) {
            policy.ended(policy.lookNs(), LOOK_NS + 1);
        }
        long lookNs = 0;
        for (int i = 0; i < MANY && lookNs == 0; i++) {
            lookNs = policy.lookNs();
        }
        policy.ended(lookNs, 1);
        for (int i = 0; i < 4; i++) {
            assertThat(policy.lookNs()).isEqualTo(LOOK_NS);
            policy.ended(LOOK_NS, LOOK_NS + 1);
        }
    }

    @Test
    void whatPaysIsKeptUp() {
        WaitPolicy policy = WaitPolicy.of(Mode.ADAPTIVE, LOOK_NS, 2, false);
        for (int i = 0; i < MANY; i++) {
            assertThat(policy.lookNs()).isEqualTo(LOOK_NS);
            policy.ended(LOOK_NS, i % 4 == 0 ? 1 : LOOK_NS + 1);
        }
    }
}
