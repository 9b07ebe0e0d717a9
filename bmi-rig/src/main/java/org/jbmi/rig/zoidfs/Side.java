package org.jbmi.rig.zoidfs;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * One side of a comparison.
 *
 * @param serverTime the processor time of its server until now
 */
record Side(LoadThreads threads, Supplier<Duration> serverTime) implements AutoCloseable {
    /** A side without a server. */
    static Side alone(LoadThreads threads) {
        return new Side(threads, () -> Duration.ZERO);
    }

    @Override
    public void close() throws IOException {
        threads.close();
    }
}
