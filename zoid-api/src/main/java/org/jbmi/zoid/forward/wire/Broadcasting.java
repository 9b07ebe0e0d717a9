package org.jbmi.zoid.forward.wire;

import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Shipped;

/** A file that goes to all who receive broadcasts, in chunks. */
public final class Broadcasting {
    /** How large a chunk is. */
    public static final int CHUNK_BYTES = 2 << 20;

    private Broadcasting() {}

    /**
     * A receiver asks for what comes next, and says with it what it has.
     *
     * @param process who asks
     * @param key what that process said at its coming
     * @param round which broadcast it is in, 0 for none
     * @param next which chunk it wants; one beyond the last if the file is in its place
     * @param error what went wrong, empty if nothing did
     * @param into where the chunk is to be put
     */
    @Shipped
    public record In(int process, long key, long round, long next, String error, BulkHandle into) {}

    /**
     * A chunk.
     *
     * @param round which broadcast
     * @param path where the file belongs
     * @param chunk which chunk
     * @param bytes how many bytes were put
     * @param isLast whether no other follows
     * @param sha256 of the whole file, if this is the last one
     */
    @Shipped
    @SuppressWarnings("ArrayRecordComponent") // read once, and never compared
    public record Out(
            long round, String path, long chunk, int bytes, boolean isLast, byte[] sha256) {}

    /**
     * Asks for a broadcast.
     *
     * @param input the file on the server
     * @param output where it belongs
     */
    @Shipped
    public record Wish(String input, String output) {}

    /**
     * What became of it.
     *
     * @param receivers how many have the file
     * @param bytes how large it is
     * @param trouble what went wrong, and with whom; empty if nothing did
     */
    @Shipped
    public record Answer(int receivers, long bytes, String trouble) {}
}
