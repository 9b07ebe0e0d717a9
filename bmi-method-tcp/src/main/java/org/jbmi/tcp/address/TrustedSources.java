package org.jbmi.tcp.address;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Who may connect: words separated by blanks or commas, networks such as {@code 10.0.0.0/8} or
 * {@code [fd00::]/8}, single addresses, and {@code ports=FIRST-LAST}. Without a network every
 * address may, without ports every port. Any other word is refused, so that a mistake does not
 * admit everyone.
 */
public final class TrustedSources {
    private static final int MAX_PORT = 65_535;
    private static final String PORTS = "ports=";

    private final List<AddressRange> networks;
    private final int firstPort;
    private final int lastPort;

    private TrustedSources(List<AddressRange> networks, int firstPort, int lastPort) {
        this.networks = networks;
        this.firstPort = firstPort;
        this.lastPort = lastPort;
    }

    public static TrustedSources parse(String text) {
        List<AddressRange> networks = new ArrayList<>();
        int[] ports = {0, MAX_PORT};
        for (String word : text.strip().split("[\\s,]+", -1)) {
            if (word.startsWith(PORTS)) {
                ports = ports(word.substring(PORTS.length()), text);
            } else if (!word.isEmpty()) {
                networks.add(network(word, text));
            }
        }
        return new TrustedSources(List.copyOf(networks), ports[0], ports[1]);
    }

    private static int[] ports(String range, String text) {
        if (!range.matches("[0-9]{1,5}(-[0-9]{1,5})?")) {
            throw malformed(text);
        }
        String[] ends = range.split("-", 2);
        int first = Integer.parseInt(ends[0]);
        int last = Integer.parseInt(ends[ends.length - 1]);
        if (first > last || last > MAX_PORT) {
            throw malformed(text);
        }
        return new int[] {first, last};
    }

    private static AddressRange network(String word, String text) {
        int slash = word.indexOf('/');
        String host = slash < 0 ? word : word.substring(0, slash);
        String length = slash < 0 ? "" : word.substring(slash + 1);
        if (slash >= 0 && !length.matches("[0-9]{1,3}")) {
            throw malformed(text);
        }
        int whole = host.indexOf(':') < 0 ? 32 : 128;
        try {
            return AddressRange.network(host, slash < 0 ? whole : Integer.parseInt(length));
        } catch (BmiException e) {
            throw malformed(text);
        }
    }

    private static BmiException malformed(String text) {
        return new BmiException(
                ErrorCode.EINVAL,
                "Trusted connections are networks and ports, as in \"10.0.0.0/8 127.0.0.1"
                        + " ports=1-1023\", not \""
                        + text
                        + "\".");
    }

    public boolean accept(InetAddress address, int port) {
        if (port < firstPort || port > lastPort) {
            return false;
        }
        if (networks.isEmpty()) {
            return true;
        }
        for (AddressRange network : networks) {
            if (network.contains(address)) {
                return true;
            }
        }
        return false;
    }
}
