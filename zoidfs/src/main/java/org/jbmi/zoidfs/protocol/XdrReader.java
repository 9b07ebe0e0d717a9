package org.jbmi.zoidfs.protocol;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Reads XDR (RFC 4506) from an untrusted message. Each read checks how many bytes are left. It
 * allocates no more than the message is long. Not thread-safe.
 */
public final class XdrReader {
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int LOW_16 = 0xffff;

    private final MemorySegment message;
    private long position;

    /** Reads a message from its beginning; the message must not change meanwhile. */
    public XdrReader(MemorySegment message) {
        this.message = message;
    }

    /** How many bytes are left. */
    public long left() {
        return message.byteSize() - position;
    }

    private long take(long sizeBytes, String field) throws XdrException {
        if (sizeBytes > left()) {
            throw new XdrException(
                    "The message ends in " + field + ", at byte " + message.byteSize());
        }
        long at = position;
        position += sizeBytes;
        return at;
    }

    /** A word of 32 bits. */
    public int readInt(String field) throws XdrException {
        return message.get(INT, take(Integer.BYTES, field));
    }

    /** A quantity of 16 bits, in a word of 32 bits whose upper half is ignored. */
    public int readShort(String field) throws XdrException {
        return readInt(field) & LOW_16;
    }

    /** A word of 64 bits, aligned to 4 bytes. */
    public long readLong(String field) throws XdrException {
        return message.get(LONG, take(Long.BYTES, field));
    }

    /**
     * A string, of at most so many bytes.
     *
     * @return one character for each byte
     */
    public String readString(int maximumBytes, String field) throws XdrException {
        long length = Integer.toUnsignedLong(readInt(field));
        if (length > maximumBytes) {
            throw new XdrException(
                    field + " has " + length + " bytes, at most " + maximumBytes + " are possible");
        }
        long padded = (length + 3) & ~3L;
        long at = take(padded, field);
        byte[] bytes = new byte[(int) length];
        MemorySegment.copy(message, ValueLayout.JAVA_BYTE, at, bytes, 0, bytes.length);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** A string of a hint; skips one that is too long and returns null. */
    @Nullable String readHint(String field) throws XdrException {
        long start = position;
        long length = Integer.toUnsignedLong(readInt(field));
        if (length > Hints.MAX_TEXT_BYTES) {
            take((length + 3) & ~3L, field);
            return null;
        }
        position = start;
        return readString(Hints.MAX_TEXT_BYTES, field);
    }

    /** A counted array of words of 64 bits; each needs its bytes in the message. */
    public LongList readLongs(String field) throws XdrException {
        long count = Integer.toUnsignedLong(readInt(field));
        if (count > left() / Long.BYTES) {
            throw new XdrException(field + " announces " + count + " entries and has fewer");
        }
        long[] values = new long[(int) count];
        for (int i = 0; i < values.length; i++) {
            values[i] = readLong(field);
        }
        return LongList.taking(values);
    }
}
