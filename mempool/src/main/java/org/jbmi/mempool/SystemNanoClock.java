package org.jbmi.mempool;

/** The {@link NanoClock} of the running process, {@link System#nanoTime}. */
public final class SystemNanoClock implements NanoClock {
    /** The only instance needed; it has no state. */
    public static final SystemNanoClock INSTANCE = new SystemNanoClock();

    private SystemNanoClock() {}

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }
}
