package org.jbmi.tcp.peer;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.tcp.TcpResolver;
import org.jbmi.tcp.address.TcpEndpoint;
import org.jbmi.tcp.address.TrustedSources;
import org.jbmi.tcp.io.Sockets;
import org.jbmi.tcp.io.SystemErrors;
import org.jbmi.tcp.io.Watched;
import org.jbmi.tcp.settings.TcpCodes;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;

/**
 * A listening socket; the lead handles its events. When there are too many connections or no
 * descriptors, the oldest connection that has sent no header for a second is closed to make room.
 * If there is none, accepting pauses. If the descriptors are still lacking after some seconds, the
 * clients that wait are turned away, using a descriptor that was reserved for that. Without memory
 * accepting pauses, too.
 */
final class Acceptor extends Watched {
    private static final System.Logger LOG = System.getLogger("org.jbmi.tcp");
    private static final int BACKLOG = 1024;
    private static final int MAX_ACCEPTS = 64;
    private static final long PAUSE_NS = 100_000_000;
    private static final long PATIENCE_NS = 5_000_000_000L;

    /** How long a connection may take to send its first header, even if others wait. */
    private static final long FIRST_WORD_NS = 1_000_000_000L;

    private final TcpState state;
    private final Sockets sockets;
    private final Endings endings;
    private final ServerSocketChannel channel;
    private @Nullable SocketChannel spare;
    private long pausedSinceNs;
    private long resumeNs;
    private int endedConnections;
    volatile TrustedSources trusted;

    Acceptor(
            TcpState state,
            Sockets sockets,
            Endings endings,
            TcpEndpoint endpoint,
            TrustedSources trusted) {
        this.state = state;
        this.sockets = sockets;
        this.endings = endings;
        this.trusted = trusted;
        channel = listen(state, endpoint);
        try {
            spare = SocketChannel.open();
            sockets.register(channel, this);
            state.interests.want(this, SelectionKey.OP_ACCEPT);
        } catch (IOException e) {
            close();
            throw cannotListen(endpoint, e);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private static ServerSocketChannel listen(TcpState state, TcpEndpoint endpoint) {
        ServerSocketChannel opened = null;
        try {
            InetAddress address = bindAddress(state, endpoint);
            boolean isIpv6 = address != null && address.getAddress().length > 4;
            ProtocolFamily family =
                    isIpv6 ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET;
            opened = ServerSocketChannel.open(family);
            opened.configureBlocking(false);
            opened.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            int receiveBytes = state.settings.receiveBufferBytes;
            if (receiveBytes > 0) {
                opened.setOption(StandardSocketOptions.SO_RCVBUF, receiveBytes);
            }
            boolean specific = state.settings.bindSpecific;
            String any = isIpv6 ? "::" : "0.0.0.0";
            InetAddress bound = specific && address != null ? address : InetAddress.ofLiteral(any);
            opened.bind(new InetSocketAddress(bound, endpoint.port()), BACKLOG);
            return opened;
        } catch (IOException | UnsupportedOperationException e) { // the latter: no such family
            Sockets.closeQuietly(opened);
            throw cannotListen(endpoint, e);
        } catch (RuntimeException | Error e) {
            Sockets.closeQuietly(opened);
            throw e;
        }
    }

    /** The address of the host in the listen address; null if the address does not matter. */
    private static @Nullable InetAddress bindAddress(TcpState state, TcpEndpoint endpoint)
            throws UnknownHostException {
        InetAddress literal = endpoint.numeric();
        if (literal != null || !state.settings.bindSpecific) {
            return literal;
        }
        TcpResolver resolver = state.host.attachment(TcpResolver.class);
        if (resolver == null) {
            return InetAddress.getByName(endpoint.host());
        }
        List<InetSocketAddress> found =
                resolver.resolve(endpoint.host(), Math.max(1, endpoint.port()));
        if (found.isEmpty() || found.getFirst().getAddress() == null) {
            throw new UnknownHostException(endpoint.host());
        }
        return found.getFirst().getAddress();
    }

    private static BmiException cannotListen(TcpEndpoint endpoint, Exception e) {
        ErrorCode code =
                switch (e) {
                    case UnknownHostException unknown -> ErrorCode.EHOSTNTFD;
                    case UnsupportedOperationException other -> ErrorCode.EADDRNOTAVAIL;
                    default -> SystemErrors.codeOf(e, ErrorCode.EIO);
                };
        return new BmiException(
                code, "Cannot listen on " + endpoint.text() + ": " + e.getMessage() + ".", e);
    }

    /** The port it is bound to. */
    int port() {
        try {
            return channel.getLocalAddress() instanceof InetSocketAddress bound
                    ? bound.getPort()
                    : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    /** Accepts waiting connections; called by the lead. */
    int acceptable() {
        int accepted = 0;
        try {
            boolean isFull = isFull();
            Connection silent = isFull ? oldestSilent() : null;
            if (isFull && silent == null) {
                pause();
                return 0;
            }
            do { // at the limit only one, since perhaps no other waits
                SocketChannel next = accept();
                if (next == null) {
                    break;
                }
                pausedSinceNs = 0;
                welcome(next, silent);
                accepted++;
            } while (accepted < MAX_ACCEPTS && !isFull());
        } catch (ClosedChannelException e) {
            LOG.log(System.Logger.Level.DEBUG, "accept", e);
        } catch (IOException e) {
            exhausted();
        } catch (OutOfMemoryError e) { // no descriptor is lacking, so no other client must go
            pausedSinceNs = 0;
            pause();
        }
        return accepted;
    }

    /** Takes the next client that waits; null if there is none. */
    private @Nullable SocketChannel accept() throws IOException {
        state.interests.needMemory(); // without memory for its socket the client would be lost
        return channel.accept();
    }

    private boolean isFull() {
        synchronized (state.lock) {
            return state.connections.size() >= state.settings.maxConnections;
        }
    }

    /** Takes a connection in, in place of a silent one if there is one, or refuses it. */
    private void welcome(SocketChannel accepted, @Nullable Connection silent) {
        Connection listed = null;
        try {
            InetSocketAddress from = (InetSocketAddress) accepted.getRemoteAddress();
            if (from == null || !trusted.accept(from.getAddress(), from.getPort())) {
                state.counters.refusedUntrusted.increment();
                accepted.close();
                return;
            }
            if (silent != null) {
                endings.end(silent, TcpCodes.ECONNRESET);
            }
            sockets.prepare(accepted);
            boolean isSmall = sockets.connected(accepted);
            InetAddress address = from.getAddress();
            TcpPeer peer = new TcpPeer(List.of(), address.getHostAddress(), 0);
            peer.remote = address;
            Connection connection = new Connection(accepted, peer, true, address);
            connection.established = true;
            connection.outgoing.hasSmallBuffer = isSmall;
            synchronized (state.lock) {
                peer.out = connection;
                peer.connections.add(connection);
                state.connections.add(connection);
                listed = connection;
                state.counters.connections.add(1);
                state.counters.accepted.increment();
            }
            sockets.register(accepted, connection);
            state.interests.want(connection, SelectionKey.OP_READ);
        } catch (IOException e) {
            reject(accepted, listed, SystemErrors.codeOf(e, ErrorCode.EIO).negativeValue());
        } catch (RuntimeException | Error e) {
            reject(accepted, listed, Endings.codeOf(e));
        }
    }

    private void reject(SocketChannel accepted, @Nullable Connection listed, int code) {
        if (listed != null) {
            endings.end(listed, code);
        }
        Sockets.closeQuietly(accepted);
    }

    /** The oldest connection that has sent no header although it had time. */
    private @Nullable Connection oldestSilent() {
        Connection silent = null;
        long nowNs = System.nanoTime();
        synchronized (state.lock) {
            for (int i = 0; i < state.connections.size(); i++) { // an iterator takes memory
                Connection each = state.connections.get(i);
                boolean older = silent == null || each.openedNs - silent.openedNs < 0;
                boolean hadTime = nowNs - each.openedNs >= FIRST_WORD_NS;
                if (each.accepted && !each.incoming.hasSpoken && hadTime && older) {
                    silent = each;
                }
            }
        }
        return silent;
    }

    /**
     * Nothing can be accepted: there are no descriptors. Trying again at once would only keep a
     * processor busy.
     */
    private void exhausted() {
        state.counters.outOfDescriptors.increment();
        long nowNs = System.nanoTime();
        if (endedConnections != state.endedConnections) {
            endedConnections = state.endedConnections;
            pausedSinceNs = 0; // descriptors may be free at the next poll
        }
        if (pausedSinceNs == 0 || nowNs - pausedSinceNs < PATIENCE_NS) {
            Connection silent = oldestSilent();
            if (silent == null) {
                pause();
            } else {
                endings.end(silent, TcpCodes.ECONNRESET);
            }
            return;
        }
        turnAway();
        pausedSinceNs = 0; // a client that connects now has not waited yet
        pause();
    }

    /** Accepts with the reserved descriptor, and closes: better than no answer. */
    private void turnAway() {
        Sockets.closeQuietly(spare);
        spare = null;
        try {
            SocketChannel next = accept();
            for (int i = 0; next != null && i < BACKLOG; i++) {
                next.close();
                next = accept();
            }
            Sockets.closeQuietly(next);
        } catch (IOException | OutOfMemoryError e) {
            LOG.log(System.Logger.Level.DEBUG, "accept", e);
        }
        keepSpare();
    }

    private void keepSpare() {
        if (spare == null) {
            try {
                state.interests.needMemory();
                spare = SocketChannel.open();
            } catch (IOException | OutOfMemoryError e) {
                LOG.log(System.Logger.Level.DEBUG, "spare", e);
            }
        }
    }

    private void pause() {
        long nowNs = System.nanoTime();
        pausedSinceNs = pausedSinceNs == 0 ? nowNs | 1 : pausedSinceNs;
        state.beginsTime();
        resumeNs = nowNs + PAUSE_NS;
        state.interests.unwant(this, SelectionKey.OP_ACCEPT);
    }

    /**
     * Listens again after a pause; called by the lead now and then.
     *
     * @return whether there is a pause, or nobody was accepted since
     */
    boolean checkPause(long nowNs) {
        if (pausedSinceNs != 0 && nowNs - resumeNs >= 0) {
            keepSpare();
            state.interests.want(this, SelectionKey.OP_ACCEPT);
        }
        return pausedSinceNs != 0;
    }

    void close() {
        try {
            state.interests.close(this, channel);
        } finally {
            Sockets.closeQuietly(spare);
        }
    }
}
