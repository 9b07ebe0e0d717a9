package org.jbmi.tcp;

import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Finds the addresses behind the host and port of an address string. Without one the system's name
 * service is asked, for names only. Hand your own to the builder, {@code attach(TcpResolver.class,
 * resolver)}: it is asked for every host, numeric ones too, so that it may redirect them.
 */
@FunctionalInterface
public interface TcpResolver {
    /**
     * Resolves a host. Called by a thread of its own, which may be blocked; several calls may be
     * under way. A call that takes longer than {@code tcp.connectTimeoutMs} is not waited for.
     *
     * @param host a name or a numeric address, without brackets
     * @param port 1 to 65535
     * @return addresses to be tried in this order
     * @throws UnknownHostException if there is no such host
     * @throws org.jbmi.BmiException with a code of its own, for example {@link
     *     org.jbmi.ErrorCode#ETRYAGAIN}
     */
    List<InetSocketAddress> resolve(String host, int port) throws UnknownHostException;
}
