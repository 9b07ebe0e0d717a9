package org.jbmi.zbmi.host.place;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * The socket of a host in its runtime directory, for its user alone.
 *
 * @param channel listens, non-blocking
 * @param file its name
 * @param key of its selector, for {@link SelectionKey#OP_ACCEPT}
 */
public record HostSocket(ServerSocketChannel channel, OwnFile file, SelectionKey key)
        implements AutoCloseable {
    /**
     * Listens, in place of a host that has ended.
     *
     * @param path where
     * @param backlog how many peers may wait to be accepted
     * @param selector is told of peers that wait
     * @return to be closed by the caller
     * @throws IOException if that fails; nothing is left behind
     */
    public static HostSocket listen(Path path, int backlog, Selector selector) throws IOException {
        Files.deleteIfExists(path);
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        HostSocket made = null;
        try {
            channel.bind(UnixDomainSocketAddress.of(path), backlog);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_ACCEPT);
            made = new HostSocket(channel, OwnFile.of(path), key);
            return made;
        } finally {
            closeUnless(made, channel, path);
        }
    }

    private static void closeUnless(
            @Nullable HostSocket made, ServerSocketChannel channel, Path path) throws IOException {
        if (made == null) {
            channel.close();
            Files.deleteIfExists(path);
        }
    }

    // First the file: the system gives the number of its inode to no other file while the socket is
    // open. Afterwards it may belong to the socket of the next host, which would be removed.
    @Override
    public void close() throws IOException {
        try {
            file.remove();
        } finally {
            channel.close();
        }
    }
}
