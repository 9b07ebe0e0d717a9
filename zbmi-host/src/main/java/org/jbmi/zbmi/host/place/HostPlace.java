package org.jbmi.zbmi.host.place;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.mempool.SegmentException;
import org.jbmi.mempool.SharedSegment;
import org.jbmi.mempool.SweepReport;
import org.jbmi.observe.Counters;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.host.port.CommandPorts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The resources of a host outside of its heap: the lock of a runtime directory, the segment, the
 * counters file. Opening it removes files of dead hosts; closing it leaves no file.
 */
public final class HostPlace implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(HostPlace.class.getName());

    private final RuntimeDirectory directory;
    private final List<AutoCloseable> resources = new ArrayList<>();
    private final HostLayout layout;
    private final SharedSegment segment;
    private final Counters counters;
    private final HostContext context;

    /**
     * Locks the directory and makes everything.
     *
     * @param who the host, as the beginning of a sentence: {@code "The daemon"}
     * @param knobs those of {@link HostKnobs}
     * @throws BmiException with {@link ErrorCode#EBUSY} if another one serves the directory. With
     *     {@link ErrorCode#ENOSPC} if the segment does not fit its file system. With {@link
     *     ErrorCode#EACCES} if others may write into the directory. With {@link ErrorCode#EINVAL}
     *     for inconsistent knobs. With {@link ErrorCode#ENOSYS} or {@link
     *     ErrorCode#EPROTONOSUPPORT} for a command channel that is not there. Nothing is left
     *     behind
     */
    public HostPlace(String who, RuntimeDirectory directory, Configuration knobs, ErrorLog errors) {
        this.directory = directory;
        boolean open = false;
        try {
            this.layout = HostLayout.of(knobs);
            ProcessLiveness liveness = new ProcessLiveness();
            if (!layout.commandChannel().equals(CommandPorts.ANY)) {
                CommandPorts.require(layout.commandChannel());
            }
            directory.prepare();
            resources.add(HostLock.acquire(directory));
            keepErrors(errors);
            sweep(layout.segmentDirectory(), liveness);
            removeServerFiles(directory); // the lock was free, and a server ends with its daemon
            int capacity = HostCounters.capacity(layout.geometry().maxClients());
            CountersFile file = CountersFile.create(directory.counters(), capacity);
            resources.add(file);
            this.counters = file.counters();
            this.segment = createSegment(who, layout);
            resources.add(segment);
            this.context =
                    new HostContext(
                            NanoClock.SYSTEM,
                            new FutexWaiting(),
                            liveness,
                            errors,
                            new SessionCounters(counters),
                            TimeUnit.MILLISECONDS.toNanos(
                                    knobs.get(HostKnobs.HANDSHAKE_TIMEOUT_MS)));
            open = true;
        } finally {
            if (!open) {
                close();
            }
        }
    }

    private void keepErrors(ErrorLog errors) {
        ErrorsFile file = ErrorsFile.create(directory.errors());
        resources.add(file);
        errors.keepIn(file);
    }

    private static void sweep(Path segmentDirectory, ProcessLiveness liveness) {
        SweepReport report =
                SharedSegment.sweep(
                        segmentDirectory, HostLayout.SEGMENT_PREFIX, liveness, CommandPorts::sweep);
        for (Path removed : report.removed()) {
            LOG.log(System.Logger.Level.INFO, "removed {0}, left by a dead process", removed);
        }
        CommandPorts.sweep(segmentDirectory, HostLayout.SEGMENT_PREFIX);
    }

    /** Removes the files of a server that had memory of a daemon, and has ended. */
    public static void removeServerFiles(RuntimeDirectory directory) {
        for (Path file :
                List.of(
                        directory.serverSocket(),
                        directory.serverErrors(),
                        directory.serverCounters())) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                LOG.log(System.Logger.Level.WARNING, "cannot remove " + file, e);
            }
        }
    }

    /**
     * Makes a segment with a new name.
     *
     * @return the segment, to be closed by the caller
     * @throws BmiException with {@link ErrorCode#ENOSPC} if there is no room for it, or the code of
     *     what else is amiss with its folder
     */
    public static SharedSegment createSegment(String who, HostLayout layout) {
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
                    "%s cannot start: %s; %s and %s say how large and where it is to be."
                            .formatted(
                                    who,
                                    e.getMessage(),
                                    HostKnobs.TOTAL_BYTES.name(),
                                    HostKnobs.SEGMENT_DIRECTORY.name()),
                    e);
        }
    }

    /** The directory in which peers find it. */
    public RuntimeDirectory directory() {
        return directory;
    }

    /** Its sizes. */
    public HostLayout layout() {
        return layout;
    }

    /**
     * Its memory.
     *
     * @return mapped until the close
     */
    public SharedSegment segment() {
        return segment;
    }

    /**
     * Its counters.
     *
     * @return live counters, which others may read from the file
     */
    public Counters counters() {
        return counters;
    }

    /** The services that its parts share. */
    public HostContext context() {
        return context;
    }

    /**
     * Closes another resource before the others.
     *
     * @param resource owned by this from now on
     */
    public void keep(AutoCloseable resource) {
        resources.add(resource);
    }

    /**
     * Releases everything and removes the files; the lock of the directory is the last.
     *
     * @throws OutOfMemoryError if there is no memory for that; closing again goes on from there
     */
    @Override
    public void close() {
        while (!resources.isEmpty()) {
            try {
                resources.getLast().close();
            } catch (Exception | LinkageError e) { // the latter in a heap that was full
                warn(e);
            }
            resources.removeLast();
        }
    }

    private void warn(Throwable failure) {
        try {
            LOG.log(System.Logger.Level.WARNING, "closing " + directory.path(), failure);
        } catch (LinkageError e) {
            // There is no log; the rest of the close must go on.
        }
    }
}
