package org.jbmi.tools.demo.forward;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * What a client asks for: the payload of the unexpected message.
 *
 * <pre>
 *   0        4        8        12           16                24
 *   +--------+--------+--------+------------+-----------------+
 *   | magic  | kind   | file   | chunk size | size of the file|   little-endian
 *   +--------+--------+--------+------------+-----------------+
 * </pre>
 *
 * @param kind to the server or from it
 * @param file number of the file, 0 to {@link #MAX_FILE}
 * @param chunkBytes size of every chunk but the last, which may be shorter
 * @param sizeBytes size of the whole file, 0 or more
 */
public record TransferRequest(Kind kind, int file, int chunkBytes, long sizeBytes) {
    /** Which way the file goes. */
    public enum Kind {
        /** From the client to the server. */
        WRITE(1),
        /** From the server to the client. */
        READ(2);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        private static @Nullable Kind of(int number) {
            return number == WRITE.number ? WRITE : number == READ.number ? READ : null;
        }
    }

    /** Length of the message. */
    public static final int BYTES = 24;

    /** The greatest number of a file. */
    public static final int MAX_FILE = 65_535;

    /** The largest chunk. */
    public static final int MAX_CHUNK_BYTES = 16 << 20;

    /** The largest file: a tebibyte. */
    public static final long MAX_SIZE_BYTES = 1L << 40;

    /** "FWQ1". */
    private static final int MAGIC = 0x31515746;

    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /**
     * Writes the request.
     *
     * @param target at least {@link #BYTES} long
     */
    public void encode(MemorySegment target) {
        target.set(INT, 0, MAGIC);
        target.set(INT, 4, kind.number);
        target.set(INT, 8, file);
        target.set(INT, 12, chunkBytes);
        target.set(LONG, 16, sizeBytes);
    }

    /**
     * Reads a request that somebody else wrote.
     *
     * @param payload what came
     * @return the request, or null if it is none, or asks for more than the limits above
     */
    public static @Nullable TransferRequest decode(MemorySegment payload) {
        if (payload.byteSize() != BYTES || payload.get(INT, 0) != MAGIC) {
            return null;
        }
        Kind kind = Kind.of(payload.get(INT, 4));
        int file = payload.get(INT, 8);
        int chunkBytes = payload.get(INT, 12);
        long sizeBytes = payload.get(LONG, 16);
        boolean sound =
                kind != null
                        && file >= 0
                        && file <= MAX_FILE
                        && chunkBytes > 0
                        && chunkBytes <= MAX_CHUNK_BYTES
                        && sizeBytes >= 0
                        && sizeBytes <= MAX_SIZE_BYTES;
        return sound && kind != null
                ? new TransferRequest(kind, file, chunkBytes, sizeBytes)
                : null;
    }
}
