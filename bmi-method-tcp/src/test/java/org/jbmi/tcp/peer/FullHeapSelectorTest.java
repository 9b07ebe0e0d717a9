package org.jbmi.tcp.peer;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.observe.Counter;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.tcp.io.Interests;
import org.jbmi.tcp.io.Sockets;
import org.jbmi.tcp.io.Watched;
import org.jbmi.tcp.settings.TcpSettings;
import org.jbmi.testsuite.support.FullHeap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** What the selector reports after its JVM had no memory left for a while. */
@Timeout(60)
class FullHeapSelectorTest {
    /** The JDK has an object for each smaller descriptor, and needs no memory for it. */
    private static final int KEPT_NUMBERS = 128;

    /** The JDK makes its list of changes longer with this one. */
    private static final int FULL = 17;

    private static final int MANY = 40;
    private static final long PATIENCE_NS = 5_000_000_000L;

    @Test
    void clientsThatConnectedAreHeard() throws Exception {
        assertThat(FullHeap.outputOf(Clients.class, "16m")).isEqualTo("40 heard");
    }

    @Test
    void aServerListens() throws Exception {
        assertThat(FullHeap.outputOf(Listens.class, "16m")).isEqualTo("accepted");
    }

    @Test
    void moreChangesThanItsListHoldsAreSeen() throws Exception {
        assertThat(FullHeap.outputOf(Changes.class, "16m")).isEqualTo("40 seen");
    }

    @Test
    void aSocketInPlaceOfOneThatWasNotRegisteredIsHeard() throws Exception {
        assertThat(FullHeap.outputOf(Registers.class, "16m")).isEqualTo("heard");
    }

    /** Takes those for which the JDK has objects. */
    static Pipe[] takeDescriptors() throws IOException {
        Pipe[] pipes = new Pipe[KEPT_NUMBERS / 2];
        for (int i = 0; i < pipes.length; i++) {
            pipes[i] = Pipe.open();
        }
        return pipes;
    }

    private static boolean comes(BooleanSupplier isThere) {
        long endNs = System.nanoTime() + PATIENCE_NS;
        while (System.nanoTime() - endNs < 0) {
            if (isThere.getAsBoolean()) {
                return true;
            }
        }
        return false;
    }

    /** A server with real sockets. */
    private static class Server {
        final PartsHost host = new PartsHost();
        final TcpMethod method = TcpMethod.open(host, List.of("tcp://127.0.0.1:0"));
        final Filler filler = new Filler();

        final SocketChannel client() throws IOException {
            Object port = method.getOption(null, TcpOptions.PORT);
            InetAddress address = InetAddress.getLoopbackAddress();
            SocketChannel client =
                    SocketChannel.open(new InetSocketAddress(address, (Integer) port));
            client.configureBlocking(false);
            return client;
        }

        /** Lets the lead look while the heap is full. */
        final void pollInVain(boolean isFull) {
            if (isFull) {
                filler.fill();
            }
            try {
                method.waitable().poll();
            } catch (OutOfMemoryError e) {
                // The next round does it.
            }
            filler.free();
        }

        final boolean accepts(int count) {
            Counter accepted = Objects.requireNonNull(host.counters().find("tcp.accepted"));
            return comes(
                    () -> {
                        method.waitable().poll();
                        return accepted.get() == count;
                    });
        }
    }

    /** The selector finds no memory for the registrations of clients. */
    static final class Clients extends Server {
        private final ByteBuffer bytes = ByteBuffer.allocate(100);

        public static void main(String[] args) throws IOException {
            Pipe[] taken = takeDescriptors();
            Clients first = new Clients();
            first.run(false); // loads the classes
            System.out.print(new Clients().run(true) + " heard");
            first.filler.free(); // until here it is kept, with its sockets
            taken[0].sink().close();
        }

        private int run(boolean isFull) throws IOException {
            SocketChannel[] clients = new SocketChannel[MANY];
            method.waitable().poll();
            for (int i = 0; i < MANY; i++) {
                clients[i] = client();
            }
            accepts(MANY);
            pollInVain(isFull);
            int heard = 0;
            for (SocketChannel client : clients) {
                client.write(bytes.clear()); // without the magic number: the server closes
                heard += comes(() -> isClosed(client)) ? 1 : 0;
            }
            method.close();
            return heard;
        }

        private boolean isClosed(SocketChannel client) {
            method.waitable().poll();
            try {
                return client.read(bytes.clear()) < 0;
            } catch (IOException e) {
                return true;
            }
        }
    }

    /** The selector finds no memory for the listening socket. */
    static final class Listens extends Server {
        public static void main(String[] args) throws IOException {
            Pipe[] taken = takeDescriptors();
            Listens first = new Listens();
            first.run(false); // loads the classes
            System.out.print(new Listens().run(true) ? "accepted" : "not accepted");
            first.filler.free(); // until here it is kept, with its sockets
            taken[0].sink().close();
        }

        private boolean run(boolean isFull) throws IOException {
            pollInVain(isFull);
            try (SocketChannel client = client()) {
                return client.isOpen() && accepts(1);
            } finally {
                method.close();
            }
        }
    }

    /** Sockets in a selector that has no more memory than it is given. */
    private static class Registered {
        final TcpSettings settings = new TcpSettings(new PartsHost().configuration());
        final Selector selector = Sockets.openSelector();
        final Sockets sockets = new Sockets(settings, selector, "");
        final Filler filler = new Filler();
        final Interests interests = new Interests();
        final Consumer<SelectionKey> counter = this::count;
        int seen;

        Registered() throws IOException {}

        static final class Socket extends Watched {}

        final void count(SelectionKey key) {
            seen++;
        }

        final void select(int rounds) throws IOException {
            seen = 0;
            for (int i = 0; i < rounds; i++) {
                interests.select(selector, counter, 0);
            }
        }

        static Pipe.SourceChannel readable() throws IOException {
            Pipe pipe = Pipe.open();
            pipe.sink().write(ByteBuffer.allocate(1));
            pipe.source().configureBlocking(false);
            return pipe.source();
        }
    }

    /** Without memory, more interests change than the JDK's list holds. */
    static final class Changes extends Registered {
        private final Watched[] all = new Watched[MANY];

        private Changes() throws IOException {}

        public static void main(String[] args) throws IOException {
            Changes first = new Changes();
            first.run(false); // loads the classes
            System.out.print(new Changes().run(true) + " seen");
            first.filler.free(); // until here it is kept, with its sockets
        }

        private int run(boolean isFull) throws IOException {
            for (int i = 0; i < MANY; i++) {
                all[i] = new Socket();
                sockets.register(readable(), all[i]);
            }
            if (isFull) {
                filler.fill();
            }
            for (Watched each : all) {
                interests.want(each, SelectionKey.OP_READ);
            }
            try {
                select(MANY);
            } catch (OutOfMemoryError e) {
                // The next round does it.
            }
            filler.free();
            select(MANY);
            select(1);
            return seen;
        }
    }

    /** A registration finds no memory after its key was made, and later the selector finds none. */
    static final class Registers extends Registered {
        private static final int PIECES = 8;
        private static final int PIECE_BYTES = 16;

        private final SelectionKey[] others = new SelectionKey[FULL - 1];
        private final Watched one = new Socket();
        private final ServerSocketChannel server = ServerSocketChannel.open();
        private final Object[] reserve = new Object[1];

        private Registers() throws IOException {}

        public static void main(String[] args) throws IOException {
            Registers first = new Registers();
            first.run(false); // loads the classes
            System.out.print(new Registers().run(true) ? "heard" : "not heard");
            first.filler.free(); // until here it is kept, with its sockets
        }

        private SocketChannel accept(SocketChannel[] client) throws IOException {
            client[0] = SocketChannel.open(server.getLocalAddress());
            SocketChannel accepted = server.accept();
            accepted.configureBlocking(false);
            return accepted;
        }

        private boolean run(boolean isFull) throws IOException {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            for (int i = 0; i < others.length; i++) {
                Pipe.SourceChannel other = readable();
                sockets.register(other, new Socket());
                others[i] = other.keyFor(selector);
            }
            sockets.register(readable(), one);
            SocketChannel[] client = new SocketChannel[1];
            boolean isLost = false;
            for (int i = 1; i <= (isFull ? PIECES : 1) && !isLost; i++) {
                isLost = register(accept(client), i * PIECE_BYTES, isFull);
                client[0].close();
                select(2);
            }
            if (isFull) {
                selectInVain();
            }
            Watched last = new Socket();
            sockets.register(accept(client), last);
            interests.want(last, SelectionKey.OP_READ);
            client[0].write(ByteBuffer.allocate(1));
            return isLost == isFull && comes(this::isSeen);
        }

        /** The selector finds no memory for one change, so that it is told all again. */
        private void selectInVain() throws IOException {
            filler.fill();
            change(SelectionKey.OP_READ); // fills the list
            interests.want(one, SelectionKey.OP_READ);
            boolean isTold = true;
            try {
                select(1);
            } catch (OutOfMemoryError e) {
                isTold = false;
            }
            filler.free();
            select(1); // takes up the list, before it changes
            change(0);
            interests.unwant(one, SelectionKey.OP_READ);
            select(FULL); // more than it takes
            if (isTold) {
                throw new IllegalStateException("the list does not grow");
            }
        }

        /** Returns whether the selector has the key of a socket that does not know it. */
        private boolean register(SocketChannel accepted, int freeBytes, boolean isFull) {
            int keys = selector.keys().size();
            Watched socket = new Socket();
            reserve[0] = new byte[freeBytes];
            if (isFull) {
                filler.fill();
            }
            change(SelectionKey.OP_READ); // fills the list
            reserve[0] = null;
            boolean isLost = false;
            try {
                sockets.register(accepted, socket);
            } catch (OutOfMemoryError | IOException e) {
                isLost = selector.keys().size() > keys;
            }
            filler.free();
            Sockets.closeQuietly(accepted); // as in Acceptor.welcome
            change(0);
            return isLost;
        }

        private boolean isSeen() {
            try {
                select(1);
            } catch (IOException e) {
                return false;
            }
            return seen > 0;
        }

        private void change(int ops) {
            for (SelectionKey each : others) {
                each.interestOps(ops);
            }
        }
    }
}
