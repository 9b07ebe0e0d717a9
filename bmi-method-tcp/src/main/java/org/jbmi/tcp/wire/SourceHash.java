package org.jbmi.tcp.wire;

import java.nio.charset.StandardCharsets;

/**
 * The hash by which servers recognize each other's connections. It is Bob Jenkins' lookup3 with the
 * initial value 3334, over the bytes of the server's address, read as little-endian words.
 */
public final class SourceHash {
    private static final int INITIAL = 3334;
    private static final int BLOCK = 12;

    private SourceHash() {}

    /**
     * Hashes an address string.
     *
     * @param address the very string that the server listens on
     * @return any 32-bit value; 0 would look like a client
     */
    public static int of(String address) {
        byte[] bytes = address.getBytes(StandardCharsets.UTF_8);
        int a = 0xdeadbeef + bytes.length + INITIAL;
        int b = a;
        int c = a;
        int at = 0;
        while (bytes.length - at > BLOCK) {
            a += word(bytes, at);
            b += word(bytes, at + 4);
            c += word(bytes, at + 8);
            a = (a - c) ^ Integer.rotateLeft(c, 4);
            c += b;
            b = (b - a) ^ Integer.rotateLeft(a, 6);
            a += c;
            c = (c - b) ^ Integer.rotateLeft(b, 8);
            b += a;
            a = (a - c) ^ Integer.rotateLeft(c, 16);
            c += b;
            b = (b - a) ^ Integer.rotateLeft(a, 19);
            a += c;
            c = (c - b) ^ Integer.rotateLeft(b, 4);
            b += a;
            at += BLOCK;
        }
        if (at == bytes.length) {
            return c;
        }
        a += word(bytes, at);
        b += word(bytes, at + 4);
        c += word(bytes, at + 8);
        return last(a, b, c);
    }

    private static int last(int x, int y, int z) {
        int a = x;
        int b = y;
        int c = z;
        c = (c ^ b) - Integer.rotateLeft(b, 14);
        a = (a ^ c) - Integer.rotateLeft(c, 11);
        b = (b ^ a) - Integer.rotateLeft(a, 25);
        c = (c ^ b) - Integer.rotateLeft(b, 16);
        a = (a ^ c) - Integer.rotateLeft(c, 4);
        b = (b ^ a) - Integer.rotateLeft(a, 14);
        c = (c ^ b) - Integer.rotateLeft(b, 24);
        return c;
    }

    /** Four bytes, with zeros beyond the end. */
    private static int word(byte[] bytes, int at) {
        int word = 0;
        for (int i = 3; i >= 0; i--) {
            word = (word << 8) | (at + i < bytes.length ? bytes[at + i] & 0xff : 0);
        }
        return word;
    }
}
