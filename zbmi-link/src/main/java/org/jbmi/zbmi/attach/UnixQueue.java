package org.jbmi.zbmi.attach;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;

/** Connects to a Unix-domain socket whose queue of connections may be full. */
public final class UnixQueue {
    private UnixQueue() {}

    /**
     * Connects a socket if there is room in the queue.
     *
     * @param channel that does not block
     * @param address of any kind
     * @return whether it is connected; if not, the caller tries again with a new Unix-domain
     *     socket; a TCP socket will be connected later
     * @throws IOException if it cannot be connected
     */
    public static boolean connect(SocketChannel channel, SocketAddress address) throws IOException {
        try {
            return channel.connect(address);
        } catch (SocketException e) {
            if (mayBeFull(e, address)) {
                return false;
            }
            throw e;
        }
    }

    // Without room it fails with EAGAIN and does not wait. In Java only the text shows it, which is
    // not for parsing. But a socket without listener and one without permission have exceptions of
    // their own.
    private static boolean mayBeFull(SocketException failure, SocketAddress address) {
        return failure.getClass() == SocketException.class
                && address instanceof UnixDomainSocketAddress unix
                && Files.exists(unix.getPath());
    }
}
