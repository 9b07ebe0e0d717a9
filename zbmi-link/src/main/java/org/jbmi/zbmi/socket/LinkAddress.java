package org.jbmi.zbmi.socket;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.attach.RuntimeDirectory;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * Where a gateway is: the path of a Unix-domain socket, which has a slash in it, or host and port,
 * as {@code host:port} or {@code [ipv6]:port}.
 */
public final class LinkAddress {
    private static final int MAX_PORT = 65_535;
    private static final int IPV4_PARTS = 4;

    private LinkAddress() {}

    private record HostAndPort(String host, int port) {}

    /**
     * Reads an address. A host name is looked up here.
     *
     * @throws BmiException with {@link ErrorCode#EINVAL} if it is none, {@link
     *     ErrorCode#ENAMETOOLONG} for a path that is too long, or {@link ErrorCode#ENETDOWN} if the
     *     host is not known
     */
    public static SocketAddress parse(String text) {
        if (text.indexOf('/') >= 0) {
            return unix(text);
        }
        HostAndPort parts = split(text);
        InetSocketAddress address = new InetSocketAddress(parts.host(), parts.port());
        if (address.isUnresolved()) {
            throw new BmiException(
                    ErrorCode.ENETDOWN, "The host " + parts.host() + " is not known.");
        }
        return address;
    }

    /**
     * Checks an address without looking anything up.
     *
     * @throws BmiException with {@link ErrorCode#EINVAL} or {@link ErrorCode#ENAMETOOLONG}
     */
    public static void checkSyntax(String text) {
        if (text.indexOf('/') >= 0) {
            unix(text);
        } else {
            split(text);
        }
    }

    private static HostAndPort split(String text) {
        int colon = text.lastIndexOf(':');
        int port = colon < 0 ? -1 : port(text.substring(colon + 1));
        String host = colon < 0 ? "" : text.substring(0, colon);
        boolean isBracketed = host.startsWith("[") && host.endsWith("]");
        if (isBracketed) {
            host = host.substring(1, host.length() - 1);
        }
        if (port < 1
                || host.isEmpty()
                || isPartialIpv4(host)
                || (!isBracketed && host.indexOf(':') >= 0)) {
            throw new BmiException(
                    ErrorCode.EINVAL,
                    "\"%s\" is not the address of a gateway: it is the path of a socket, host:port or"
                                    .formatted(text)
                            + " [ipv6]:port.");
        }
        return new HostAndPort(host, port);
    }

    /** Whether a host is a number that Java takes for an IPv4 address: 10.1 means 10.0.0.1. */
    public static boolean isPartialIpv4(String host) {
        return host.matches("[0-9.]+") && host.split("\\.", -1).length != IPV4_PARTS;
    }

    private static SocketAddress unix(String path) {
        int length = path.getBytes(StandardCharsets.UTF_8).length;
        if (length > RuntimeDirectory.MAX_SOCKET_PATH_BYTES) {
            throw new BmiException(
                    ErrorCode.ENAMETOOLONG,
                    "The path of the socket %s has %d bytes, and the system allows %d."
                            .formatted(path, length, RuntimeDirectory.MAX_SOCKET_PATH_BYTES));
        }
        return UnixDomainSocketAddress.of(path);
    }

    private static int port(String text) {
        boolean isNumber =
                !text.isEmpty()
                        && text.length() <= 5
                        && text.chars().allMatch(c -> c >= '0' && c <= '9');
        int port = isNumber ? Integer.parseInt(text) : -1;
        return port <= MAX_PORT ? port : -1;
    }

    /** An address as {@link #parse} reads it. */
    public static String text(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet)) {
            return address.toString();
        }
        String host = inet.getAddress().getHostAddress();
        int zone = host.indexOf('%');
        String bare = zone < 0 ? host : host.substring(0, zone);
        return (bare.indexOf(':') < 0 ? bare : "[" + bare + "]") + ":" + inet.getPort();
    }
}
