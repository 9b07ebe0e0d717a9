package org.jbmi.simulator.socket;

import org.jspecify.annotations.Nullable;

import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/** A simulated listening socket. */
public final class SimListener extends ServerSocketChannel implements SimSelector.Ready {
    private final Deque<SimStream> knocking = new ArrayDeque<>();

    public SimListener() {
        super(SelectorProvider.provider());
    }

    /** Takes a connection. */
    public void connect(SimStream end) {
        knocking.add(end);
    }

    /** How many connections are not accepted. */
    public int waitingCount() {
        return knocking.size();
    }

    @Override
    public int readyOps() {
        return knocking.isEmpty() ? 0 : SelectionKey.OP_ACCEPT;
    }

    @Override
    public @Nullable SocketChannel accept() {
        return knocking.poll();
    }

    /** Its process ends: it accepts no connection any more. */
    public void endAll() {
        knocking.forEach(SimStream::end);
        knocking.clear();
    }

    @Override
    protected void implCloseSelectableChannel() {
        endAll();
    }

    @Override
    protected void implConfigureBlocking(boolean block) {
        // It never blocks.
    }

    @Override
    public ServerSocketChannel bind(@Nullable SocketAddress local, int backlog) {
        throw SimChannel.notHere();
    }

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) {
        throw SimChannel.notHere();
    }

    @Override
    public <T> T getOption(SocketOption<T> name) {
        throw SimChannel.notHere();
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return Set.of();
    }

    @Override
    public ServerSocket socket() {
        throw SimChannel.notHere();
    }

    @Override
    public SocketAddress getLocalAddress() {
        throw SimChannel.notHere();
    }
}
