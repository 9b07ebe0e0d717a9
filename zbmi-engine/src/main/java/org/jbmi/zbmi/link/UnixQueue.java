package org.jbmi.zbmi.link;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;

/** The queue of those who connect to a Unix-domain socket and are not accepted yet. */
public final class UnixQueue {
    private UnixQueue() {}

    /**
     * Connects a socket, if there is room in the queue.
     *
     * @param channel that does not block
     * @param address of any kind
     * @return whether it is connected; if not, a Unix-domain socket is to be made anew and tried
     *     again, and another one will be connected later
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

    // Without room it fails with EAGAIN, and does not wait. Java names it by text alone, which is
    // not for parsing; but a socket that nobody listens on and one that is not permitted have
    // exceptions of their own.
    private static boolean mayBeFull(SocketException failure, SocketAddress address) {
        return failure.getClass() == SocketException.class
                && address instanceof UnixDomainSocketAddress unix
                && Files.exists(unix.getPath());
    }
}
