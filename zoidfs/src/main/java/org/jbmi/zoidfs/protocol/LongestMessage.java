package org.jbmi.zoidfs.protocol;

import java.lang.foreign.MemorySegment;

/**
 * How a client of this project learns how long a message of data may be, which the protocol does
 * not tell. The request is the operation null with a mark behind it, which other servers ignore;
 * the reply is a status and the length. Other servers send the status alone.
 */
public final class LongestMessage {
    /** The length of the reply. */
    public static final int REPLY_BYTES = Integer.BYTES + Long.BYTES;

    private static final int REQUEST_BYTES = 2 * Integer.BYTES;

    private LongestMessage() {}

    /** The request. */
    public static byte[] request() {
        return new XdrWriter()
                .writeInt(Operation.NULL.number())
                .writeInt(ServerReport.NUMBER)
                .toByteArray();
    }

    /** Whether a message is the request. */
    public static boolean isRequest(MemorySegment message) throws XdrException {
        if (message.byteSize() != REQUEST_BYTES) {
            return false;
        }
        XdrReader reader = new XdrReader(message);
        return reader.readInt("operation") == Operation.NULL.number()
                && reader.readInt("mark") == ServerReport.NUMBER;
    }

    /** The reply. */
    public static byte[] reply(long bytes) {
        return new XdrWriter().writeInt(Status.OK).writeLong(bytes).toByteArray();
    }

    /** The length in a reply, or 0 if the server does not tell it. */
    public static long bytes(MemorySegment reply) throws XdrException {
        XdrReader reader = new XdrReader(reply);
        int status = reader.readInt("status");
        return status == Status.OK && reader.left() >= Long.BYTES
                ? reader.readLong("longest message")
                : 0;
    }
}
