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
 * @param sharedPointers shared pointers, of all clients
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
    /** The usual bounds. */
    public static final Limits DEFAULT =
            new Limits(4_096, 128L << 20, 32L << 20, 8, 300_000, 65_536, 128L << 20);
}
