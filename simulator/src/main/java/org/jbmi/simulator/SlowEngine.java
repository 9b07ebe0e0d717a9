package org.jbmi.simulator;

import org.jbmi.simulator.process.Dice;

/**
 * In some runs the engine is slower than its peers, so that lanes fill. It catches up at critical
 * moments, such as between a poll of the gateway and the sleep after it.
 */
final class SlowEngine {
    private static final long OWN_DICE = 0x7e39e5L;
    private static final int THERE_PERCENT = 25;
    private static final int TURN_PERCENT = 20;
    private static final int CATCH_UP_PERCENT = 10;

    private final World world;
    private final boolean isThere;

    SlowEngine(World world, long seed) {
        this.world = world;
        this.isThere = new Dice(Dice.mix(seed, OWN_DICE)).chance(THERE_PERCENT);
    }

    /** Whether the engine of this run is slow. */
    boolean isThere() {
        return isThere;
    }

    /** Whether the engine skips its turn. */
    boolean rests() {
        return isThere && !world.dice.chance(TURN_PERCENT);
    }

    /** Whether it takes a turn now, in the middle of an action of another process. */
    boolean catchesUp() {
        return isThere && world.dice.chance(CATCH_UP_PERCENT);
    }
}
