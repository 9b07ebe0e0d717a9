package org.jbmi.zbmi.daemon.gateway;

import jdk.net.ExtendedSocketOptions;

import java.io.IOException;
import java.nio.channels.SocketChannel;

/** Says which user is at the other end of a Unix-domain socket. A seam for tests. */
@FunctionalInterface
interface PeerCredentials {
    /** What the system says. */
    PeerCredentials SYSTEM =
            channel -> channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();

    /** The name of the user. */
    String userOf(SocketChannel channel) throws IOException;
}
