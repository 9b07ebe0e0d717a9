package org.jbmi.tcp.peer;

import org.jbmi.BmiException;
import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jbmi.mempool.pool.PoolAllocator;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.MethodHost;
import org.jbmi.spi.MethodLimits;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.spi.Waitable;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.tcp.address.AddressRange;
import org.jbmi.tcp.address.TcpAddressGrammar;
import org.jbmi.tcp.address.TcpEndpoint;
import org.jbmi.tcp.address.TrustedSources;
import org.jbmi.tcp.io.Sockets;
import org.jbmi.tcp.io.SystemErrors;
import org.jbmi.tcp.settings.TcpCodes;
import org.jbmi.tcp.settings.TcpKnobs;
import org.jbmi.tcp.settings.TcpSettings;
import org.jbmi.tcp.wire.SourceHash;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;

/** The method: passes the core's calls to the parts. */
final class TcpMethod implements Method {
    private final TcpState state;
    private final Selector selector;
    private final Endings endings;
    private final Directory directory;
    private final Sockets sockets;
    private final Dialer dialer;
    private final Sends sends;
    private final Receives receives;
    private final Reactor reactor;
    private final Closing closing;
    private final List<Acceptor> acceptors = new ArrayList<>();

    private TcpMethod(MethodHost host, Selector selector) {
        TcpSettings settings = new TcpSettings(host.configuration());
        String sourcePorts = host.configuration().get(TcpKnobs.SOURCE_PORTS);
        this.selector = selector;
        state = new TcpState(host, settings);
        Names names = new Names(state);
        directory = new Directory(state, names);
        endings = new Endings(state, directory);
        sockets = new Sockets(settings, selector, sourcePorts);
        Writer writer = new Writer(state, endings);
        dialer = new Dialer(state, endings, sockets, writer, names);
        receives = new Receives(state, endings, directory);
        sends = new Sends(state, directory, writer, dialer);
        Arrivals arrivals = new Arrivals(state, endings);
        Reader reader = new Reader(state, endings, arrivals, directory, sockets);
        reactor = new Reactor(state, selector, endings, reader, writer, dialer, acceptors);
        closing = new Closing(state, endings, writer, dialer, directory);
    }

    static TcpMethod open(MethodHost host, List<String> listenAddresses) {
        Selector opened;
        try {
            opened = Sockets.openSelector();
        } catch (IOException e) {
            ErrorCode code = SystemErrors.codeOf(e, ErrorCode.EIO);
            throw new BmiException(code, "Cannot open a selector: " + e.getMessage() + ".", e);
        }
        TcpMethod method = null;
        try {
            method = new TcpMethod(host, opened);
            method.listen(listenAddresses);
            return method;
        } catch (RuntimeException | Error e) {
            if (method != null) {
                method.close();
            }
            Sockets.closeQuietly(opened);
            throw e;
        }
    }

    private void listen(List<String> addresses) {
        TcpSettings settings = state.settings;
        String text = state.host.configuration().get(TcpKnobs.TRUSTED);
        TrustedSources trusted = TrustedSources.parse(text);
        for (String address : addresses) {
            TcpEndpoint endpoint = listenEndpoint(address);
            acceptors.add(new Acceptor(state, sockets, endings, endpoint, trusted));
            if (acceptors.size() == 1 && settings.dialect.hasClasses()) {
                String own = settings.identity.isEmpty() ? endpoint.text() : settings.identity;
                state.sourceHash = SourceHash.of(own);
            }
        }
    }

    private TcpEndpoint listenEndpoint(String address) {
        TcpSettings settings = state.settings;
        return TcpAddressGrammar.parse(address, settings.dialect, settings.zone).getFirst();
    }

    @Override
    public MethodLimits limits() {
        return state.settings.limits;
    }

    @Override
    public MethodAddress lookup(String address) {
        return directory.lookup(address);
    }

    @Override
    public long post(Operation operation) {
        boolean isServer = !acceptors.isEmpty();
        if (!state.pool.exists() && !operation.poolOnly()) {
            return route(operation);
        }
        if (!state.pin(operation, isServer && operation.poolOnly())) {
            return TcpCodes.EINVAL;
        }
        long result = 0; // not pending, if the post throws
        try {
            result = route(operation);
            return result;
        } finally {
            if (result != PENDING) {
                state.unpin(operation);
            }
        }
    }

    private long route(Operation operation) {
        TcpPeer peer = (TcpPeer) operation.address();
        if (operation.messageClass() != 0 && !state.settings.dialect.hasClasses()) {
            return ErrorCode.EOPNOTSUPP.negativeValue();
        }
        return operation.kind() == OperationKind.RECEIVE
                ? receives.post(operation, peer)
                : sends.post(operation, peer);
    }

    @Override
    public CancelOutcome cancel(Operation operation, long id, int code) {
        // The fields may belong to the next use of the operation; the id is compared later.
        if (state.settings.forcefulCancel
                && code == TcpCodes.ECANCEL // a deadline ends its own operation only
                && operation.addressOrNull() instanceof TcpPeer peer) {
            boolean isThis = operation.id() == id;
            if (isThis) {
                closeConnections(peer, code);
            }
        }
        return operation.kind() == OperationKind.RECEIVE
                ? receives.cancel(operation, id, code)
                : sends.cancel(operation, id, code);
    }

    /**
     * Ends all operations of the peer. It chooses what to end before another thread can post
     * because the first one has ended. Called by any thread. Allocates nothing itself.
     */
    private void closeConnections(TcpPeer given, int code) {
        TcpPeer peer;
        synchronized (state.lock) {
            peer = given.target();
            Dial dial = dialer.dialOf(peer);
            boolean isIdle = dial == null && peer.connections.isEmpty();
            for (int i = 0; i < peer.connections.size(); i++) {
                Connection connection = peer.connections.get(i);
                if (connection.dial == null) {
                    endings.beginForce(connection, code);
                }
            }
            if (dial != null) {
                dialer.abandon(dial, code);
            } else if (isIdle) {
                state.completeAll(peer.sends, code);
                endings.failReceives(peer, code);
            }
        }
        endings.disconnect(peer);
    }

    @Override
    public Waitable waitable() {
        return reactor;
    }

    @Override
    public @Nullable MemorySegment memalloc(long sizeBytes) {
        return state.pool.allocate(sizeBytes);
    }

    @Override
    public int memfree(MemorySegment memory) {
        return switch (state.pool.free(memory)) {
            case PoolAllocator.FREED -> 0;
            case PoolAllocator.IN_USE -> TcpCodes.EBUSY;
            default -> TcpCodes.EINVAL;
        };
    }

    @Override
    public void unexpectedFree(long token) {
        state.unexpected.free(token);
        state.memoryFreed();
    }

    @Override
    public void disconnect(MethodAddress address) {
        TcpPeer peer = (TcpPeer) address;
        synchronized (state.lock) {
            directory.forget(peer); // the next look-up connects anew
        }
        closeConnections(peer, TcpCodes.ECANCEL);
    }

    @Override
    public void dropped(MethodAddress address) {
        TcpPeer peer = (TcpPeer) address;
        synchronized (state.lock) {
            if (peer.isLookedUp() ? directory.forgetIfIdle(peer) : peer.failure != 0) {
                endings.dropEarly(peer);
            }
        }
    }

    @Override
    public boolean inAddressRange(MethodAddress address, String pattern, int prefixLength) {
        AddressRange range = AddressRange.parse(pattern, prefixLength);
        TcpPeer peer = (TcpPeer) address;
        InetAddress remote = peer.remote;
        if (remote == null) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "The address of " + peer.displayName() + " is not known before it is used.");
        }
        return range.contains(remote);
    }

    @Override
    public boolean setOption(@Nullable MethodAddress address, Option<?> option, Object value) {
        TcpSettings settings = state.settings;
        if (option.equals(TcpOptions.FORCEFUL_CANCEL)) {
            settings.forcefulCancel = (Boolean) value;
        } else if (option.equals(TcpOptions.SEND_BUFFER_BYTES)) {
            settings.sendBufferBytes = sizeOf(option, value);
        } else if (option.equals(TcpOptions.RECEIVE_BUFFER_BYTES)) {
            settings.receiveBufferBytes = sizeOf(option, value);
        } else if (option.equals(TcpOptions.TRUSTED_CONNECTIONS)) {
            TrustedSources trusted = TrustedSources.parse((String) value);
            acceptors.forEach(acceptor -> acceptor.trusted = trusted);
        } else {
            return false;
        }
        return true;
    }

    private static int sizeOf(Option<?> option, Object value) {
        int sizeBytes = (Integer) value;
        if (sizeBytes < 0) {
            throw new BmiException(
                    ErrorCode.EINVAL, option.name() + " is a number of bytes, 0 or more.");
        }
        return sizeBytes;
    }

    @Override
    public @Nullable Object getOption(@Nullable MethodAddress address, Option<?> option) {
        if (option.equals(TcpOptions.PORT)) {
            return acceptors.isEmpty() ? -1 : acceptors.getFirst().port();
        }
        return null;
    }

    @Override
    public void close() {
        close(Long.MAX_VALUE);
    }

    @Override
    public void close(long deadlineNs) {
        closing.close(acceptors, selector, deadlineNs);
    }
}
