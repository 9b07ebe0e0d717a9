package org.jbmi.zoid.daemon.packet;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A packet of the internet protocol, version 4, without fragments.
 *
 * @param source the address of the sender
 * @param destination the address of the receiver
 * @param protocol 1 for ICMP, 6 for TCP, 17 for UDP
 * @param hops how many hops it may still take
 * @param payload what it carries
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, and never compared
record Ipv4(int source, int destination, int protocol, int hops, byte[] payload) {
    static final int ICMP = 1;
    static final int TCP = 6;
    static final int UDP = 17;
    static final int FRESH_HOPS = 64;

    private static final int HEADER_BYTES = 20;
    private static final int VERSION = 4;
    private static final int WORD_BYTES = 4;
    private static final int FRAGMENT_BITS = 0x3fff;
    private static final int CHECKSUM_AT = 10;

    /** Parses a packet; null if it is damaged, of another kind, or a fragment. */
    static @Nullable Ipv4 parse(byte[] bytes) {
        if (bytes.length < HEADER_BYTES || (bytes[0] >> 4 & 0xf) != VERSION) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        int headerBytes = (bytes[0] & 0xf) * WORD_BYTES;
        boolean sound =
                headerBytes >= HEADER_BYTES
                        && headerBytes <= bytes.length
                        && Short.toUnsignedInt(in.getShort(2)) == bytes.length
                        && (in.getShort(6) & FRAGMENT_BITS) == 0
                        && checksum(bytes, headerBytes, 0) == 0;
        if (!sound) {
            return null;
        }
        return new Ipv4(
                in.getInt(12),
                in.getInt(16),
                bytes[9] & 0xff,
                bytes[8] & 0xff,
                Arrays.copyOfRange(bytes, headerBytes, bytes.length));
    }

    /** The encoded packet. */
    byte[] bytes() {
        ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES + payload.length);
        out.put((byte) (VERSION << 4 | HEADER_BYTES / WORD_BYTES)).put((byte) 0);
        out.putShort((short) out.capacity()).putInt(0);
        out.put((byte) hops).put((byte) protocol).putShort((short) 0);
        out.putInt(source).putInt(destination);
        out.putShort(CHECKSUM_AT, (short) checksum(out.array(), HEADER_BYTES, 0));
        return out.put(payload).array();
    }

    /** The internet checksum; 0 for bytes that include a right one. */
    static int checksum(byte[] bytes, int length, long before) {
        long sum = before;
        for (int at = 0; at < length; at += 2) {
            int low = at + 1 < length ? bytes[at + 1] & 0xff : 0;
            sum += (bytes[at] & 0xff) << 8 | low;
        }
        while (sum >> 16 != 0) {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        return (int) (~sum & 0xffff);
    }

    /** The pseudo header, which the checksum of UDP includes. */
    private long pseudoHeader(int length) {
        return (source >>> 16)
                + (source & 0xffffL)
                + (destination >>> 16)
                + (destination & 0xffffL)
                + protocol
                + length;
    }

    /**
     * A datagram in a packet.
     *
     * @param from the port of the sender
     * @param to the port of the receiver
     * @param content its payload
     */
    @SuppressWarnings("ArrayRecordComponent") // handed on, and never compared
    record Datagram(int from, int to, byte[] content) {}

    private static final int DATAGRAM_HEADER_BYTES = 8;

    /** Reads the datagram; null if it is damaged. */
    @Nullable Datagram datagram() {
        if (payload.length < DATAGRAM_HEADER_BYTES) {
            return null;
        }
        ByteBuffer in = ByteBuffer.wrap(payload);
        boolean checked = in.getShort(6) != 0;
        if (Short.toUnsignedInt(in.getShort(4)) != payload.length
                || (checked
                        && checksum(payload, payload.length, pseudoHeader(payload.length)) != 0)) {
            return null;
        }
        return new Datagram(
                Short.toUnsignedInt(in.getShort(0)),
                Short.toUnsignedInt(in.getShort(2)),
                Arrays.copyOfRange(payload, DATAGRAM_HEADER_BYTES, payload.length));
    }

    static Ipv4 of(int source, int destination, Datagram datagram) {
        ByteBuffer out = ByteBuffer.allocate(DATAGRAM_HEADER_BYTES + datagram.content().length);
        out.putShort((short) datagram.from()).putShort((short) datagram.to());
        out.putShort((short) out.capacity()).putShort((short) 0).put(datagram.content());
        Ipv4 packet = new Ipv4(source, destination, UDP, FRESH_HOPS, out.array());
        int sum = checksum(out.array(), out.capacity(), packet.pseudoHeader(out.capacity()));
        out.putShort(6, (short) (sum == 0 ? 0xffff : sum));
        return packet;
    }

    // ------------------------------------------------------------------ control messages

    private static final int ECHO = 8;
    private static final int QUOTED_BYTES = 8;
    private static final int MESSAGE_HEADER_BYTES = 8;
    static final int UNREACHABLE = 3;
    static final int TOO_MANY_HOPS = 11;
    static final int PROTOCOL_UNREACHABLE = 2;
    static final int PORT_UNREACHABLE = 3;
    static final int PROHIBITED = 13;

    /** Whether it is an echo request with a right checksum. */
    boolean isEcho() {
        return protocol == ICMP
                && payload.length >= MESSAGE_HEADER_BYTES
                && payload[0] == ECHO
                && checksum(payload, payload.length, 0) == 0;
    }

    /** The answer to an echo request. */
    Ipv4 echo() {
        byte[] answer = payload.clone();
        answer[0] = 0;
        answer[2] = 0;
        answer[3] = 0;
        ByteBuffer.wrap(answer).putShort(2, (short) checksum(answer, answer.length, 0));
        return new Ipv4(
                /* source= */ destination, /* destination= */ source, ICMP, FRESH_HOPS, answer);
    }

    /**
     * The error message for its sender; null where none is sent, so that errors do not cause
     * errors.
     */
    @Nullable Ipv4 trouble(int type, int code) {
        if (protocol == ICMP && !isEcho()) {
            return null;
        }
        byte[] whole = bytes();
        int quoted = Math.min(whole.length, HEADER_BYTES + QUOTED_BYTES);
        ByteBuffer out = ByteBuffer.allocate(MESSAGE_HEADER_BYTES + quoted);
        out.put((byte) type).put((byte) code).putShort((short) 0).putInt(0);
        out.put(whole, 0, quoted);
        out.putShort(2, (short) checksum(out.array(), out.capacity(), 0));
        return new Ipv4(Relay.NODE, source, ICMP, FRESH_HOPS, out.array());
    }
}
