package org.jbmi.zbmi.engine.guilty;

/** The engine is told the time. */
public final class ReadsTheClock {

    /** What it must not read. */
    public long now() {
        return System.nanoTime();
    }
}
