package org.jbmi.zbmi.host;

import org.jbmi.mempool.NanoClock;
import org.jbmi.observe.Counters;
import org.jbmi.zbmi.channel.DoorEvents;
import org.jbmi.zbmi.channel.EngineDoor;
import org.jbmi.zbmi.channel.ServerAttachment;
import org.jbmi.zbmi.engine.Engine;
import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.place.HostLayout;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/**
 * An engine in the process of its server, as {@link SteppedHost} is one in a daemon: the owner
 * simulates the sockets and the keeper's sleep, and runs the keeper by {@link #keeperStep}. Engine,
 * door and keeper are the production classes. For the simulator.
 */
public final class SteppedDirectHost extends SteppedEngine implements ServerAttachment {
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long SPIN_NS = 5_000;

    private final NanoClock clock;
    private final Engine state;
    private final DirectEngine engine;
    private final DirectOutput output = new DirectOutput();
    private final View view;
    private final Surroundings surroundings;
    private @Nullable KeeperLead lead;
    private @Nullable DirectDoor opened;
    private boolean isLeading;

    /** Calls to the owner. */
    public interface Surroundings extends SteppedHost.Sockets {
        /** The keeper must not sleep, or must wake up: from any thread of the process. */
        void wakeKeeper();

        /** The server has finished its session: sockets are to be closed without a goodbye. */
        void hangUp();

        /** The server releases it: sockets are to be closed, the one to a daemon with a goodbye. */
        void close();
    }

    /**
     * Puts one together, in the process of a server.
     *
     * @param kind whether its memory is its own, or lent by a daemon
     * @param layout its sizes
     * @param own its memory, in which the control page is written
     * @param segment the same as a whole
     * @param segmentName what peers are told that its name is
     * @param segmentGeneration which segment it is
     * @param pid of the process
     * @param counters where it counts
     * @param context what its parts share
     * @param surroundings its owner's part
     */
    public SteppedDirectHost(
            HostKind kind,
            HostLayout layout,
            EngineSegment own,
            MemorySegment segment,
            String segmentName,
            long segmentGeneration,
            long pid,
            Counters counters,
            HostContext context,
            Surroundings surroundings) {
        this.clock = context.clock();
        this.surroundings = surroundings;
        EngineParts parts =
                EngineParts.of(
                        layout,
                        own,
                        SteppedHost.template(kind, pid, layout, segmentName, segmentGeneration),
                        counters,
                        context,
                        output);
        this.state = parts.engine();
        this.engine = new DirectEngine(parts, output, context, SLICE_NS);
        parts.table()
                .use(
                        state,
                        (connection, bit) -> SteppedHost.requested(surroundings, connection, bit));
        engine.use(surroundings::wakeKeeper);
        Welcome welcome = parts.table().attachOwnServer(pid);
        this.view = new View(welcome, layout.map(), segment, own.memory());
    }

    @Override
    boolean tell(SessionEvent event, Connection connection) {
        return engine.tell(event, connection);
    }

    /** The keeper finds that the daemon that lent the memory has gone. */
    public void daemonGone() {
        engine.end("The daemon has gone.");
    }

    /** The keeper tells the server that the engine has stopped; then it closes the sockets. */
    public void keeperEnds() {
        DirectDoor door = opened;
        if (door != null) {
            door.fail(String.valueOf(engine.failure()));
        }
    }

    /**
     * Runs the keeper after a sleep, or its next round.
     *
     * @return whether it must be called again before the keeper sleeps
     */
    public boolean keeperStep() {
        KeeperLead own = lead;
        if (own == null) {
            return false;
        }
        isLeading = isLeading ? own.goOn() : own.begin();
        return isLeading;
    }

    /**
     * How long the keeper may sleep.
     *
     * @return milliseconds; 0 for ever
     */
    public long keeperSleepMs() {
        return engine.keeperSleepMs();
    }

    @Override
    public Engine engine() {
        return state;
    }

    /**
     * Why the engine has stopped.
     *
     * @return null while it does
     */
    public @Nullable String failure() {
        return engine.failure();
    }

    @Override
    public View view() {
        return view;
    }

    @Override
    public EngineDoor open(DoorEvents events) {
        DirectDoor door = new DirectDoor(engine, events, clock, SLICE_NS, any -> close());
        opened = door;
        lead = new KeeperLead(engine, clock, SPIN_NS);
        return door;
    }

    @Override
    public boolean isKept() {
        return true;
    }

    @Override
    public void hangUp() {
        surroundings.hangUp();
    }

    @Override
    public void close() {
        surroundings.close();
    }
}
