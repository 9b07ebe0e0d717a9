package org.jbmi.tcp.peer;

import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.observe.Counters;
import org.jbmi.spi.AllocationTracking;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.Operation;
import org.jbmi.spi.WaitPolicy;
import org.jbmi.tcp.settings.TcpKnobs;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A core for single parts of the method; it fails where a test says so. */
final class PartsHost implements MethodHost {
    /** Thrown by the next delivery. */
    @Nullable Error failDelivery;

    /** Thrown by every completion. */
    volatile @Nullable Error failCompletions;

    /** What happens before a call that wakes the lead goes on. */
    Runnable onWake = () -> {};

    /** With what operations have ended, in turn. */
    final List<Integer> outcomes = new ArrayList<>();

    private final Configuration configuration;
    private final Counters counters = Counters.inMemory();

    PartsHost() {
        List<Knob<?>> knobs = new ArrayList<>(TcpKnobs.all());
        knobs.add(AllocationTracking.KNOB);
        knobs.add(WaitPolicy.MODE);
        configuration = Configuration.resolve(knobs, Map.of());
    }

    @Override
    public void complete(Operation operation, int error, long sizeBytes) {
        Error failure = failCompletions;
        if (failure != null) {
            throw failure;
        }
        outcomes.add(error);
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
        Error failure = failDelivery;
        failDelivery = null;
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public void peerFailed(MethodAddress address, int error) {}

    @Override
    public void wake() {
        onWake.run();
    }

    @Override
    public Configuration configuration() {
        return configuration;
    }

    @Override
    public Counters counters() {
        return counters;
    }

    @Override
    public <T> @Nullable T attachment(Class<T> type) {
        return null;
    }
}
