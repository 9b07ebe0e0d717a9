package org.jbmi.tcp.peer;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.tcp.address.TcpAddressGrammar;
import org.jbmi.tcp.address.TrustedSources;
import org.jbmi.tcp.io.Sockets;
import org.jbmi.tcp.settings.TcpCodes;
import org.jbmi.tcp.settings.TcpSettings;
import org.jbmi.testsuite.support.FullHeap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** Sockets that are opened, accepted or closed while the JVM has no memory left. */
@Timeout(60)
class FullHeapSocketsTest {
    @Test
    void theSocketOfAConnectionThatEndsIsClosed() throws Exception {
        assertThat(FullHeap.outputOf(Ends.class, "16m")).isEqualTo("closed");
    }

    /** The parts that have to do with sockets, without a lead. */
    private static class Parts {
        final PartsHost host = new PartsHost();
        final TcpSettings settings = new TcpSettings(host.configuration());
        final TcpState state = new TcpState(host, settings);
        final Names names = new Names(state);
        final Directory directory = new Directory(state, names);
        final Endings endings = new Endings(state, directory);
        final Selector selector = Sockets.openSelector();
        final Sockets sockets = new Sockets(settings, selector, "");
        final Acceptor acceptor =
                new Acceptor(
                        state,
                        sockets,
                        endings,
                        TcpAddressGrammar.parse("tcp://127.0.0.1:0", settings.dialect, "")
                                .getFirst(),
                        TrustedSources.parse(""));
        final Filler filler = new Filler();
        private final Object[] piece = new Object[1];

        Parts() throws IOException {}

        final SocketChannel client() throws IOException {
            InetAddress address = InetAddress.getLoopbackAddress();
            return SocketChannel.open(new InetSocketAddress(address, acceptor.port()));
        }

        /** Does it with a heap in which only one piece is free, or none. */
        final void inFullHeap(int freeBytes, Runnable step) {
            piece[0] = freeBytes == 0 ? null : new byte[freeBytes];
            filler.fill();
            filler.fillUp(); // the collector finds a few more pieces
            piece[0] = null;
            try {
                step.run();
            } catch (OutOfMemoryError e) {
                // What needs memory failed.
            }
            filler.free();
        }

        final void select() {
            try {
                state.interests.select(selector, key -> {}, 0);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Accepts a client, whose connection is the last one that the state has. */
        final Connection accepted() throws IOException {
            client();
            acceptor.acceptable();
            select();
            return state.connections.getLast();
        }
    }

    /** Ends a connection. */
    static final class Ends extends Parts {
        private Ends() throws IOException {}

        public static void main(String[] args) throws IOException {
            Ends first = new Ends();
            first.run(); // loads the classes
            System.out.print(new Ends().run() ? "closed" : "open");
            first.filler.free(); // until here it is kept, with its sockets
        }

        private boolean run() throws IOException {
            Connection connection = accepted();
            inFullHeap(0, () -> endings.end(connection, TcpCodes.EPIPE));
            select();
            return !connection.channel.isRegistered();
        }
    }
}
