package org.jbmi.tcp;

import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Resolves the host and port of an address string. By default the system's name service resolves
 * names. Pass your own resolver to the builder with {@code attach(TcpResolver.class, resolver)}.
 * tcp calls it for every host to which it connects, also for a numeric one, so the resolver can
 * redirect it. With the knob {@code tcp.bindSpecific} tcp also calls it for the name in a listen
 * address.
 */
@FunctionalInterface
public interface TcpResolver {
    /**
     * Resolves a host. For a connection, tcp calls it on a thread of its own, which may block.
     * Several calls may run at a time. tcp does not wait longer than {@code tcp.connectTimeoutMs}.
     * For a listen address the thread that opens the {@link org.jbmi.Bmi} calls, and waits.
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
