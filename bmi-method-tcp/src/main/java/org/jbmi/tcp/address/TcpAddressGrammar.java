package org.jbmi.tcp.address;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.tcp.wire.Dialect;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * The strict grammar of addresses:
 *
 * <pre>
 *   addresses := element { "," element }
 *   element   := "tcp" [ "-" zone ] "://" host [ ":" port ] | an element of another method
 *   host      := IPv4 address of four parts | "[" IPv6 literal "]" | name
 *   port      := 1 to 5 digits, up to 65535
 * </pre>
 *
 * Names have letters, digits, dots, hyphens and underscores. The port may be left out in the
 * standalone dialect only. With a zone set, only elements of just that zone count.
 */
public final class TcpAddressGrammar {
    private static final String SCHEME = "tcp";
    private static final String SEPARATOR = "://";
    private static final String NOT_IN_ZONE = "{}/:- \t\n@$#&*^%!;,.?";
    private static final int IPV4_PARTS = 4;
    private static final int MAX_PORT = 65_535;

    private TcpAddressGrammar() {}

    /** The elements that may be used, in order; never empty. */
    public static List<TcpEndpoint> parse(String address, Dialect dialect, String zone) {
        List<TcpEndpoint> found = new ArrayList<>();
        for (String element : address.split(",", -1)) {
            if (!isOurs(element)) {
                requireScheme(element, address);
                continue;
            }
            TcpEndpoint endpoint = element(element, address, dialect);
            if (zone.isEmpty() || zone.equals(endpoint.zone())) {
                found.add(endpoint);
            }
        }
        if (found.isEmpty()) {
            throw malformed(address, "no element of it can be used here");
        }
        return List.copyOf(found);
    }

    private static boolean isOurs(String element) {
        return element.startsWith(SCHEME + SEPARATOR) || element.startsWith(SCHEME + "-");
    }

    private static void requireScheme(String element, String address) {
        int end = element.indexOf(SEPARATOR);
        boolean other = end > 0 && element.substring(0, end).matches("[a-z]{1,20}(-[^/:]*)?");
        if (!other || element.startsWith(SCHEME)) {
            throw malformed(address, "\"" + element + "\" is no element of an address");
        }
    }

    private static TcpEndpoint element(String element, String address, Dialect dialect) {
        int separator = element.indexOf(SEPARATOR);
        if (separator < 0) {
            throw malformed(address, "an element begins with tcp:// or tcp-ZONE://");
        }
        String head = element.substring(SCHEME.length(), separator);
        String zone = head.isEmpty() ? "" : head.substring(1);
        if (zone.chars().anyMatch(c -> NOT_IN_ZONE.indexOf(c) >= 0)) {
            throw malformed(address, "a zone has no signs other than letters, digits and _");
        }
        String rest = element.substring(separator + SEPARATOR.length());
        int colon = rest.startsWith("[") ? rest.indexOf(':', rest.indexOf(']')) : rest.indexOf(':');
        if (rest.startsWith("[") && rest.indexOf(']') < 0) {
            throw malformed(address, "a bracket is not closed");
        }
        String host = colon < 0 ? rest : rest.substring(0, colon);
        if (colon < 0 && !dialect.hasClasses()) {
            throw malformed(address, "the port is missing");
        }
        int port = colon < 0 ? 0 : port(rest.substring(colon + 1), address);
        return new TcpEndpoint(element, zone, host(host, address), port);
    }

    private static String host(String host, String address) {
        if (host.startsWith("[") && host.endsWith("]") && host.length() > 2) {
            String literal = host.substring(1, host.length() - 1);
            if (literal.indexOf(':') >= 0 && isLiteral(literal)) {
                return literal;
            }
            throw malformed(address, "there is no IPv6 address in the brackets");
        }
        if (!host.matches("[A-Za-z0-9_]([A-Za-z0-9_.-]{0,253}[A-Za-z0-9_])?")) {
            throw malformed(address, "the host is missing, or is not a name");
        }
        // Java takes fewer parts too: 10.1 means 10.0.0.1.
        boolean isWhole = host.split("\\.", -1).length == IPV4_PARTS && isLiteral(host);
        if (host.matches("[0-9.]+") && !isWhole) {
            throw malformed(address, "an IPv4 address has four numbers of up to 255");
        }
        return host;
    }

    private static boolean isLiteral(String text) {
        try {
            InetAddress.ofLiteral(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static int port(String digits, String address) {
        if (!digits.matches("[0-9]{1,5}") || Integer.parseInt(digits) > MAX_PORT) {
            throw malformed(address, "the port is not a number from 0 to " + MAX_PORT);
        }
        return Integer.parseInt(digits);
    }

    private static BmiException malformed(String address, String why) {
        return new BmiException(
                ErrorCode.ENOPROTOOPT,
                "A tcp address is tcp://HOST:PORT, not \"" + address + "\": " + why + ".");
    }
}
