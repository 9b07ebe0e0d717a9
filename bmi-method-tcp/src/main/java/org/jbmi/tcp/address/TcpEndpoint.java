package org.jbmi.tcp.address;

import org.jspecify.annotations.Nullable;

import java.net.InetAddress;

/**
 * One element of an address string.
 *
 * @param text the element as it was written
 * @param zone its zone, empty for none
 * @param host a name, or a numeric address without brackets
 * @param port 0 to 65535; 0 if none was given
 */
public record TcpEndpoint(String text, String zone, String host, int port) {
    /** Whether the host is a numeric address. */
    public boolean isNumeric() {
        return numeric() != null;
    }

    /** The address that a numeric host means, or null for a name. */
    public @Nullable InetAddress numeric() {
        try {
            return InetAddress.ofLiteral(host);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
