package org.jbmi.zbmi.daemon.gateway;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.socket.LinkAddress;

import java.math.BigInteger;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;

/** Ranges of IP addresses, written {@code address/bits}, or an address alone. Immutable. */
record AddressRanges(List<Range> ranges) {
    /**
     * One range.
     *
     * @param bytes length of its addresses
     * @param prefix its addresses without the last bits
     * @param rest how many bits that are
     */
    record Range(int bytes, BigInteger prefix, int rest) {
        Range(byte[] address, int rest) {
            this(address.length, new BigInteger(1, address).shiftRight(rest), rest);
        }

        boolean contains(byte[] address) {
            return equals(new Range(address, rest));
        }
    }

    /**
     * Reads ranges.
     *
     * @param text ranges with commas between them; none if blank
     * @throws BmiException with {@link ErrorCode#EINVAL} for one that is none
     */
    static AddressRanges parse(String text) {
        return new AddressRanges(
                Arrays.stream(text.split(",", -1))
                        .filter(part -> !part.isBlank())
                        .map(part -> range(part.strip()))
                        .toList());
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
            return new Range(prefix, most - bits);
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
        return ranges.stream().anyMatch(range -> range.contains(bytes));
    }
}
