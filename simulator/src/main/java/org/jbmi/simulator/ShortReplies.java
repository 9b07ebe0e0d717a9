package org.jbmi.simulator;

import org.jbmi.simulator.process.Dice;
import org.jspecify.annotations.Nullable;

/**
 * In some runs most messages are short messages of the server for waiting receives, like replies to
 * requests. In these runs sends and cancels also cross: one happens between two memory accesses of
 * the other.
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

    /** Whether the next message is a short reply. */
    boolean isNow() {
        return isThere && world.dice.chance(TERSE_PERCENT);
    }

    /**
     * Runs an action.
     *
     * @param by may run in the middle of it
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

    /** Lets a client cancel a receive, if it can do so now. */
    void cancelsReceive(long life) {
        for (SimPeer peer : world.peers) {
            if (peer instanceof SimClient client && client.lifeIs(life)) {
                client.cancelsReceive();
            }
        }
    }

    /** Called in the middle of an action. */
    void cross() {
        Runnable by = crossing;
        crossing = null;
        if (by != null) {
            by.run();
        }
    }
}
