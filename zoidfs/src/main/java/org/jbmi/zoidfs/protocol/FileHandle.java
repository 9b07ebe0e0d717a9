package org.jbmi.zoidfs.protocol;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * A server's name for a file: 32 bytes that a client only keeps and sends back. The first four are
 * reserved for dispatchers and take no part in comparisons.
 */
public final class FileHandle {
    /** The length of each handle. */
    public static final int SIZE_BYTES = 32;

    /** How many bytes at the begin are not compared. */
    public static final int RESERVED_BYTES = 4;

    /** 32 zeros, which name nothing. */
    public static final FileHandle NONE = new FileHandle(new byte[SIZE_BYTES]);

    private final byte[] bytes;
    private final int hash;

    private FileHandle(byte[] bytes) {
        this.bytes = bytes;
        int sum = 0;
        for (int i = RESERVED_BYTES; i < SIZE_BYTES; i++) {
            sum = 31 * sum + bytes[i];
        }
        hash = sum;
    }

    /**
     * A handle of these bytes.
     *
     * @throws IllegalArgumentException if there are not 32
     */
    public static FileHandle of(byte[] bytes) {
        if (bytes.length != SIZE_BYTES) {
            throw new IllegalArgumentException("A handle has 32 bytes, not " + bytes.length);
        }
        return new FileHandle(bytes.clone());
    }

    static FileHandle read(XdrReader reader, String field) throws XdrException {
        return new FileHandle(reader.readOpaque(SIZE_BYTES, field));
    }

    void write(XdrWriter writer) {
        writer.writeOpaque(bytes);
    }

    /** A copy of its bytes. */
    public byte[] toByteArray() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FileHandle handle
                && Arrays.equals(
                        bytes,
                        RESERVED_BYTES,
                        SIZE_BYTES,
                        handle.bytes,
                        RESERVED_BYTES,
                        SIZE_BYTES);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
