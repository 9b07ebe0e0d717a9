package org.jbmi.zbmi.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Random;

/**
 * The engine between simulated peers under random schedules. A failure names its seed; {@code
 * -Dzbmi.schedule.seed=...} runs that one alone, {@code -Dzbmi.schedule.worlds=...} runs more.
 */
@Timeout(300)
class EngineScheduleTest {
    private static final int WORLDS = Integer.getInteger("zbmi.schedule.worlds", 60);
    private static final int STEPS = 4000;

    @Test
    void peersThatPostTestAndCancel() {
        runWorlds(false);
    }

    @Test
    void peersThatAlsoDie() {
        runWorlds(true);
    }

    private static void runWorlds(boolean isKilling) {
        Long only = Long.getLong("zbmi.schedule.seed");
        Random seeds = new Random();
        long moved = 0;
        long delivered = 0;
        long refused = 0;
        long immediate = 0;
        long crowded = 0;
        for (int i = 0; i < (only == null ? WORLDS : 1); i++) {
            long seed = only == null ? seeds.nextLong() : only;
            boolean isCrowded = (seed >> 5 & 3) == 0;
            int clients = isCrowded ? 1 : 1 + (int) (seed & 3);
            SimWorld world = new SimWorld(seed, clients, 2 + (int) (seed >> 2 & 7), isCrowded);
            world.isKilling = isKilling;
            try {
                run(world);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ", deaths " + isKilling, e);
            }
            moved += world.ledger.movedToServer + world.ledger.movedToClient;
            delivered += world.ledger.unexpectedDelivered;
            refused += world.ledger.grantsRefused;
            immediate += world.server.immediate;
            crowded += world.hasRunOutOfGrants ? 1 : 0;
        }
        System.out.printf(
                "EngineScheduleTest: %d messages moved, %d unexpected, %d void grants, %d"
                        + " immediate, %d worlds without a free grant%n",
                moved, delivered, refused, immediate, crowded);
        if (only == null) {
            assertThat(moved).isGreaterThan(1000);
            assertThat(delivered).isGreaterThan(1000);
            assertThat(refused).isGreaterThan(100);
            assertThat(immediate).isGreaterThan(10);
            assertThat(crowded).isPositive();
        }
    }

    private static void run(SimWorld world) {
        for (int step = 0; step < STEPS; step++) {
            world.step();
        }
        world.settle();
        world.checkNobodyWaitsInVain();
        world.endOfTheWorld();
    }
}
