package org.jbmi.zoidfs.protocol;

import java.lang.foreign.MemorySegment;

/**
 * The request for the counters of a server of this project. For other servers it is an unknown
 * operation. The reply is a status and a text in the format of Prometheus.
 */
public final class ServerReport {
    /** In the place of an operation's number: "jbmi". */
    public static final int NUMBER = 0x6a626d69;

    /** The longest reply. */
    public static final int MAX_BYTES = 64 << 10;

    private ServerReport() {}

    /** The request. */
    public static byte[] request() {
        return new XdrWriter().writeInt(NUMBER).toByteArray();
    }

    /** The reply; a text that is too long is cut. */
    public static byte[] reply(String text) {
        String cut = text.substring(0, Math.min(text.length(), MAX_BYTES - 2 * Integer.BYTES));
        return new XdrWriter().writeInt(Status.OK).writeString(cut).toByteArray();
    }

    /**
     * The text in a reply.
     *
     * @throws XdrException if the message is malformed, or the server refuses the request
     */
    public static String text(MemorySegment reply) throws XdrException {
        XdrReader reader = new XdrReader(reply);
        int status = reader.readInt("status");
        if (status != Status.OK) {
            throw new XdrException(
                    "The server does not report its counters: " + Status.text(status));
        }
        return reader.readString(MAX_BYTES, "report");
    }
}
