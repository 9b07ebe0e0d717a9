package org.jbmi.tcp.io;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.tcp.settings.TcpKnobs;
import org.jbmi.tcp.settings.TcpSettings;
import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** Makes sockets with the settings, and registers them in the selector. */
public final class Sockets {
    private static final System.Logger LOG = System.getLogger("org.jbmi.tcp");
    private static final int SMALL_BUFFER_BYTES = 64 << 10;

    /** The receive buffer of a peer of this host that sends more small messages than are taken. */
    private static final int FLOOD_BUFFER_BYTES = 32 << 10;

    /** The receive buffer from the first large message on, more than the send buffer has. */
    private static final int LARGE_BUFFER_BYTES = 1 << 20;

    private final TcpSettings settings;
    private final Selector selector;
    private final int firstPort;
    private final int lastPort;
    private int nextPort;

    public Sockets(TcpSettings settings, Selector selector, String sourcePorts) {
        this.settings = settings;
        this.selector = selector;
        if (sourcePorts.isBlank()) {
            firstPort = 0;
            lastPort = 0;
        } else {
            String[] ends = sourcePorts.strip().split("-", 2);
            firstPort = port(ends[0], sourcePorts);
            lastPort = ends.length == 2 ? port(ends[1], sourcePorts) : firstPort;
            if (lastPort < firstPort) {
                throw malformed(sourcePorts);
            }
        }
        nextPort = lastPort;
    }

    private static int port(String digits, String text) {
        if (!digits.strip().matches("[0-9]{1,5}")) {
            throw malformed(text);
        }
        int port = Integer.parseInt(digits.strip());
        if (port < 1 || port > 65_535) {
            throw malformed(text);
        }
        return port;
    }

    private static BmiException malformed(String text) {
        return new BmiException(
                ErrorCode.EINVAL,
                "The knob tcp.sourcePorts is a range such as 600-1023, not \"" + text + "\".");
    }

    /**
     * Opens a selector that has had a socket already. The JDK's table of sockets breaks if the
     * first one finds no memory for it: it then loses sockets as it grows.
     */
    public static Selector openSelector() throws IOException {
        Selector selector = Selector.open();
        try {
            try (SocketChannel first = SocketChannel.open()) {
                first.configureBlocking(false);
                first.register(selector, SelectionKey.OP_CONNECT);
                selector.selectNow(key -> {});
            }
            selector.selectNow(); // gives its descriptor back
            return selector;
        } catch (IOException | RuntimeException | Error e) {
            closeQuietly(selector);
            throw e;
        }
    }

    /** A socket for an outgoing connection. */
    public SocketChannel open() throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            prepare(channel);
            if (firstPort > 0) {
                bindSource(channel);
            }
            return channel;
        } catch (IOException | RuntimeException | Error e) {
            closeQuietly(channel);
            throw e;
        }
    }

    /** Settings of outgoing and accepted sockets alike. */
    public void prepare(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        if (settings.keepAlive) {
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        }
        int sendBytes = settings.sendBufferBytes;
        if (sendBytes > 0) {
            channel.setOption(StandardSocketOptions.SO_SNDBUF, sendBytes);
        }
        int receiveBytes = settings.receiveBufferBytes;
        if (receiveBytes > 0) {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, receiveBytes);
        }
    }

    /**
     * Settings that need a connected socket: whether its peer is on this host. For such a peer the
     * send buffer is small at first. Small messages fill the buffers of a thousand connections
     * faster than one receiver empties them. Each then waits for seconds behind the others.
     *
     * @return whether {@link #sendsLarge} is to follow when it sends the first large message
     */
    public boolean connected(SocketChannel channel) {
        if (settings.sendBufferBytes != TcpKnobs.BY_PEER) {
            return false;
        }
        try {
            boolean isNear = isOfThisHost(channel.getLocalAddress(), channel.getRemoteAddress());
            return isNear && sendBuffer(channel, SMALL_BUFFER_BYTES);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "send buffer", e); // broken already
            return false;
        }
    }

    /**
     * The first large message is about to leave for a peer of this host. The processor that handles
     * the acknowledgement sends the bytes left in the socket, out of order with the sender's own.
     * So the send buffer is bounded, but large enough to take most of a message at once.
     */
    public static void sendsLarge(SocketChannel channel, int sizeBytes) {
        sendBuffer(channel, sizeBytes);
    }

    private static boolean sendBuffer(SocketChannel channel, int sizeBytes) {
        return buffer(channel, StandardSocketOptions.SO_SNDBUF, sizeBytes);
    }

    private static boolean buffer(
            SocketChannel channel, SocketOption<Integer> option, int sizeBytes) {
        try {
            channel.setOption(option, sizeBytes);
            return true;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "buffer", e); // slower, or broken already
            return false;
        }
    }

    /**
     * A peer has sent more small messages than its share. If it is on this host, its receive buffer
     * gets a bound. Without it, the system lets the buffer of one connection grow to megabytes and
     * leaves another small. Some clients would then send many times as much as others, and wait for
     * seconds behind their own messages.
     *
     * @return whether {@link #receivesLarge} is to follow when it sends the first large message
     */
    public boolean receivesFlood(SocketChannel channel) {
        if (settings.receiveBufferBytes != TcpKnobs.BY_PEER) {
            return false;
        }
        try {
            return isOfThisHost(channel.getLocalAddress(), channel.getRemoteAddress())
                    && buffer(channel, StandardSocketOptions.SO_RCVBUF, FLOOD_BUFFER_BYTES);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "receive buffer", e); // broken already
            return false;
        }
    }

    /** The first large message arrives where the receive buffer has a bound. */
    public static void receivesLarge(SocketChannel channel) {
        buffer(channel, StandardSocketOptions.SO_RCVBUF, LARGE_BUFFER_BYTES);
    }

    /** Whether both ends of a connection are on this host. */
    public static boolean isOfThisHost(
            @Nullable SocketAddress local, @Nullable SocketAddress remote) {
        return local instanceof InetSocketAddress own
                && remote instanceof InetSocketAddress other
                && (other.getAddress().isLoopbackAddress()
                        || own.getAddress().equals(other.getAddress()));
    }

    /** How many source ports there are; 0 if the system chooses them. */
    public int sourcePorts() {
        return firstPort == 0 ? 0 : lastPort - firstPort + 1;
    }

    /** Binds the next free port of the range. */
    private void bindSource(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        for (int tries = lastPort - firstPort; tries >= 0; tries--) {
            try {
                channel.bind(new InetSocketAddress(takePort()));
                return;
            } catch (BindException e) {
                if (tries == 0) {
                    throw e;
                }
            }
        }
    }

    private synchronized int takePort() {
        int port = nextPort;
        nextPort = port == firstPort ? lastPort : port - 1;
        return port;
    }

    /**
     * Registers a socket. Without interest the JDK's list of changes is not used. If the channel
     * finds no memory for its key, the selector keeps the key for ever. Nobody may tell the
     * selector an interest of it: it would get the events of a later socket with the same
     * descriptor.
     *
     * @throws IOException also if the method closes meanwhile
     */
    public void register(SelectableChannel channel, Watched socket) throws IOException {
        try {
            socket.key = channel.register(selector, 0, socket);
        } catch (ClosedSelectorException e) {
            throw new IOException("The method is closed.", e);
        }
    }

    /** Closes a channel or selector, if there is one, and logs failures only. */
    public static void closeQuietly(@Nullable Closeable closeable) {
        if (closeable != null) {
            try {
                closeable.close();
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "close", e);
            }
        }
    }
}
