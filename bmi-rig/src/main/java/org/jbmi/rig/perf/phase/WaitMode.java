package org.jbmi.rig.perf.phase;

import org.jbmi.spi.WaitPolicy;

import java.util.Locale;
import java.util.Map;

/** How a thread waits for a message, with the test calls and the knobs of the library for it. */
public enum WaitMode {
    /** Test calls without idle time. */
    SPIN(0),
    /** The same, with a yield after each. */
    YIELD(0),
    /** Test calls with an idle time, which spin for a moment and then sleep. */
    ADAPTIVE(WaitMode.IDLE_MS),
    /** Test calls with an idle time, which sleep at once. */
    BLOCK(WaitMode.IDLE_MS);

    /** Long, so that an idle waiter costs nothing; messages end each wait. */
    private static final long IDLE_MS = 1000;

    private final long idleMs;

    WaitMode(long idleMs) {
        this.idleMs = idleMs;
    }

    /** {@return the idle time of a test call in milliseconds, 0 for none} */
    public long idleMs() {
        return idleMs;
    }

    /** {@return whether a test call may sleep} */
    public boolean isBlocking() {
        return idleMs > 0;
    }

    /** Called between two test calls that find nothing. */
    @SuppressWarnings("ThreadPriorityCheck") // the user asks for a yield
    public void pause() {
        if (this == SPIN) {
            Thread.onSpinWait();
        } else if (this == YIELD) {
            Thread.yield();
        }
    }

    /** {@return the knobs of an instance whose callers wait in this way, by name} */
    public Map<String, String> knobs() {
        return Map.of(WaitPolicy.MODE.name(), toString());
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
