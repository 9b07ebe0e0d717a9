package org.jbmi.tcp.peer;

import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.tcp.io.Sockets;
import org.jbmi.tcp.settings.TcpSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;

/** Parts of the method with one connected peer, for tests of single steps. */
abstract class PartsCase {
    static final long HOUR_NS = 3_600_000_000_000L;

    final PartsHost host = new PartsHost();
    final TcpSettings settings = new TcpSettings(host.configuration());
    final TcpState state = new TcpState(host, settings);
    final Names names = new Names(state);
    final Directory directory = new Directory(state, names);
    final Endings endings = new Endings(state, directory);
    final Writer writer = new Writer(state, endings);
    final Arrivals arrivals = new Arrivals(state, endings);
    final TcpPeer peer = new TcpPeer(List.of(), "peer", 0);
    Selector selector;
    Sockets sockets;
    SocketChannel far;
    Connection connection;

    /** An operation with one buffer. */
    static final class Posted extends Operation {
        Posted(OperationKind kind, MethodAddress address, MemorySegment buffer, int tag) {
            this.id = 1;
            this.kind = kind;
            this.address = address;
            this.tag = tag;
            this.buffer = buffer;
            this.bufferCount = 1;
            this.sizeBytes = buffer.byteSize();
        }

        void idles() {
            long nowNs = System.nanoTime();
            hasDeadline = true;
            deadlineNs = nowNs + HOUR_NS;
            idleNs = 2 * HOUR_NS;
            absoluteDeadlineNs = nowNs + 4 * HOUR_NS;
        }
    }

    @BeforeEach
    void connect() throws IOException {
        selector = Selector.open();
        sockets = new Sockets(settings, selector, "");
        connect(peer);
    }

    /** Connects a peer, for which {@code connection} and {@code far} stand from now on. */
    final void connect(TcpPeer its) throws IOException {
        SocketChannel near;
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            far = SocketChannel.open(listener.getLocalAddress());
            near = listener.accept();
        }
        near.configureBlocking(false);
        connection = new Connection(near, its, true, InetAddress.getLoopbackAddress());
        connection.established = true;
        its.out = connection;
        its.connections.add(connection);
        its.handle(this);
        state.connections.add(connection);
    }

    @AfterEach
    void close() throws IOException {
        connection.channel.close();
        far.close();
        selector.close();
        state.unexpected.close(Long.MAX_VALUE);
        state.early.close(Long.MAX_VALUE);
    }

    static MemorySegment buffer(int sizeBytes) {
        return Arena.ofAuto().allocate(sizeBytes);
    }

    final Reactor reactor(Reader reader, Dialer dialer) {
        return new Reactor(state, selector, endings, reader, writer, dialer, List.of());
    }
}
