package org.jbmi.rig.perf.baseline;

import org.jbmi.rig.perf.phase.WaitMode;
import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** One connection of the loopback interface, without headers. */
final class RawTcp implements Baseline {
    private static final int MAX_BYTES = 64 << 20;

    @Override
    public String name() {
        return "raw-tcp";
    }

    @Override
    public String setup(WaitMode waiting) {
        return "a SocketChannel of the loopback interface, TCP_NODELAY, buffers as the system sets"
                + " them; "
                + switch (waiting) {
                    case SPIN -> "not blocking, reads and writes until they do";
                    case YIELD -> "not blocking, yields between reads and writes";
                    case ADAPTIVE -> "reads and writes for 10 us, then sleeps in a selector";
                    case BLOCK ->
                            "blocking, sleeps in read and write, in a selector with more than 64"
                                    + " KiB of round trips under way";
                };
    }

    @Override
    public int maxBytes() {
        return MAX_BYTES;
    }

    @Override
    public boolean isDuplex() {
        return true;
    }

    @Override
    public Link listen(Meeting meeting) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.bind(address(meeting));
        return new TcpLink(listener, null, meeting);
    }

    @Override
    public Link connect(Meeting meeting) throws IOException {
        return new TcpLink(null, SocketChannel.open(address(meeting)), meeting);
    }

    private static InetSocketAddress address(Meeting meeting) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), meeting.port());
    }

    private static final class TcpLink implements Link {
        private static final long SLEEP_MS = 1000;
        private static final long SPIN_NS = 10_000;

        private final @Nullable ServerSocketChannel listener;
        private final Meeting meeting;
        private @Nullable SocketChannel channel;
        private @Nullable Selector selector;
        private @Nullable SelectionKey key;

        TcpLink(
                @Nullable ServerSocketChannel listener,
                @Nullable SocketChannel connected,
                Meeting meeting)
                throws IOException {
            this.listener = listener;
            this.meeting = meeting;
            if (connected != null) {
                prepare(connected);
            }
        }

        private SocketChannel prepare(SocketChannel connected) throws IOException {
            connected.setOption(StandardSocketOptions.TCP_NODELAY, true);
            connected.configureBlocking(false);
            if (meeting.waiting() == WaitMode.ADAPTIVE) {
                sleepInSelector(connected);
            }
            channel = connected;
            return connected;
        }

        private void sleepInSelector(SocketChannel connected) throws IOException {
            if (selector == null) {
                connected.configureBlocking(false);
                Selector opened = Selector.open();
                key = connected.register(opened, SelectionKey.OP_READ);
                selector = opened;
            }
        }

        private SocketChannel channel() throws IOException {
            SocketChannel connected = channel;
            if (connected != null) {
                return connected;
            }
            if (listener == null) {
                throw new IOException("The link is closed");
            }
            return prepare(listener.accept());
        }

        @Override
        public int port() {
            return listener == null ? 0 : listener.socket().getLocalPort();
        }

        @Override
        public void send(Buffer message) throws IOException {
            SocketChannel to = channel();
            ByteBuffer bytes = message.bytes().clear();
            while (bytes.hasRemaining()) {
                if (to.write(bytes) == 0) {
                    await(to, SelectionKey.OP_WRITE);
                }
            }
        }

        @Override
        public boolean receive(Buffer message, boolean mayWait) throws IOException {
            SocketChannel from = channel();
            ByteBuffer bytes = message.bytes().clear();
            if (meeting.waiting() == WaitMode.BLOCK
                    && selector == null
                    && from.isBlocking() != mayWait) {
                from.configureBlocking(mayWait);
            }
            if (read(from, bytes) == 0) {
                if (!mayWait || !await(from, SelectionKey.OP_READ) || read(from, bytes) == 0) {
                    return false;
                }
            }
            while (bytes.hasRemaining()) {
                if (read(from, bytes) == 0) {
                    await(from, SelectionKey.OP_READ);
                }
            }
            return true;
        }

        private static int read(SocketChannel from, ByteBuffer bytes) throws IOException {
            int count = from.read(bytes);
            if (count < 0) {
                throw new EOFException("The other side is gone");
            }
            return count;
        }

        /** The channel for calls that do not wait; whoever sleeps does so in a selector. */
        private SocketChannel waitless() throws IOException {
            SocketChannel connected = channel();
            if (meeting.waiting() == WaitMode.BLOCK) {
                sleepInSelector(connected);
            }
            return connected;
        }

        @Override
        public int sendSome(Buffer message) throws IOException {
            return waitless().write(message.bytes());
        }

        @Override
        public int receiveSome(Buffer message) throws IOException {
            return read(waitless(), message.bytes());
        }

        @Override
        public void awaitEither(boolean sends) throws IOException {
            await(channel(), SelectionKey.OP_READ | (sends ? SelectionKey.OP_WRITE : 0));
        }

        private static void block(SocketChannel socket) throws IOException {
            if (!socket.isBlocking()) {
                socket.configureBlocking(true);
            }
        }

        /**
         * Waits, as the wait mode says, until the socket may be ready; false if the time was over.
         */
        private boolean await(SocketChannel socket, int interest) throws IOException {
            Selector sleeper = selector;
            SelectionKey registered = key;
            if (sleeper == null || registered == null) {
                if (meeting.waiting() == WaitMode.BLOCK) {
                    block(socket);
                }
                meeting.waiting().pause();
                return true;
            }
            registered.interestOps(interest);
            boolean spins = meeting.waiting() == WaitMode.ADAPTIVE;
            long endNs = System.nanoTime() + (spins ? SPIN_NS : 0);
            int ready = sleeper.selectNow(ignored -> {});
            while (ready == 0 && System.nanoTime() < endNs) {
                Thread.onSpinWait();
                ready = sleeper.selectNow(ignored -> {});
            }
            return ready > 0 || sleeper.select(ignored -> {}, SLEEP_MS) > 0;
        }

        @Override
        public void close() throws IOException {
            if (selector != null) {
                selector.close();
            }
            if (channel != null) {
                channel.close();
            }
            if (listener != null) {
                listener.close();
            }
        }
    }
}
