package org.jbmi.zoidfs.client;

import org.jbmi.zoidfs.protocol.Dialect;

import java.time.Duration;

/**
 * The settings of a client.
 *
 * @param dialect the format of the server's replies
 * @param timeoutMs how long the server may be silent before an operation ends, and how long one
 *     message of data may take. Messages of the client's other operations that come first do not
 *     count, if each of them takes no longer than that. What the system has buffered counts as one
 *     message. A silent server ends a read or write after twice this time at most. A timeout of
 *     more than a year becomes a year
 * @param chunkBytes the size of the messages of a long read or write; smaller if the method or the
 *     server limits messages
 * @param threads how many operations with futures run at a time
 */
public record ClientOptions(Dialect dialect, long timeoutMs, long chunkBytes, int threads) {
    /** The longest timeout. The default below needs it, so it comes first. */
    private static final long YEAR_MS = Duration.ofDays(365).toMillis();

    /** The dialect main, a minute, 1 MiB, 16 threads. */
    public static final ClientOptions DEFAULT =
            new ClientOptions(Dialect.MAIN, 60_000, 1 << 20, 16);

    /** Checks the values. */
    public ClientOptions {
        if (timeoutMs <= 0 || chunkBytes <= 0 || threads <= 0) {
            throw new IllegalArgumentException("Times, sizes and numbers are more than 0");
        }
        timeoutMs = Math.min(timeoutMs, YEAR_MS);
    }

    /** The same in another dialect. */
    public ClientOptions withDialect(Dialect newDialect) {
        return new ClientOptions(newDialect, timeoutMs, chunkBytes, threads);
    }

    /** The same with another timeout. */
    public ClientOptions withTimeoutMs(long milliseconds) {
        return new ClientOptions(dialect, milliseconds, chunkBytes, threads);
    }

    /** The same with another chunk size. */
    public ClientOptions withChunkBytes(long bytes) {
        return new ClientOptions(dialect, timeoutMs, bytes, threads);
    }
}
