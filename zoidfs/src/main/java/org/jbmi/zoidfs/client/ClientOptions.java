package org.jbmi.zoidfs.client;

import org.jbmi.zoidfs.protocol.Dialect;

/**
 * How a client talks to its server.
 *
 * @param dialect what the server's replies look like
 * @param timeoutMs how long the server may be silent before an operation ends
 * @param chunkBytes how a long read or write is cut into messages; shorter where the method or the
 *     server takes no message of that length
 * @param threads how many operations with futures run at a time
 */
public record ClientOptions(Dialect dialect, long timeoutMs, long chunkBytes, int threads) {
    /** The dialect main, a minute, 1 MiB, 16 threads. */
    public static final ClientOptions DEFAULT =
            new ClientOptions(Dialect.MAIN, 60_000, 1 << 20, 16);

    /** Checks the values. */
    public ClientOptions {
        if (timeoutMs <= 0 || chunkBytes <= 0 || threads <= 0) {
            throw new IllegalArgumentException("Times, sizes and numbers are more than 0");
        }
    }

    /** The same in another dialect. */
    public ClientOptions withDialect(Dialect newDialect) {
        return new ClientOptions(newDialect, timeoutMs, chunkBytes, threads);
    }

    /** The same with another time. */
    public ClientOptions withTimeoutMs(long milliseconds) {
        return new ClientOptions(dialect, milliseconds, chunkBytes, threads);
    }

    /** The same with other chunks. */
    public ClientOptions withChunkBytes(long bytes) {
        return new ClientOptions(dialect, timeoutMs, bytes, threads);
    }
}
