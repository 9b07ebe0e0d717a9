package org.jbmi.zoidfs.protocol;

import java.lang.foreign.MemorySegment;

/**
 * Asks how long a message of data may be. Only clients of this project ask this; the protocol has
 * no such question. The request is the operation null, followed by the word {@link
 * ServerReport#NUMBER}. A server of this project replies with a status and the length. Other
 * servers ignore the word and reply with a status only.
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

    /** The length in a reply, or 0 if the reply has only a status. */
    public static long bytes(MemorySegment reply) throws XdrException {
        XdrReader reader = new XdrReader(reply);
        int status = reader.readInt("status");
        return status == Status.OK && reader.left() >= Long.BYTES
                ? reader.readLong("longest message")
                : 0;
    }
}
