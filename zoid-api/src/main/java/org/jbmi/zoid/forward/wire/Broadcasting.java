package org.jbmi.zoid.forward.wire;

import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Shipped;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;

/** The messages that send a file, in chunks, to all receivers of broadcasts. */
public final class Broadcasting {
    /** How large a chunk is. */
    public static final int CHUNK_BYTES = 2 << 20;

    /** The number of a chunk that ends a file early: the receiver drops what it has of it. */
    public static final long ABORTED = -1;

    private Broadcasting() {}

    /**
     * Says why a file cannot be read or written.
     *
     * @param e what the JDK has thrown
     * @return a text that ends with a full stop
     */
    public static String why(Exception e) {
        String message = e.getMessage();
        String why =
                switch (e) {
                    case NoSuchFileException gone -> "There is no file " + gone.getFile();
                    case AccessDeniedException denied ->
                            "Access to " + denied.getFile() + " is denied";
                    case FileSystemException other -> {
                        String reason = other.getReason();
                        String name = other.getClass().getSimpleName();
                        yield other.getFile() + ": " + (reason == null ? name : reason);
                    }
                    case IOException _, InvalidPathException _ when message != null -> message;
                    default -> e.toString();
                };
        return why.endsWith(".") ? why : why + ".";
    }

    /**
     * A receiver asks for the next chunk, which also acknowledges the chunk before.
     *
     * @param process the number of the receiver
     * @param key the key with which that process has connected
     * @param round which broadcast it is in, 0 for none
     * @param next which chunk it wants; one beyond the last when it has the whole file, 0 when it
     *     has nothing of it
     * @param error what went wrong, empty if nothing did
     * @param into the memory for the chunk
     */
    @Shipped
    public record In(int process, long key, long round, long next, String error, BulkHandle into) {}

    /**
     * A chunk.
     *
     * @param round which broadcast
     * @param path where the file belongs
     * @param chunk which chunk; {@link #ABORTED} if no other follows and the file is not whole
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
     * The result of a broadcast.
     *
     * @param receivers how many have the file
     * @param bytes how large it is
     * @param trouble what went wrong, and with whom; empty if nothing did
     */
    @Shipped
    public record Answer(int receivers, long bytes, String trouble) {}
}
