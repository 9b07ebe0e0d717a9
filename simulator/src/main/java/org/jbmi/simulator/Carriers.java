package org.jbmi.simulator;

import org.jbmi.simulator.process.Dice;
import org.jbmi.simulator.process.SimProcess;
import org.jbmi.simulator.queue.SimCarrier;
import org.jbmi.simulator.queue.SimChronicle;
import org.jbmi.simulator.queue.SimQueues;
import org.jbmi.zbmi.host.port.CommandPortProvider;
import org.jbmi.zbmi.host.port.RingPortProvider;
import org.jspecify.annotations.Nullable;

/**
 * The command queues between daemon and server that are outside the segment, if the channel has
 * any.
 */
final class Carriers {
    private static final int QUEUES_PERCENT = 40;
    private static final int CHRONICLE_PERCENT = 50;
    private static final long CHRONICLE_SEEDS = 0x6368726f6e69636cL;

    private final World world;
    private final @Nullable SimCarrier ofDaemon;
    private final @Nullable SimCarrier ofServer;

    Carriers(World world, long seed, Dice own) {
        this.world = world;
        SimHosting daemon = world.daemon;
        boolean hasQueues = !world.isDirect() && own.chance(QUEUES_PERCENT);
        int queueDepth = own.chance(60) ? 2 : 4 << own.below(4);
        int replies = own.below(5);
        this.ofDaemon =
                hasQueues
                        ? SimQueues.of(daemon, queueDepth, replies)
                        : chronicle(daemon, new Dice(seed ^ CHRONICLE_SEEDS));
        this.ofServer = ofDaemon == null ? null : ofDaemon.sharedWith(world.server);
    }

    private @Nullable SimCarrier chronicle(SimHosting daemon, Dice own) {
        boolean isIt = !world.isDirect() && own.chance(CHRONICLE_PERCENT);
        return isIt ? SimChronicle.of(daemon, own) : null;
    }

    /** The queues that a process has open; null if there are none. */
    @SuppressWarnings("ReferenceEquality") // identity of the process
    @Nullable SimCarrier of(SimProcess process) {
        return process == world.daemon ? ofDaemon : process == world.server ? ofServer : null;
    }

    /** A process ends, and with it its ends of the queues. */
    void forget(SimProcess process) {
        SimCarrier own = of(process);
        if (own != null) {
            own.forget();
        }
    }

    /** The provider of command channels for a process. */
    CommandPortProvider channelOf(SimProcess process) {
        SimCarrier own = of(process);
        return own == null ? new RingPortProvider() : own.provider();
    }
}
