package org.jbmi.simulator;

import org.jbmi.zbmi.protocol.HandshakeCodec;
import org.jbmi.zbmi.protocol.Ring;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;

/**
 * One end of a played Unix socket. What a peer writes after its handshake is a ring or its goodbye.
 */
final class SimSocket extends SocketChannel {
    private @Nullable SimSocket other;
    private int unreadBytes;
    boolean isEnded;
    boolean saidGoodbye;
    boolean isRung;
    private boolean isClosed;

    private SimSocket() {
        super(SelectorProvider.provider());
    }

    /** The peer's end of a new pair; {@link #other} is the daemon's. */
    static SimSocket pair() {
        SimSocket peer = new SimSocket();
        SimSocket daemon = new SimSocket();
        peer.other = daemon;
        daemon.other = peer;
        return peer;
    }

    SimSocket other() {
        SimSocket end = other;
        if (end == null) {
            throw new IllegalStateException("half a socket");
        }
        return end;
    }

    /** Whether somebody who sleeps in a selector would wake. */
    boolean isReadable() {
        return unreadBytes > 0 || isEnded;
    }

    boolean isClosed() {
        return isClosed;
    }

    /** The daemon wakes its peer. */
    void sendByte() {
        other().unreadBytes++;
    }

    /** Its process has ended, or the connection is cut. */
    void end() {
        isClosed = true;
        other().isEnded = true;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        if (isClosed && !isEnded) {
            throw new ClosedChannelException();
        }
        int count = Math.min(unreadBytes, into.remaining());
        for (int i = 0; i < count; i++) {
            into.put((byte) 1);
        }
        unreadBytes -= count;
        return count == 0 && isEnded ? -1 : count;
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        if (isClosed || isEnded) {
            throw new ClosedChannelException();
        }
        int count = bytes.remaining();
        if (bytes.equals(HandshakeCodec.encode(new Ring()))) {
            other().isRung = true;
        } else {
            other().saidGoodbye = true;
        }
        bytes.position(bytes.limit());
        return count;
    }

    @Override
    protected void implCloseSelectableChannel() {
        end();
    }

    @Override
    protected void implConfigureBlocking(boolean block) {
        // It never blocks.
    }

    private static UnsupportedOperationException notHere() {
        return new UnsupportedOperationException("a played socket does only what is needed");
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
        throw notHere();
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
    public boolean connect(SocketAddress remote) {
        throw notHere();
    }

    @Override
    public boolean finishConnect() {
        return true;
    }

    @Override
    public SocketAddress getRemoteAddress() {
        throw notHere();
    }

    @Override
    public SocketAddress getLocalAddress() {
        throw notHere();
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) {
        throw notHere();
    }

    @Override
    public long write(ByteBuffer[] bytes, int offset, int length) {
        throw notHere();
    }
}
