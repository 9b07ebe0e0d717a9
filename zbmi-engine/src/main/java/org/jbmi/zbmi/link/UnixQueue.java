package org.jbmi.zbmi.link;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;

/** The queue of those who connect to a Unix-domain socket and are not accepted yet. */
public final class UnixQueue {
    private UnixQueue() {}

    /**
     * Whether a connect may have failed since there was no room in the queue. It fails with EAGAIN
     * then, and does not wait. Java names it by text alone, which is not for parsing; but a socket
     * that nobody listens on and one that is not permitted have exceptions of their own.
     *
     * @param failure of the connect
     * @param address of any kind
     * @return whether to try again
     */
    public static boolean mayBeFull(IOException failure, SocketAddress address) {
        return failure.getClass() == SocketException.class
                && address instanceof UnixDomainSocketAddress unix
                && Files.exists(unix.getPath());
    }
}
