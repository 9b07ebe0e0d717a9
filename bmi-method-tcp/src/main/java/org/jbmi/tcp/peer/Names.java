package org.jbmi.tcp.peer;

import org.jbmi.BmiException;
import org.jbmi.spi.Failures;
import org.jbmi.tcp.TcpResolver;
import org.jbmi.tcp.address.TcpEndpoint;
import org.jbmi.tcp.settings.TcpCodes;
import org.jspecify.annotations.Nullable;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Resolves the names of peers. A name service may block, so it is called in short-lived threads.
 */
final class Names {
    private static final int MAX_RESOLVING = 16;

    // Made beforehand: those who asked are told also while there is no memory.
    private static final Found NO_MEMORY = new Found(List.of(), TcpCodes.ENOMEM);
    private static final Found TRY_LATER = new Found(List.of(), TcpCodes.ETRYAGAIN);

    /**
     * The addresses of a name.
     *
     * @param targets in the order of the attempts
     * @param error why there is none, if there is none
     */
    record Found(List<InetSocketAddress> targets, int error) {}

    private final TcpState state;
    private final @Nullable TcpResolver resolver;

    /** Guarded by the method's lock. */
    private int resolving;

    private Runnable changed = () -> {};

    Names(TcpState state) {
        this.state = state;
        this.resolver = state.host.attachment(TcpResolver.class);
    }

    /** What to call, under the lock, when a peer has other addresses than before. */
    void whenChanged(Runnable action) {
        changed = action;
    }

    /** The addresses of a peer that need no name service; null if they need one. */
    @Nullable List<InetSocketAddress> literals(TcpPeer peer) {
        if (resolver != null || !peer.endpoints.stream().allMatch(TcpEndpoint::isNumeric)) {
            return null;
        }
        List<InetSocketAddress> targets = new ArrayList<>();
        for (TcpEndpoint endpoint : peer.endpoints) {
            InetAddress literal = endpoint.numeric();
            if (literal != null && endpoint.port() > 0) {
                targets.add(new InetSocketAddress(literal, endpoint.port()));
            }
        }
        return targets;
    }

    /**
     * Resolves all addresses of a peer, and stores them there. A peer has one resolution at a time,
     * so that a slow name takes one thread only.
     *
     * @param afterwards gets them, without the lock; on another thread unless there is none
     * @return false if too many names are being resolved or there is no thread for it; {@code
     *     afterwards} is not called then
     */
    boolean resolve(TcpPeer peer, Consumer<Found> afterwards) {
        synchronized (state.lock) {
            List<Consumer<Found>> others = peer.askers;
            if (others != null) {
                others.add(afterwards);
                return true;
            }
            if (resolving >= MAX_RESOLVING) {
                return false;
            }
            peer.askers = new ArrayList<>(List.of(afterwards));
            resolving++;
        }
        try {
            Thread thread = new Thread(() -> run(peer), "jbmi-tcp-resolve");
            thread.setDaemon(true);
            thread.start();
            return true;
        } catch (RuntimeException | Error e) {
            synchronized (state.lock) {
                if (peer.askers != null) {
                    peer.askers.remove(afterwards);
                }
            }
            tell(peer, TRY_LATER);
            return false;
        }
    }

    private void run(TcpPeer peer) {
        Found found = NO_MEMORY;
        try {
            found = resolve(peer);
        } finally {
            peer.resolvedOnce = true;
            tell(peer, found);
        }
    }

    private void tell(TcpPeer peer, Found found) {
        List<Consumer<Found>> askers;
        synchronized (state.lock) {
            askers = peer.askers;
            peer.askers = null;
            resolving--;
        }
        Throwable failure = null;
        for (int i = 0; askers != null && i < askers.size(); i++) {
            try {
                askers.get(i).accept(found);
            } catch (RuntimeException | Error e) {
                failure = Failures.first(failure, e); // the others wait for it, too
            }
        }
        Failures.rethrow(failure);
    }

    private Found resolve(TcpPeer peer) {
        List<InetSocketAddress> found = new ArrayList<>();
        Map<TcpEndpoint, List<InetAddress>> byEndpoint = new HashMap<>();
        int error = TcpCodes.EADDRNTFD;
        for (TcpEndpoint endpoint : peer.endpoints) {
            int before = found.size();
            try {
                for (InetSocketAddress each : resolve(endpoint)) {
                    found.add(Objects.requireNonNull(each));
                }
            } catch (UnknownHostException e) {
                error = TcpCodes.EHOSTNTFD;
            } catch (BmiException e) {
                error = e.code().negativeValue();
            } catch (OutOfMemoryError e) {
                error = TcpCodes.ENOMEM;
            } catch (RuntimeException | Error e) {
                error = TcpCodes.ENORECVR; // a fault of the program's resolver
            }
            if (found.size() > before) {
                byEndpoint.put(endpoint, addressesOf(found.subList(before, found.size())));
            }
        }
        if (!found.isEmpty()) {
            store(peer, byEndpoint);
        }
        return new Found(found, error);
    }

    private static List<InetAddress> addressesOf(List<InetSocketAddress> found) {
        List<InetAddress> addresses = new ArrayList<>();
        for (InetSocketAddress each : found) {
            if (each.getAddress() != null) {
                addresses.add(each.getAddress());
            }
        }
        return addresses;
    }

    /** Stores the addresses; those of a name that could not be resolved now stay. */
    private void store(TcpPeer peer, Map<TcpEndpoint, List<InetAddress>> byEndpoint) {
        Set<InetAddress> addresses = new LinkedHashSet<>();
        synchronized (state.lock) {
            peer.resolvedByEndpoint.putAll(byEndpoint);
            for (TcpEndpoint endpoint : peer.endpoints) {
                InetAddress literal = endpoint.numeric();
                if (literal != null) {
                    addresses.add(literal);
                }
                addresses.addAll(peer.resolvedByEndpoint.getOrDefault(endpoint, List.of()));
            }
            // Name services give the addresses in changing order.
            boolean isNew = !addresses.equals(Set.copyOf(peer.resolved));
            peer.resolved = List.copyOf(addresses);
            if (isNew) {
                changed.run();
            }
        }
    }

    private List<InetSocketAddress> resolve(TcpEndpoint endpoint) throws UnknownHostException {
        if (endpoint.port() == 0) {
            return List.of();
        }
        if (resolver != null) {
            return resolver.resolve(endpoint.host(), endpoint.port());
        }
        List<InetSocketAddress> found = new ArrayList<>();
        for (InetAddress each : InetAddress.getAllByName(endpoint.host())) {
            found.add(new InetSocketAddress(each, endpoint.port()));
        }
        return found;
    }
}
