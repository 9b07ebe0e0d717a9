package org.jbmi.simulator;

import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.observe.Counters;
import org.jbmi.simulator.process.SimProcess;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.Operation;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** The simulated core of one process. */
final class SimHost implements MethodHost {
    private static final int COUNTERS_LONGS = 2048;

    private final SimPeer peer;
    private final Configuration knobs;
    private final Counters counters =
            Counters.over(MemorySegment.ofArray(new long[COUNTERS_LONGS]));

    SimHost(SimPeer peer, Configuration knobs) {
        this.peer = peer;
        this.knobs = knobs;
    }

    @Override
    public void complete(Operation operation, int error, long sizeBytes) {
        peer.checkAlive(); // calls during the clean-up of an ended process have no effect
        peer.completed((SimOp) operation, error, sizeBytes);
    }

    @Override
    public void deliverUnexpected(
            MethodAddress from,
            int tag,
            int messageClass,
            ErrorCode outcome,
            MemorySegment memory,
            long offset,
            long sizeBytes,
            long token) {
        peer.arrived(from, tag, messageClass, memory.asSlice(offset, sizeBytes), token);
    }

    @Override
    public void peerFailed(MethodAddress address, int error) {
        peer.failed(address);
    }

    @Override
    public void wake() {
        peer.wakeLead();
    }

    @Override
    public Configuration configuration() {
        return knobs;
    }

    @Override
    public Counters counters() {
        return counters;
    }

    /** A counter of its half. */
    long counted(String label) {
        SimProcess below = peer.world.leave();
        try {
            return Objects.requireNonNull(counters.find(label), "no counter " + label).get();
        } finally {
            peer.world.running = below;
        }
    }

    /** Fails if its half has got messages against the protocol. */
    void checkProtocol() {
        String half = peer.isServer() ? "server" : "client";
        long errors = counted("zoid." + half + ".protocolErrors");
        if (errors > 0) {
            throw peer.world.fail(peer + " got " + errors + " messages against the protocol");
        }
    }

    @Override
    public <T> @Nullable T attachment(Class<T> type) {
        return null;
    }
}
