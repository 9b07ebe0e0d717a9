package org.jbmi.zbmi.daemon;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.mempool.SegmentException;
import org.jbmi.mempool.SharedSegment;
import org.jbmi.mempool.SweepReport;
import org.jbmi.mempool.SystemNanoClock;
import org.jbmi.observe.Counters;
import org.jbmi.zbmi.channel.CommandChannels;
import org.jbmi.zbmi.host.CountersFile;
import org.jbmi.zbmi.host.EngineHosting;
import org.jbmi.zbmi.host.ErrorLog;
import org.jbmi.zbmi.host.ErrorsFile;
import org.jbmi.zbmi.host.HostContext;
import org.jbmi.zbmi.host.HostCounters;
import org.jbmi.zbmi.host.HostKnobs;
import org.jbmi.zbmi.host.HostLayout;
import org.jbmi.zbmi.host.HostLock;
import org.jbmi.zbmi.host.SessionCounters;
import org.jbmi.zbmi.link.RuntimeDirectory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A running zoid daemon: it owns the shared-memory segment, runs the engine, and introduces clients
 * and their server to each other. Any number of daemons may run in a process, each in a runtime
 * directory of its own.
 *
 * <p>It has two threads, both daemon threads: one for the engine, one for the Unix-domain socket.
 * An idle one sleeps. Safe for use by any thread.
 */
public final class ZbmiDaemon implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ZbmiDaemon.class.getName());
    private static final long JOIN_MS = 5000;

    private final Configuration configuration;
    private final RuntimeDirectory directory;
    private final ErrorLog errors =
            new ErrorLog(text -> LOG.log(System.Logger.Level.WARNING, text));
    private final List<AutoCloseable> resources = new ArrayList<>();
    private final Counters counters;
    private final SharedSegment segment;
    private final EngineHosting hosting;
    private final Thread engineThread;
    private final Thread sessionsThread;
    private boolean closed;

    /** Describes a daemon before it starts. Not thread-safe. */
    public static final class Builder {
        private final Map<String, String> knobs = new LinkedHashMap<>();

        private Builder() {}

        /**
         * Sets a knob; it wins over system property and environment.
         *
         * @param name one of {@link DaemonKnobs#all}
         * @param value its value as text
         * @return this
         */
        public Builder knob(String name, String value) {
            knobs.put(name, value);
            return this;
        }

        /**
         * Starts the daemon.
         *
         * @return a daemon that takes attachments
         * @throws BmiException with {@link ErrorCode#EBUSY} if another one serves the directory,
         *     {@link ErrorCode#ENOSPC} if the segment does not fit its file system, {@link
         *     ErrorCode#EACCES} if the directory is not safe, {@link ErrorCode#EINVAL} for knobs
         *     that do not go together, {@link ErrorCode#ENOSYS} or {@link
         *     ErrorCode#EPROTONOSUPPORT} for a command channel that is not there; nothing is left
         *     behind
         */
        public ZbmiDaemon start() {
            return new ZbmiDaemon(Configuration.resolve(DaemonKnobs.all(), knobs));
        }
    }

    /**
     * Starts to describe a daemon.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    private ZbmiDaemon(Configuration configuration) {
        this.configuration = configuration;
        this.directory = new RuntimeDirectory(Path.of(configuration.get(RuntimeDirectory.KNOB)));
        boolean started = false;
        try {
            HostLayout layout = HostLayout.of(configuration);
            ProcessLiveness liveness = new ProcessLiveness();
            if (!layout.commandChannel().equals(CommandChannels.ANY)) {
                CommandChannels.require(layout.commandChannel());
            }
            directory.prepare();
            resources.add(HostLock.acquire(directory, liveness));
            keepErrors();
            sweep(layout.segmentDirectory(), liveness);
            int maxClients = layout.geometry().maxClients();
            CountersFile file =
                    CountersFile.create(directory.counters(), HostCounters.capacity(maxClients));
            resources.add(file);
            this.counters = file.counters();
            this.segment = createSegment(layout);
            resources.add(segment);
            HostContext context =
                    new HostContext(
                            SystemNanoClock.INSTANCE,
                            new FutexWaiting(),
                            liveness,
                            errors,
                            new SessionCounters(counters),
                            TimeUnit.MILLISECONDS.toNanos(
                                    configuration.get(HostKnobs.HANDSHAKE_TIMEOUT_MS)));
            this.hosting = open(layout, context);
            this.sessionsThread = thread("zbmi-sessions", hosting.sessions());
            this.engineThread = thread("zbmi-engine", hosting.loop());
            sessionsThread.start();
            engineThread.start();
            started = true;
        } finally {
            if (!started) {
                closeResources();
            }
        }
        LOG.log(System.Logger.Level.DEBUG, "zoid daemon in {0}", directory.path());
    }

    private void keepErrors() {
        ErrorsFile file = ErrorsFile.create(directory.errors());
        resources.add(file);
        errors.keepIn(file);
    }

    private static Thread thread(String name, Runnable body) {
        return Thread.ofPlatform().daemon().name(name).unstarted(body);
    }

    private static void sweep(Path segmentDirectory, ProcessLiveness liveness) {
        SweepReport report =
                SharedSegment.sweep(
                        segmentDirectory,
                        HostLayout.SEGMENT_PREFIX,
                        liveness,
                        CommandChannels::sweep);
        for (Path removed : report.removed()) {
            LOG.log(System.Logger.Level.INFO, "removed {0}, left by a dead daemon", removed);
        }
    }

    private static SharedSegment createSegment(HostLayout layout) {
        try {
            return SharedSegment.create(
                    layout.newSegmentFile(), layout.map().segmentBytes(), layout.options());
        } catch (SegmentException e) {
            ErrorCode code =
                    switch (e.kind()) {
                        case NO_SPACE -> ErrorCode.ENOSPC;
                        case UNAVAILABLE -> ErrorCode.ENOSYS;
                        case NOT_FOUND -> ErrorCode.ENOENT;
                        default -> ErrorCode.EIO;
                    };
            throw new BmiException(
                    code,
                    "The daemon cannot start: %s; %s and %s say how large and where it is to be."
                            .formatted(
                                    e.getMessage(),
                                    HostKnobs.TOTAL_BYTES.name(),
                                    HostKnobs.SEGMENT_DIRECTORY.name()),
                    e);
        }
    }

    private EngineHosting open(HostLayout layout, HostContext context) {
        try {
            return EngineHosting.open(layout, segment, counters, context, directory);
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.EIO,
                    "Cannot listen on " + directory.socket() + ": " + e.getMessage() + ".",
                    e);
        }
    }

    /**
     * Where it meets its peers.
     *
     * @return the runtime directory
     */
    public RuntimeDirectory directory() {
        return directory;
    }

    /**
     * What it was started with.
     *
     * @return every knob with its value and where it came from
     */
    public Configuration configuration() {
        return configuration;
    }

    /**
     * The file of its segment.
     *
     * @return a path in the segment directory
     */
    public Path segmentFile() {
        return segment.file();
    }

    /**
     * What it has counted; others read the same from the counters file.
     *
     * @return live counters
     */
    public Counters counters() {
        return counters;
    }

    /**
     * What went wrong.
     *
     * @return each distinct error once
     */
    public List<ErrorLog.Entry> errors() {
        return errors.entries();
    }

    /**
     * Whether both of its threads run. One that is not healthy serves nobody and should be closed.
     *
     * @return false after the end, or after a breakdown
     */
    public boolean isHealthy() {
        return engineThread.isAlive() && sessionsThread.isAlive();
    }

    /**
     * Ends the daemon within a bounded time: its peers' operations end with {@link
     * ErrorCode#EHOSTDOWN}, its files go. Closing again does nothing.
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        hosting.sessions().stop();
        join(sessionsThread);
        hosting.loop().stop();
        join(engineThread);
        closeResources();
    }

    private static void join(Thread thread) {
        boolean interrupted = false;
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(JOIN_MS);
        while (thread.isAlive() && System.nanoTime() - end < 0) {
            try {
                thread.join(JOIN_MS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (thread.isAlive()) {
            LOG.log(System.Logger.Level.ERROR, "the thread {0} does not end", thread.getName());
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeResources() {
        for (AutoCloseable resource : resources.reversed()) {
            try {
                resource.close();
            } catch (Exception e) {
                LOG.log(System.Logger.Level.WARNING, "closing the daemon", e);
            }
        }
    }
}
