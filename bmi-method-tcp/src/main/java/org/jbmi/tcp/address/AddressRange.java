package org.jbmi.tcp.address;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

import java.net.InetAddress;

/** A set of addresses: a network with the length of its prefix, or an IPv4 pattern with stars. */
public final class AddressRange {
    private static final String SCHEME = "tcp://";
    private static final int OCTETS = 4;
    private static final int ANY = -1;

    private final byte[] network;
    private final int prefixBits;
    private final int[] octets;

    private AddressRange(byte[] network, int prefixBits, int[] octets) {
        this.network = network;
        this.prefixBits = prefixBits;
        this.octets = octets;
    }

    /**
     * Reads {@code tcp://ADDRESS} with the length of a prefix. For a length of -1 it reads {@code
     * tcp://PATTERN}: four octets or stars. After a star the rest may be left out.
     */
    public static AddressRange parse(String pattern, int prefixLength) {
        if (!pattern.startsWith(SCHEME)) {
            throw malformed(pattern);
        }
        String host = pattern.substring(SCHEME.length());
        return prefixLength == ANY ? wildcard(host, pattern) : network(host, prefixLength);
    }

    /** A network with the length of its prefix in bits. */
    public static AddressRange network(String host, int prefixLength) {
        String literal =
                host.startsWith("[") && host.endsWith("]")
                        ? host.substring(1, host.length() - 1)
                        : host;
        // Java takes fewer parts for an address too: 10.1 means 10.0.0.1.
        if (literal.indexOf(':') < 0 && literal.split("\\.", -1).length != OCTETS) {
            throw malformed(host);
        }
        try {
            byte[] bytes = InetAddress.ofLiteral(literal).getAddress();
            if (prefixLength < 0 || prefixLength > bytes.length * Byte.SIZE) {
                throw malformed(host + "/" + prefixLength);
            }
            return new AddressRange(bytes, prefixLength, new int[0]);
        } catch (IllegalArgumentException e) {
            throw malformed(host);
        }
    }

    private static AddressRange wildcard(String host, String pattern) {
        String[] parts = host.split("\\.", -1);
        boolean endsWithStar = parts[parts.length - 1].equals("*");
        if (parts.length > OCTETS || (parts.length < OCTETS && !endsWithStar)) {
            throw malformed(pattern);
        }
        int[] octets = new int[OCTETS];
        for (int i = 0; i < OCTETS; i++) {
            octets[i] = i < parts.length ? octet(parts[i], pattern) : ANY;
        }
        return new AddressRange(new byte[0], 0, octets);
    }

    private static int octet(String part, String pattern) {
        if (part.equals("*")) {
            return ANY;
        }
        if (!part.matches("[0-9]{1,3}") || Integer.parseInt(part) > 255) {
            throw malformed(pattern);
        }
        return Integer.parseInt(part);
    }

    private static BmiException malformed(String pattern) {
        return new BmiException(
                ErrorCode.EINVAL,
                "A range is tcp://NETWORK with the length of its prefix, or tcp://A.B.*.* without"
                        + " one, not \""
                        + pattern
                        + "\".");
    }

    public boolean contains(InetAddress address) {
        byte[] bytes = address.getAddress();
        return octets.length > 0 ? matches(bytes) : isInNetwork(bytes);
    }

    private boolean matches(byte[] bytes) {
        if (bytes.length != OCTETS) {
            return false;
        }
        for (int i = 0; i < OCTETS; i++) {
            if (octets[i] != ANY && octets[i] != (bytes[i] & 0xff)) {
                return false;
            }
        }
        return true;
    }

    private boolean isInNetwork(byte[] bytes) {
        if (bytes.length != network.length) {
            return false;
        }
        for (int bit = 0; bit < prefixBits; bit += Byte.SIZE) {
            int bits = Math.min(Byte.SIZE, prefixBits - bit);
            int mask = (0xff << (Byte.SIZE - bits)) & 0xff;
            if (((bytes[bit / Byte.SIZE] ^ network[bit / Byte.SIZE]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }
}
