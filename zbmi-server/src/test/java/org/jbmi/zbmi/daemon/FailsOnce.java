package org.jbmi.zbmi.daemon;

import java.util.logging.Handler;
import java.util.logging.LogRecord;

/** A log that finds no memory for its first report. */
public final class FailsOnce extends Handler {
    private boolean hasFailed;

    @Override
    public void publish(LogRecord report) {
        if (!hasFailed) {
            hasFailed = true;
            throw new OutOfMemoryError("played");
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
