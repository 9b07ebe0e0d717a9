package org.jbmi.tools.demo.forward;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * How a transfer ended, as the server saw it.
 *
 * <pre>
 *   0        4        8                16
 *   +--------+--------+----------------+
 *   | magic  | status | bytes moved    |   little-endian
 *   +--------+--------+----------------+
 * </pre>
 *
 * @param status 0, or a negative {@link org.jbmi.ErrorCode}
 * @param movedBytes how many bytes of the file were stored or sent
 */
public record TransferReply(int status, long movedBytes) {
    /** Length of the message. */
    public static final int BYTES = 16;

    /** "FWR1". */
    private static final int MAGIC = 0x31525746;

    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /**
     * Writes the reply.
     *
     * @param target at least {@link #BYTES} long
     */
    public void encode(MemorySegment target) {
        target.set(INT, 0, MAGIC);
        target.set(INT, 4, status);
        target.set(LONG, 8, movedBytes);
    }

    /**
     * Reads a reply that somebody else wrote.
     *
     * @param payload what came
     * @return the reply, or null if it is none
     */
    public static @Nullable TransferReply decode(MemorySegment payload) {
        if (payload.byteSize() != BYTES || payload.get(INT, 0) != MAGIC) {
            return null;
        }
        int status = payload.get(INT, 4);
        long movedBytes = payload.get(LONG, 8);
        return status > 0 || movedBytes < 0 ? null : new TransferReply(status, movedBytes);
    }
}
