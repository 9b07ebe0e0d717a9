package org.jbmi.zoidfs.server.config;

/**
 * Bounds on what clients can make grow.
 *
 * @param calls requests that were taken and not answered; more wait in the methods' own memory
 * @param memoryBytes payload in the server's memory
 * @param writeBehindBytes written data that was answered and is not in a file; more is written
 *     before it is answered
 * @param workers threads that wait for the disk
 * @param clientIdleMs the server disconnects a client that moves no byte of a transfer or reply for
 *     this time, in milliseconds
 * @param replyBytes replies that their clients have not taken; lists of directories become shorter
 */
public record Limits(
        int calls,
        long memoryBytes,
        long writeBehindBytes,
        int workers,
        long clientIdleMs,
        int sharedPointers,
        long replyBytes) {
    private static final long REPLY_BYTES = 128 << 20;

    /** The usual bounds. */
    public static final Limits DEFAULT =
            new Limits(4_096, 128L << 20, 32L << 20, 8, 300_000, 65_536);

    /** With the usual bound for replies. */
    public Limits(
            int calls,
            long memoryBytes,
            long writeBehindBytes,
            int workers,
            long clientIdleMs,
            int sharedPointers) {
        this(
                calls,
                memoryBytes,
                writeBehindBytes,
                workers,
                clientIdleMs,
                sharedPointers,
                REPLY_BYTES);
    }

    /** The same with another bound for replies. */
    public Limits withReplyBytes(long bytes) {
        return new Limits(
                calls, memoryBytes, writeBehindBytes, workers, clientIdleMs, sharedPointers, bytes);
    }
}
