package org.jbmi.zbmi.host;

import org.jbmi.config.Configuration;
import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.mempool.SegmentMemory;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.place.HostKnobs;
import org.jbmi.zbmi.host.place.HostLayout;
import org.jbmi.zbmi.host.place.SessionCounters;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.protocol.handshake.HostKind;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What a host is made of, in memory of the heap, without sockets. */
final class PlayedHost {
    final List<String> errors = new ArrayList<>();
    boolean isMemoryLacking;
    final HostLayout layout;
    final SharedMemory memory;
    final Counters counters = Counters.inMemory();
    final HostContext context;
    final EngineSegment segment;
    final DirectOutput output = new DirectOutput();

    PlayedHost() {
        this(NanoClock.SYSTEM);
    }

    PlayedHost(NanoClock clock) {
        layout =
                HostLayout.of(
                        Configuration.resolve(
                                HostKnobs.all(),
                                Map.of(
                                        "zbmi.totalBytes", "1m",
                                        "zbmi.unexpectedBytes", "64k",
                                        "zbmi.maxClients", "4")));
        memory = new SegmentMemory(Arena.ofAuto().allocate(layout.map().segmentBytes(), 4096));
        layout.map().writeControlPage(memory);
        FutexWaiting waiting = new FutexWaiting();
        context =
                new HostContext(
                        clock,
                        waiting,
                        new ProcessLiveness(),
                        new ErrorLog(this::record),
                        new SessionCounters(counters),
                        1_000_000_000L);
        segment = new EngineSegment(memory, layout.map(), waiting);
    }

    private void record(String error) {
        errors.add(error);
        if (isMemoryLacking) {
            throw new OutOfMemoryError("played");
        }
    }

    Counter counter(String label) {
        return Objects.requireNonNull(counters.find(label), label);
    }

    /** The parts of an engine in the process of its server. */
    EngineParts parts(SessionTransports transports) {
        EngineParts parts =
                EngineParts.of(
                        layout,
                        segment,
                        SteppedHost.template(HostKind.EMBEDDED, 1, layout, "played", 1),
                        counters,
                        context,
                        output,
                        transports);
        parts.table().use(parts.engine(), (connection, bit) -> {});
        return parts;
    }
}
