package org.jbmi.zbmi.host;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.config.Knob;
import org.jbmi.mempool.FutexWaiting;
import org.jbmi.observe.Counter;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.channel.DoorEvents;
import org.jbmi.zbmi.channel.EngineDoor;
import org.jbmi.zbmi.channel.EngineHostProvider;
import org.jbmi.zbmi.channel.ServerAttachment;
import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.place.HostKnobs;
import org.jbmi.zbmi.host.place.HostLayout;
import org.jbmi.zbmi.host.port.EngineSegment;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * An engine in the process of its server: its lock and rounds, its socket, its keeper. To clients,
 * which find it in the runtime directory or are redirected by a daemon, it looks like a daemon.
 */
public final class DirectHosting implements ServerAttachment {
    /** The transport by which a server asks a daemon for memory. */
    public static final String TRANSPORT = HostKind.DIRECT.label();

    /**
     * The least time that a close waits until the keeper begins its release, which is at once
     * unless something holds it, as a lack of memory does. The keeper moves no bytes, so the time
     * for transfers does not bound this wait.
     */
    private static final long LEAST_CLOSE_NS = TimeUnit.SECONDS.toNanos(1);

    /** The longest time that any close waits until the keeper begins its release. */
    private static final long MOST_CLOSE_NS = TimeUnit.SECONDS.toNanos(5);

    /**
     * Longest sleep of a caller and of the keeper, so that an end is noticed and a lost wake-up is
     * a short delay.
     */
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** For servers that find it by {@link java.util.ServiceLoader}. */
    public static final class Provider implements EngineHostProvider {
        /** For {@link java.util.ServiceLoader}. */
        public Provider() {}

        @Override
        public List<Knob<?>> knobs() {
            return HostKnobs.all();
        }

        @Override
        public ServerAttachment embedded(RuntimeDirectory directory, Configuration configuration) {
            return DirectHosting.embedded(directory, configuration, SLICE_NS);
        }

        @Override
        public ServerAttachment lent(
                RuntimeDirectory directory, Configuration configuration, PeerAttachment daemon) {
            return DirectHosting.lent(directory, configuration, daemon);
        }
    }

    private final DirectResources resources;
    private final HostLayout layout;
    private final HostContext context;
    private final DirectOutput output = new DirectOutput();
    private final EngineParts parts;
    private final DirectEngine engine;
    private final Sessions sessions;
    private final View view;
    private final long sliceNs;
    private @Nullable Keeper keeper;

    private DirectHosting(DirectResources resources, long sliceNs) throws IOException {
        this.resources = resources;
        this.sliceNs = sliceNs;
        this.layout = resources.layout();
        this.context = resources.context();
        this.parts =
                EngineParts.of(
                        layout,
                        new EngineSegment(resources.memory(), layout.map(), context.waiting()),
                        WelcomeTemplate.of(
                                resources.kind(),
                                layout,
                                resources.segmentPath(),
                                resources.segmentGeneration(),
                                context),
                        resources.counters(),
                        context,
                        output);
        Sessions listening = null;
        boolean isDone = false;
        try {
            this.engine = new DirectEngine(parts, output, context, sliceNs);
            resources.requireDaemon();
            listening =
                    new Sessions(
                            resources.socket(), context, layout.geometry().maxClients(), engine);
            this.sessions = listening;
            parts.table().use(parts.engine(), sessions::request);
            engine.use(sessions::wakeup);
            PeerAttachment daemon = resources.daemon();
            if (daemon != null) {
                sessions.watch(daemon.socket(), () -> engine.end("The daemon has gone."));
            }
            long pid = ProcessHandle.current().pid();
            Welcome welcome = parts.table().attachOwnServer(pid);
            this.view = new View(welcome, layout.map(), resources.segment(), resources.memory());
            isDone = true;
        } finally {
            if (!isDone) {
                parts.abandon(listening);
            }
        }
    }

    /** See {@link EngineHostProvider#embedded}; a sleep takes so long at most. */
    static DirectHosting embedded(RuntimeDirectory directory, Configuration knobs, long sliceNs) {
        return open(DirectResources.own(directory, knobs), sliceNs);
    }

    /**
     * Hosts an engine in memory that a daemon lends; the daemon sends clients here.
     *
     * @param directory where clients look
     * @param knobs those of {@link HostKnobs} among others
     * @param daemon a session that was asked for with {@link #TRANSPORT}; owned from now on
     * @throws BmiException if it cannot listen
     */
    public static DirectHosting lent(
            RuntimeDirectory directory, Configuration knobs, PeerAttachment daemon) {
        DirectResources resources = null;
        try {
            resources = DirectResources.lent(directory, knobs, daemon);
        } finally {
            if (resources == null) {
                daemon.close();
            }
        }
        return open(resources, SLICE_NS);
    }

    static DirectHosting open(DirectResources resources, long sliceNs) {
        boolean open = false;
        try {
            DirectHosting hosting = new DirectHosting(resources, sliceNs);
            open = true;
            return hosting;
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.EIO,
                    "Cannot listen on " + resources.socket() + ": " + e.getMessage() + ".",
                    e);
        } finally {
            if (!open) {
                resources.release().run();
            }
        }
    }

    @Override
    public View view() {
        return view;
    }

    @Override
    public EngineDoor open(DoorEvents events) {
        DirectDoor door = new DirectDoor(engine, events, context.clock(), sliceNs, this::close);
        Keeper started =
                new Keeper(sessions, engine, door, context, layout.spinNs(), this::release);
        started.start(); // if it cannot, the close waits for no keeper
        keeper = started;
        return door;
    }

    @Override
    public void countIn(Counter copies, Counter futexCalls) {
        parts.counters().countCopiesIn(copies);
        if (context.waiting() instanceof FutexWaiting futex) {
            futex.onSystemCall(futexCalls::increment);
        }
    }

    @Override
    public boolean isKept() {
        return true;
    }

    @Override
    public void hangUp() {
        Keeper running = keeper;
        if (running != null) {
            running.beginStop(); // it closes the sockets; the memory that it uses stays
        }
        PeerAttachment daemon = resources.daemon();
        if (daemon != null) {
            daemon.hangUp();
        }
    }

    @Override
    public void close() {
        close(MOST_CLOSE_NS);
    }

    private void close(long mostNs) {
        Keeper running = keeper;
        if (running != null) {
            running.stop(Math.clamp(mostNs, LEAST_CLOSE_NS, MOST_CLOSE_NS));
        } else {
            try {
                sessions.close();
            } finally {
                release();
            }
        }
    }

    private void release() {
        try {
            parts.endRecording();
        } finally {
            resources.release().run();
        }
    }
}
