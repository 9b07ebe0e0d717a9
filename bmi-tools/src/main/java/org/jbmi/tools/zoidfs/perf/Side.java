package org.jbmi.tools.zoidfs.perf;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * One side of a comparison.
 *
 * @param crew who works
 * @param serverTime the processor time of its server until now
 */
record Side(Crew crew, Supplier<Duration> serverTime) implements AutoCloseable {
    /** One without a server of its own. */
    static Side alone(Crew crew) {
        return new Side(crew, () -> Duration.ZERO);
    }

    @Override
    public void close() throws IOException {
        crew.close();
    }
}
