package org.jbmi.zbmi.daemon.gateway;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;

/** A listening socket after whose close something happens at once. */
final class ClosingChannel extends ServerSocketChannel {
    private final ServerSocketChannel socket;
    private final Runnable afterClose;

    /**
     * Makes one of a socket.
     *
     * @param socket the channel closes it
     * @param afterClose runs in the thread that closes
     */
    ClosingChannel(ServerSocketChannel socket, Runnable afterClose) {
        super(socket.provider());
        this.socket = socket;
        this.afterClose = afterClose;
    }

    @Override
    public ServerSocketChannel bind(SocketAddress local, int backlog) throws IOException {
        socket.bind(local, backlog);
        return this;
    }

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        socket.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return socket.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return socket.supportedOptions();
    }

    @Override
    public ServerSocket socket() {
        return socket.socket();
    }

    @Override
    public SocketChannel accept() throws IOException {
        return socket.accept();
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        return socket.getLocalAddress();
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        socket.close();
        afterClose.run();
    }

    @Override
    protected void implConfigureBlocking(boolean isBlocking) throws IOException {
        socket.configureBlocking(isBlocking);
    }
}
