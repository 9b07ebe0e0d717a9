package org.jbmi.simulator.socket;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;

/** One end of a simulated socket; implements the methods that are not used here. */
abstract class SimChannel extends SocketChannel implements SimSelector.Ready {
    SimChannel() {
        this(SelectorProvider.provider());
    }

    SimChannel(SelectorProvider maker) {
        super(maker);
    }

    @Override
    protected void implConfigureBlocking(boolean block) {
        // It never blocks.
    }

    static UnsupportedOperationException notHere() {
        return new UnsupportedOperationException(
                "a simulated socket has only the operations that are needed");
    }

    @Override
    public SocketChannel bind(@Nullable SocketAddress local) {
        throw notHere();
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) {
        throw notHere();
    }

    @Override
    public <T> T getOption(SocketOption<T> name) {
        throw notHere();
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return Set.of();
    }

    @Override
    public SocketChannel shutdownInput() {
        throw notHere();
    }

    @Override
    public SocketChannel shutdownOutput() {
        return this;
    }

    @Override
    public Socket socket() {
        throw notHere();
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public boolean isConnectionPending() {
        return false;
    }

    @Override
    public boolean connect(SocketAddress remote) throws IOException {
        throw notHere();
    }

    @Override
    public boolean finishConnect() throws IOException {
        return true;
    }

    @Override
    public SocketAddress getRemoteAddress() {
        throw notHere();
    }

    @Override
    public SocketAddress getLocalAddress() {
        return UnixDomainSocketAddress.of("simulated");
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) throws IOException {
        throw notHere();
    }

    @Override
    public long write(ByteBuffer[] bytes, int offset, int length) throws IOException {
        throw notHere();
    }
}
