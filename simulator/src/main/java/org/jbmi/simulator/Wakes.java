package org.jbmi.simulator;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.simulator.coverage.FaultKind;
import org.jbmi.simulator.process.SimMemory;
import org.jbmi.simulator.process.SimProcess;
import org.jspecify.annotations.Nullable;

/** Sleeps on words of shared memory, wake-ups, and lost wake-ups. */
final class Wakes {
    private static final int SLEEP_BUDGET = 40;

    private final World world;
    private int toLose;
    private long lostCount;
    private @Nullable SharedMemory lostIn;
    private long lostAt;

    Wakes(World world) {
        this.world = world;
    }

    /** The next wake-up is lost. */
    void loseNext() {
        toLose = 1;
    }

    /** From now on no wake-up is lost. */
    void loseNone() {
        toLose = 0;
    }

    /** How many were lost. */
    long lostCount() {
        return lostCount;
    }

    /** Whether a wake-up is lost. */
    boolean losesOne() {
        if (toLose == 0) {
            return false;
        }
        toLose--;
        lostCount++;
        world.cover(FaultKind.LOST_WAKE);
        return true;
    }

    /**
     * A process sleeps on a word, inside a call; returns whether it was woken or need not sleep.
     */
    boolean sleep(
            SimProcess sleeper, SharedMemory memory, long offset, int expected, long timeoutNs) {
        SharedMemory raw = SimMemory.raw(memory);
        long endNs = world.nowNs() + Math.max(0, timeoutNs);
        int budget = SLEEP_BUDGET;
        long lostBefore = lostCount;
        boolean wantsRoom = sleeper instanceof SimPeer peer && peer.wantsRoom();
        while (raw.getIntVolatile(offset) == expected) {
            if (world.daemon.isBusy() || budget-- == 0) {
                boolean isForgotten =
                        wantsRoom
                                && !world.daemon.isBusy()
                                && lostCount == lostBefore
                                && sleeper instanceof SimPeer peer
                                && peer.isForgotten();
                if (isForgotten) {
                    throw world.fail(sleeper + " sleeps for room that is there");
                }
                world.passUntil(endNs);
                return false;
            }
            world.others(sleeper);
            sleeper.checkAlive();
            if (isLost(raw, offset)) {
                world.passUntil(endNs);
                return false;
            }
            if (world.nowNs() - endNs >= 0) {
                return false;
            }
        }
        return true;
    }

    @SuppressWarnings("ReferenceEquality") // identity of the memory
    private boolean isLost(SharedMemory raw, long offset) {
        boolean isIt = lostIn == raw && lostAt == offset;
        if (isIt) {
            lostIn = null;
        }
        return isIt;
    }

    /** Wakes the processes that sleep on a word. */
    void woken(SharedMemory memory, long offset) {
        SharedMemory raw = SimMemory.raw(memory);
        if (losesOne()) {
            lostIn = raw;
            lostAt = offset;
            return;
        }
        world.daemon.wokenOn(raw, offset);
        SimDaemon lends = world.lender();
        if (lends != null) {
            lends.wokenOn(raw, offset);
        }
        for (SimPeer peer : world.peers) {
            peer.wokenOn(raw, offset);
        }
    }
}
