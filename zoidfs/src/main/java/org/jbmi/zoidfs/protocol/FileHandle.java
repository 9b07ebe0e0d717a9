package org.jbmi.zoidfs.protocol;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * A server's name for a file: 32 bytes that a client only keeps and sends back. In the first four a
 * server of IOFSL keeps which of its file systems has the file; they take no part in comparisons.
 */
public final class FileHandle {
    /** The length of each handle. */
    public static final int SIZE_BYTES = 32;

    /** How many bytes at the beginning are not compared. */
    public static final int RESERVED_BYTES = 4;

    /** 32 zeros, which name nothing. */
    public static final FileHandle NONE = new FileHandle(0, 0, 0, 0);

    private static final long COMPARED = (1L << (Long.SIZE - Byte.SIZE * RESERVED_BYTES)) - 1;

    private final long first;
    private final long second;
    private final long third;
    private final long fourth;

    private FileHandle(long first, long second, long third, long fourth) {
        this.first = first;
        this.second = second;
        this.third = third;
        this.fourth = fourth;
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
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new FileHandle(
                buffer.getLong(), buffer.getLong(), buffer.getLong(), buffer.getLong());
    }

    static FileHandle read(XdrReader reader, String field) throws XdrException {
        return new FileHandle(
                reader.readLong(field),
                reader.readLong(field),
                reader.readLong(field),
                reader.readLong(field));
    }

    void write(XdrWriter writer) {
        writer.writeLong(first).writeLong(second).writeLong(third).writeLong(fourth);
    }

    /** A copy of its bytes. */
    public byte[] toByteArray() {
        return ByteBuffer.allocate(SIZE_BYTES)
                .putLong(first)
                .putLong(second)
                .putLong(third)
                .putLong(fourth)
                .array();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FileHandle handle
                && ((first ^ handle.first) & COMPARED) == 0
                && second == handle.second
                && third == handle.third
                && fourth == handle.fourth;
    }

    @Override
    public int hashCode() {
        return Long.hashCode((first & COMPARED) + 31 * (second + 31 * (third + 31 * fourth)));
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(toByteArray());
    }
}
