package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.observe.Counters;
import org.jbmi.zbmi.attach.AttachRequest;
import org.jbmi.zbmi.attach.Interrupts;
import org.jbmi.zbmi.host.place.ErrorLog;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The daemon's end of socket links, in a thread of its own. For each remote client it is a client
 * of the host that serves the runtime directory. Listens on a Unix-domain socket, on TCP, or on
 * both.
 */
public final class Gateway implements AutoCloseable {
    private static final long JOIN_NS = TimeUnit.SECONDS.toNanos(5);

    private final List<GatewayListener> listeners;
    private final List<String> addresses;
    private final GatewayLoop loop;
    private final LaneAttacher attacher;
    private final Thread thread;

    private Gateway(
            List<GatewayListener> listeners,
            List<String> addresses,
            GatewayLoop loop,
            LaneAttacher attacher) {
        this.listeners = listeners;
        this.addresses = addresses;
        this.loop = loop;
        this.attacher = attacher;
        this.thread = Thread.ofPlatform().daemon().name("zbmi-gateway").unstarted(loop);
    }

    /**
     * Opens a gateway if the knobs ask for one.
     *
     * @param request how to attach to the host, as a client through shared memory
     * @param handshakeNs how long a client may take for its hello
     * @return a gateway that listens and serves nobody before {@link #start}, or null
     * @throws BmiException if it cannot listen
     */
    public static @Nullable Gateway open(
            Configuration knobs,
            AttachRequest request,
            long handshakeNs,
            ErrorLog errors,
            Counters counters) {
        GatewaySettings settings = GatewaySettings.of(knobs, handshakeNs);
        if (!settings.hasUnix() && !settings.hasTcp()) {
            return null;
        }
        return open(settings, request, errors, counters, PeerCredentials.SYSTEM);
    }

    static Gateway open(
            GatewaySettings settings,
            AttachRequest request,
            ErrorLog errors,
            Counters counters,
            PeerCredentials credentials) {
        List<GatewayListener> listeners = new ArrayList<>();
        Selector selector = null;
        boolean isOpen = false;
        try {
            if (settings.hasUnix()) {
                listeners.add(GatewayListener.unix(settings.socket()));
            }
            if (settings.hasTcp()) {
                listeners.add(GatewayListener.tcp(settings.host(), settings.port()));
            }
            List<String> addresses = new ArrayList<>();
            for (GatewayListener listener : listeners) {
                addresses.add(listener.address());
            }
            Selector opened = Selector.open();
            selector = opened;
            LaneAttacher attacher =
                    new LaneAttacher(request, settings.maxClients(), opened::wakeup);
            GatewayLoop loop =
                    new GatewayLoop(
                            settings,
                            new GatewayAccess(settings, credentials, ownUser(request)),
                            opened,
                            listeners,
                            attacher,
                            request.clock(),
                            errors,
                            new GatewayCounters(counters));
            Gateway gateway = new Gateway(listeners, List.copyOf(addresses), loop, attacher);
            isOpen = true;
            return gateway;
        } catch (IOException e) {
            throw new BmiException(
                    ErrorCode.EIO, "The gateway cannot be opened: " + e.getMessage() + ".", e);
        } finally {
            if (!isOpen) {
                closeAll(listeners);
                close(selector);
            }
        }
    }

    // Who serves the runtime directory owns it.
    private static String ownUser(AttachRequest request) throws IOException {
        return Files.getOwner(request.socket().toAbsolutePath().getParent()).getName();
    }

    /** Begins to serve. To be called once. */
    public Gateway start() {
        thread.start();
        return this;
    }

    /**
     * Where it listens, as clients write it.
     *
     * @return the path of a socket, {@code host:port} or {@code [ipv6]:port}, one for each
     */
    public List<String> addresses() {
        return addresses;
    }

    /**
     * Whether its thread runs.
     *
     * @return false after the end, or after a failure
     */
    public boolean isHealthy() {
        return thread.isAlive();
    }

    @Override
    public void close() {
        loop.stop();
        if (thread.getState() == Thread.State.NEW) { // it was never started
            loop.run(); // which only closes the selector now
        }
        boolean wasInterrupted = Interrupts.join(thread, JOIN_NS);
        attacher.close();
        closeAll(listeners);
        Interrupts.restore(wasInterrupted);
    }

    private static void closeAll(List<GatewayListener> listeners) {
        for (GatewayListener listener : listeners) {
            try {
                listener.close();
            } catch (IOException e) {
                System.getLogger(Gateway.class.getName())
                        .log(System.Logger.Level.WARNING, "closing a gateway", e);
            }
        }
    }

    private static void close(@Nullable Selector selector) {
        try {
            if (selector != null) {
                selector.close();
            }
        } catch (IOException e) {
            System.getLogger(Gateway.class.getName())
                    .log(System.Logger.Level.WARNING, "closing a gateway", e);
        }
    }
}
