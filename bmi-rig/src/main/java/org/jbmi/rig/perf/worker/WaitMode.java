package org.jbmi.rig.perf.worker;

import org.jbmi.spi.WaitPolicy;

import java.util.Locale;
import java.util.Map;

/**
 * How a thread waits for a message, and what that means to the library. The one place that knows
 * both.
 */
public enum WaitMode {
    /** Test calls without idle time, one after the other. */
    SPIN(0),
    /** The same, letting others run in between. */
    YIELD(0),
    /** Test calls that may wait: they spin a moment and then sleep. */
    ADAPTIVE(WaitMode.IDLE_MS),
    /** Test calls that sleep at once. */
    BLOCK(WaitMode.IDLE_MS);

    /** Long, so that a waiter that nobody wakes costs nothing; ends come with messages. */
    private static final long IDLE_MS = 1000;

    private final long idleMs;

    WaitMode(long idleMs) {
        this.idleMs = idleMs;
    }

    /**
     * The idle time of a test call.
     *
     * @return milliseconds, 0 for none
     */
    public long idleMs() {
        return idleMs;
    }

    /**
     * Whether a test call may sleep.
     *
     * @return true if its idle time is more than 0
     */
    public boolean isBlocking() {
        return idleMs > 0;
    }

    /** What a thread does between two test calls that found nothing. */
    @SuppressWarnings("ThreadPriorityCheck") // yielding is what is asked for
    public void pause() {
        if (this == SPIN) {
            Thread.onSpinWait();
        } else if (this == YIELD) {
            Thread.yield();
        }
    }

    /**
     * The knobs of an instance whose callers wait in this way.
     *
     * @return values by name
     */
    public Map<String, String> knobs() {
        return Map.of(WaitPolicy.MODE.name(), toString());
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
