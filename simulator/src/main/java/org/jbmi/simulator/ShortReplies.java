package org.jbmi.simulator;

import org.jspecify.annotations.Nullable;

/**
 * In some worlds short messages of the server for receives that wait are most of what there is, as
 * with the replies to requests. There sends and cancels are also made to cross each other: while
 * one is under way, the other one is done in between two accesses of memory.
 */
final class ShortReplies {
    private static final long OWN_DICE = 0x7465727365L;
    private static final int THERE_PERCENT = 35;
    private static final int TERSE_PERCENT = 75;
    private static final int CROSSED_PERCENT = 50;
    private static final int ACCESSES = 80;

    private final World world;
    private final boolean isThere;
    private @Nullable Runnable crossing;

    ShortReplies(World world, long seed) {
        this.world = world;
        this.isThere = new Dice(Dice.mix(seed, OWN_DICE)).chance(THERE_PERCENT);
    }

    /** Whether the next thing is terse. */
    boolean isNow() {
        return isThere && world.dice.chance(TERSE_PERCENT);
    }

    /**
     * Does something.
     *
     * @param by what may be done in the middle of it
     */
    void crossed(Runnable by, Runnable action) {
        if (!isThere || !world.dice.chance(CROSSED_PERCENT)) {
            action.run();
            return;
        }
        Runnable before = crossing;
        crossing = by;
        world.interruptIn(1 + world.dice.below(ACCESSES));
        try {
            action.run();
        } finally {
            crossing = before;
        }
    }

    /** A client cancels something, if it can do so just now. */
    void losesPatience(long life) {
        for (SimPeer peer : world.peers) {
            if (peer instanceof SimClient client && client.lifeIs(life)) {
                client.losesPatience();
            }
        }
    }

    /** Something is in its middle. */
    void cross() {
        Runnable by = crossing;
        crossing = null;
        if (by != null) {
            by.run();
        }
    }
}
