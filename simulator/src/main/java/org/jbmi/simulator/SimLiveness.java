package org.jbmi.simulator;

import org.jbmi.mempool.Liveness;

/** Which simulated processes live, by process id. */
final class SimLiveness implements Liveness {
    private final World world;

    SimLiveness(World world) {
        this.world = world;
    }

    @Override
    public boolean isAlive(long pid, long startTimeMs) {
        if (pid == world.door().pid()) {
            return world.door().isAlive;
        }
        for (SimPeer peer : world.peers) {
            if (peer.pid() == pid) {
                return peer.isAlive;
            }
        }
        return false;
    }

    @Override
    public long startTimeMs(long pid) {
        return pid / 1000;
    }
}
