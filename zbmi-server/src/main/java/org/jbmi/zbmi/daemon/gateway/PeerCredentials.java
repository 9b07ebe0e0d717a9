package org.jbmi.zbmi.daemon.gateway;

import jdk.net.ExtendedSocketOptions;

import java.io.IOException;
import java.nio.channels.SocketChannel;

/** Finds the user at the other end of a Unix-domain socket. Tests replace it. */
@FunctionalInterface
interface PeerCredentials {
    /** The system's implementation. */
    PeerCredentials SYSTEM =
            channel -> channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();

    /** The name of the user. */
    String userOf(SocketChannel channel) throws IOException;
}
