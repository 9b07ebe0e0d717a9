package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.attach.FileFailure;
import org.jbmi.zbmi.attach.Sockets;
import org.jbmi.zbmi.host.place.OwnFile;
import org.jbmi.zbmi.socket.LinkAddress;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** A listening socket of a gateway. */
final class GatewayListener implements AutoCloseable {
    private static final int BACKLOG = 64;

    /** Bits of a file's mode. */
    private static final int FILE_TYPE = 0170000;

    private static final int SOCKET_TYPE = 0140000;

    private final ServerSocketChannel channel;
    private final @Nullable OwnFile file;

    /**
     * Makes a listener of a listening socket.
     *
     * @param channel non-blocking
     * @param file of a Unix-domain socket, to be removed at the end; null for TCP
     */
    GatewayListener(ServerSocketChannel channel, @Nullable OwnFile file) {
        this.channel = channel;
        this.file = file;
    }

    /**
     * Listens on a Unix-domain socket. A socket file without a listener is replaced; one with a
     * listener, or another kind of file, is not. Nor is one whose gateway starts at the same time.
     *
     * @throws BmiException if that fails
     */
    static GatewayListener unix(String path) {
        UnixDomainSocketAddress address = unixAddress(path);
        Path file = address.getPath();
        try (ListenLock lock = ListenLock.tryTake(file)) {
            if (lock == null) {
                throw listens(file);
            }
            sweep(file, address);
            return listen(file, address);
        } catch (IOException e) {
            throw cannotListen(path, e);
        }
    }

    private static GatewayListener listen(Path file, UnixDomainSocketAddress address)
            throws IOException {
        ServerSocketChannel channel = null;
        GatewayListener made = null;
        try {
            channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            channel.bind(address, BACKLOG);
            // Every user may connect: the gateway decides by the user that the system reports for
            // the peer.
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
            channel.configureBlocking(false);
            made = new GatewayListener(channel, OwnFile.of(file));
            return made;
        } finally {
            closeUnless(made, channel);
        }
    }

    private static UnixDomainSocketAddress unixAddress(String path) {
        if (path.indexOf('/') >= 0
                && LinkAddress.parse(path) instanceof UnixDomainSocketAddress address) {
            return address;
        }
        throw new BmiException(
                ErrorCode.EINVAL,
                "%s is a path with a slash in it, not \"%s\"."
                        .formatted(GatewayKnobs.SOCKET.name(), path));
    }

    private static void sweep(Path file, UnixDomainSocketAddress address) throws IOException {
        try {
            Object mode = Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            if (!(mode instanceof Integer bits) || (bits & FILE_TYPE) != SOCKET_TYPE) {
                throw new BmiException(
                        ErrorCode.EEXIST,
                        file
                                + " is there and is no socket: remove it, or give the gateway"
                                + " another path.");
            }
        } catch (IOException e) {
            return; // there is none
        }
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.configureBlocking(false);
            probe.connect(address);
        } catch (ConnectException e) {
            Files.deleteIfExists(file);
            return;
        } catch (IOException e) {
            // Its queue is full, perhaps since its owner is stopped: so it has an owner.
            throw listens(file);
        }
        throw listens(file);
    }

    private static BmiException listens(Path file) {
        return new BmiException(
                ErrorCode.EBUSY,
                "A process listens on "
                        + file
                        + " already: stop it, or give the gateway another path.");
    }

    /**
     * Listens on TCP.
     *
     * @param host address to listen on
     * @param port 0 for any that is free
     * @throws BmiException if that fails
     */
    static GatewayListener tcp(String host, int port) {
        ServerSocketChannel channel = null;
        GatewayListener made = null;
        try {
            InetAddress address = InetAddress.getByName(host);
            channel = ServerSocketChannel.open();
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.bind(new InetSocketAddress(address, port), BACKLOG);
            channel.configureBlocking(false);
            made = new GatewayListener(channel, null);
            return made;
        } catch (UnknownHostException e) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    GatewayKnobs.HOST.name() + " names a host that is not known: " + host + ".",
                    e);
        } catch (IOException e) {
            throw cannotListen(host + ":" + port, e);
        } finally {
            closeUnless(made, channel);
        }
    }

    private static BmiException cannotListen(String where, IOException cause) {
        String why = FileFailure.reason(cause);
        return new BmiException(
                code(cause, why),
                "The gateway cannot listen on " + where + ": " + why + ".",
                cause);
    }

    // The numbers of the system are in the texts only.
    private static ErrorCode code(IOException cause, String why) {
        if (cause instanceof BindException && why.equals(textOfAnAddressInUse())) {
            return ErrorCode.EADDRINUSE;
        }
        boolean isForbidden =
                cause instanceof AccessDeniedException || why.contains("ermission denied");
        return isForbidden ? ErrorCode.EACCES : ErrorCode.EIO;
    }

    /** In the language of the system: of an address that is in use on purpose; null if unknown. */
    private static @Nullable String textOfAnAddressInUse() {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        SocketAddress inUse = null;
        try (ServerSocketChannel user = ServerSocketChannel.open();
                ServerSocketChannel second = ServerSocketChannel.open()) {
            inUse = user.bind(any).getLocalAddress();
            second.bind(inUse);
            return null;
        } catch (IOException e) {
            return inUse == null ? null : e.getMessage(); // without one, it is about another error
        }
    }

    private static void closeUnless(
            @Nullable GatewayListener made, @Nullable ServerSocketChannel channel) {
        if (made == null && channel != null) {
            Sockets.closeQuietly(channel);
        }
    }

    ServerSocketChannel channel() {
        return channel;
    }

    boolean isUnix() {
        return file != null;
    }

    /** The address as clients write it, with the port that it has got. */
    String address() throws IOException {
        SocketAddress local = channel.getLocalAddress();
        return file == null ? LinkAddress.text(local) : file.path().toString();
    }

    // First the file: the system gives the number of its inode to no other file while the socket is
    // open. Afterwards it may belong to the socket of the next gateway, which would be removed.
    @Override
    public void close() throws IOException {
        try {
            if (file != null) {
                file.remove();
            }
        } finally {
            channel.close();
        }
    }
}
