package org.jbmi.zbmi.host;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.mempool.FutexWaiting;
import org.jbmi.mempool.NanoClock;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.SharedSegment;
import org.jbmi.observe.Counters;
import org.jbmi.zbmi.attach.PeerAttachment;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.host.place.CountersFile;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.host.place.ErrorsFile;
import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.place.HostCounters;
import org.jbmi.zbmi.host.place.HostKnobs;
import org.jbmi.zbmi.host.place.HostLayout;
import org.jbmi.zbmi.host.place.HostPlace;
import org.jbmi.zbmi.host.place.SessionCounters;
import org.jbmi.zbmi.protocol.handshake.HostKind;
import org.jbmi.zbmi.protocol.handshake.Welcome;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * The resources of a server that hosts the engine: its own, or lent by a daemon.
 *
 * @param kind which of them
 * @param layout its sizes
 * @param memory of the segment
 * @param segment the same as a whole
 * @param segmentPath what peers map
 * @param segmentGeneration which segment it is
 * @param counters where it counts
 * @param context what its parts share
 * @param socket where it listens
 * @param daemon the session with the daemon that lends; null without one
 * @param release releases everything
 */
record DirectResources(
        HostKind kind,
        HostLayout layout,
        SharedMemory memory,
        MemorySegment segment,
        String segmentPath,
        long segmentGeneration,
        Counters counters,
        HostContext context,
        Path socket,
        @Nullable PeerAttachment daemon,
        Runnable release) {

    static ErrorLog newErrorLog() {
        return ErrorLog.to(System.getLogger(DirectHosting.class.getName()));
    }

    /** Makes everything itself. */
    static DirectResources own(RuntimeDirectory directory, Configuration knobs) {
        HostPlace place = new HostPlace("The server", directory, knobs, newErrorLog());
        DirectResources made = null;
        try {
            SharedSegment segment = place.segment();
            made =
                    new DirectResources(
                            HostKind.EMBEDDED,
                            place.layout(),
                            segment.memory(),
                            segment.segment(),
                            segment.file().toAbsolutePath().toString(),
                            segment.generation(),
                            place.counters(),
                            place.context(),
                            directory.socket(),
                            null,
                            place::close);
            return made;
        } finally {
            if (made == null) {
                place.close();
            }
        }
    }

    /**
     * Has a segment of a daemon; counters, errors and a socket are its own. If that fails, what it
     * has made is gone, and the session with the daemon is left to the caller.
     */
    static DirectResources lent(
            RuntimeDirectory directory, Configuration knobs, PeerAttachment daemon) {
        HostLayout layout = HostLayout.lent(knobs, daemon.welcome());
        requirePresent(daemon);
        CountersFile file =
                CountersFile.create(
                        directory.serverCounters(),
                        HostCounters.capacity(layout.geometry().maxClients()));
        ErrorsFile errorsFile = null;
        DirectResources made = null;
        try {
            errorsFile = ErrorsFile.create(directory.serverErrors());
            made = lent(directory, knobs, daemon, layout, file, errorsFile);
            return made;
        } finally {
            if (made == null) {
                close(file, errorsFile);
            }
        }
    }

    /**
     * Whoever makes a file replaces that of the same name. After the end of the daemon the files
     * may be those of the next one's server.
     */
    private static void requirePresent(PeerAttachment daemon) {
        if (daemon.isHungUp()) {
            throw new BmiException(
                    ErrorCode.ENETDOWN, "The daemon that lends the memory has ended.");
        }
    }

    /** The same, before its socket is made. */
    void requireDaemon() {
        if (daemon != null) {
            requirePresent(daemon);
        }
    }

    private static DirectResources lent(
            RuntimeDirectory directory,
            Configuration knobs,
            PeerAttachment daemon,
            HostLayout layout,
            CountersFile file,
            ErrorsFile errorsFile) {
        Welcome welcome = daemon.welcome();
        ErrorLog errors = newErrorLog();
        errors.keepIn(errorsFile);
        HostContext context =
                new HostContext(
                        NanoClock.SYSTEM,
                        new FutexWaiting(),
                        new ProcessLiveness(),
                        errors,
                        new SessionCounters(file.counters()),
                        TimeUnit.MILLISECONDS.toNanos(knobs.get(HostKnobs.HANDSHAKE_TIMEOUT_MS)));
        return new DirectResources(
                HostKind.DIRECT,
                layout,
                daemon.memory(),
                daemon.segment(),
                welcome.segmentPath(),
                welcome.segmentGeneration(),
                file.counters(),
                context,
                directory.serverSocket(),
                daemon,
                () -> leave(daemon, file, errorsFile));
    }

    private static void close(CountersFile counters, @Nullable ErrorsFile errors) {
        counters.close();
        if (errors != null) {
            errors.close();
        }
    }

    // A daemon that runs takes over the counters and errors, and then removes the files.
    private static void leave(PeerAttachment daemon, CountersFile counters, ErrorsFile errors) {
        if (!daemon.leave()) {
            close(counters, errors);
        }
    }
}
