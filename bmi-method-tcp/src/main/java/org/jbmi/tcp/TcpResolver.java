package org.jbmi.tcp;

import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Resolves the host and port of an address string. By default the system's name service resolves
 * names. Pass your own resolver to the builder, {@code attach(TcpResolver.class, resolver)}: it is
 * called for every host, numeric ones too, so that it may redirect them.
 */
@FunctionalInterface
public interface TcpResolver {
    /**
     * Resolves a host. Called on a thread of its own, which may block; several calls may run at a
     * time. The method does not wait longer than {@code tcp.connectTimeoutMs}.
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
