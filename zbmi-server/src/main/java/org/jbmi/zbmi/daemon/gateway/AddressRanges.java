package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.socket.LinkAddress;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/** Ranges of IP addresses, written {@code address/bits}, or an address alone. Immutable. */
final class AddressRanges {
    private static final class Range {
        private final byte[] prefix;
        private final int bits;

        Range(byte[] prefix, int bits) {
            this.prefix = prefix;
            this.bits = bits;
        }

        boolean contains(byte[] address) {
            if (address.length != prefix.length) {
                return false;
            }
            int whole = bits / Byte.SIZE;
            for (int i = 0; i < whole; i++) {
                if (address[i] != prefix[i]) {
                    return false;
                }
            }
            int rest = bits % Byte.SIZE;
            int mask = 0xff << (Byte.SIZE - rest);
            return rest == 0 || ((address[whole] ^ prefix[whole]) & mask) == 0;
        }
    }

    private final List<Range> ranges = new ArrayList<>();

    private AddressRanges() {}

    /**
     * Reads ranges.
     *
     * @param text ranges with commas between them; none if blank
     * @throws BmiException with {@link ErrorCode#EINVAL} for one that is none
     */
    static AddressRanges parse(String text) {
        AddressRanges parsed = new AddressRanges();
        for (String part : text.split(",", -1)) {
            if (!part.isBlank()) {
                parsed.ranges.add(range(part.strip()));
            }
        }
        return parsed;
    }

    private static Range range(String text) {
        int slash = text.indexOf('/');
        String address = slash < 0 ? text : text.substring(0, slash);
        if (LinkAddress.isPartialIpv4(address)) {
            throw wrong(text);
        }
        try {
            byte[] prefix = InetAddress.ofLiteral(address).getAddress();
            int most = prefix.length * Byte.SIZE;
            int bits = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
            if (bits < 0 || bits > most) {
                throw wrong(text);
            }
            return new Range(prefix, bits);
        } catch (IllegalArgumentException e) {
            throw wrong(text);
        }
    }

    private static BmiException wrong(String text) {
        return new BmiException(
                ErrorCode.EINVAL,
                "\"%s\" in %s is no range of addresses, such as 10.1.0.0/16 or ::1/128."
                        .formatted(text, GatewayKnobs.ALLOW.name()));
    }

    boolean contains(InetAddress address) {
        byte[] bytes = address.getAddress();
        for (Range range : ranges) {
            if (range.contains(bytes)) {
                return true;
            }
        }
        return false;
    }
}
