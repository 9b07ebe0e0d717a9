package org.jbmi.zbmi.daemon;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.observe.Counters;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.Interrupts;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.daemon.gateway.Gateway;
import org.jbmi.zbmi.host.EngineHosting;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jbmi.zbmi.host.place.HostContext;
import org.jbmi.zbmi.host.place.HostPlace;
import org.jbmi.zbmi.link.ShmClientLink;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A running zoid daemon: it owns the shared-memory segment, runs the engine, and attaches clients
 * and their server. Any number of daemons may run in a process, each in a runtime directory of its
 * own.
 *
 * <p>It has two threads, both daemon threads: one for the engine, one for the Unix-domain socket.
 * With a gateway for remote clients it has a third one, and one more while a remote client is being
 * attached. An idle thread sleeps. Safe for use by any thread.
 */
public final class ZbmiDaemon implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ZbmiDaemon.class.getName());
    private static final long JOIN_NS = TimeUnit.SECONDS.toNanos(5);

    private final Configuration configuration;
    private final RuntimeDirectory directory;
    private final ErrorLog errors = ErrorLog.to(LOG);
    private final HostPlace place;
    private final EngineHosting hosting;
    private final Thread engineThread;
    private final Thread sessionsThread;
    private final @Nullable Gateway gateway;
    private boolean haveThreadsEnded;

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
         * @throws BmiException with {@link ErrorCode#EBUSY} if another one serves the directory.
         *     With {@link ErrorCode#ENOSPC} if the segment does not fit its file system. With
         *     {@link ErrorCode#EACCES} if others may write into the directory. With {@link
         *     ErrorCode#EINVAL} for inconsistent knobs. With {@link ErrorCode#ENOSYS} or {@link
         *     ErrorCode#EPROTONOSUPPORT} for a command channel that is not there. Nothing is left
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
        this.place = new HostPlace("The daemon", directory, configuration, errors);
        this.gateway = openGateway();
        this.hosting = openHosting();
        boolean started = false;
        try {
            this.sessionsThread = thread("zbmi-sessions", hosting.serving());
            this.engineThread = thread("zbmi-engine", hosting.loop());
            sessionsThread.start();
            engineThread.start();
            if (gateway != null) {
                gateway.start();
            }
            started = true;
        } finally {
            if (!started) {
                try {
                    endThreads();
                } finally {
                    place.close();
                }
            }
        }
        LOG.log(System.Logger.Level.DEBUG, "zoid daemon in {0}", directory.path());
    }

    // The first to be opened: if it cannot listen, no journal of the engine has begun.
    private @Nullable Gateway openGateway() {
        HostContext context = place.context();
        AttachRequest request =
                new AttachRequest(
                        directory.socket(),
                        PeerRole.CLIENT,
                        ShmClientLink.NAME,
                        context.handshakeTimeoutNs(),
                        context.waiting(),
                        context.clock(),
                        context.liveness());
        boolean isOpen = false;
        try {
            Gateway opened =
                    Gateway.open(
                            configuration,
                            request,
                            context.handshakeTimeoutNs(),
                            errors,
                            place.counters());
            isOpen = true;
            return opened;
        } finally {
            if (!isOpen) {
                place.close();
            }
        }
    }

    private static Thread thread(String name, Runnable body) {
        return Thread.ofPlatform().daemon().name(name).unstarted(body);
    }

    private EngineHosting openHosting() {
        boolean isOpen = false;
        try {
            EngineHosting opened = EngineHosting.open(place);
            isOpen = true;
            return opened;
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.EIO,
                    "Cannot listen on " + directory.socket() + ": " + e.getMessage() + ".",
                    e);
        } finally {
            if (gateway != null) {
                place.keep(gateway); // it ends after the threads: its clients see the end as all do
            }
            if (!isOpen) {
                place.close();
            }
        }
    }

    /**
     * The directory in which peers find it.
     *
     * @return the runtime directory
     */
    public RuntimeDirectory directory() {
        return directory;
    }

    /**
     * The configuration of this daemon.
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
        return place.segment().file();
    }

    /**
     * Its counters; other processes read them from the counters file.
     *
     * @return live counters
     */
    public Counters counters() {
        return place.counters();
    }

    /**
     * The errors so far.
     *
     * @return each distinct error once
     */
    public List<ErrorLog.Entry> errors() {
        return errors.entries();
    }

    /**
     * Where its gateway listens for clients that cannot map its segment.
     *
     * @return addresses as clients write them, with the ports that it has got; empty if it has no
     *     gateway
     */
    public List<String> gatewayAddresses() {
        Gateway open = gateway;
        return open == null ? List.of() : open.addresses();
    }

    /**
     * Whether all of its threads run. One that is not healthy should be closed.
     *
     * @return false after the end, or after a failure
     */
    public boolean isHealthy() {
        Gateway open = gateway;
        return engineThread.isAlive()
                && sessionsThread.isAlive()
                && (open == null || open.isHealthy());
    }

    /**
     * Ends the daemon within a bounded time: its peers' operations end with {@link
     * ErrorCode#EHOSTDOWN}, its files go. Closing again does nothing, unless this found no memory.
     *
     * @throws OutOfMemoryError if there is none for so long that something is left, which a further
     *     close removes
     */
    @Override
    public synchronized void close() {
        if (!haveThreadsEnded) {
            endThreads();
            haveThreadsEnded = true; // what they write to may go now
        }
        place.close();
    }

    private void endThreads() {
        hosting.sessions().stop();
        end(sessionsThread, hosting.serving());
        hosting.loop().stop();
        end(engineThread, hosting.loop());
    }

    // A body that was stopped only closes what it has. This thread does so again, since the other
    // one may have found no memory for all of it, or could not be started.
    private static void end(Thread thread, Runnable body) {
        join(thread);
        if (!thread.isAlive()) {
            body.run();
        }
    }

    private static void join(Thread thread) {
        boolean wasInterrupted = Interrupts.join(thread, JOIN_NS);
        try {
            if (thread.isAlive()) {
                LOG.log(System.Logger.Level.ERROR, "the thread {0} does not end", thread.getName());
            }
        } catch (OutOfMemoryError | LinkageError e) {
            // There is no memory for the log; the rest of the close must go on.
        }
        Interrupts.restore(wasInterrupted);
    }
}
