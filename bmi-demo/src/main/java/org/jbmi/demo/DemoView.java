package org.jbmi.demo;

import java.io.PrintStream;

/** Shows a running demo: a bar on a terminal, plain lines elsewhere. Used by one thread. */
abstract class DemoView {
    private static final long NS_PER_MS = 1_000_000;

    /** The output. */
    protected final PrintStream out;

    private final PrintStream err;
    private volatile boolean muted;

    DemoView(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /**
     * Chooses a view.
     *
     * @param terminal whether {@code out} is a terminal that can move its cursor
     */
    static DemoView of(PrintStream out, PrintStream err, boolean terminal) {
        return terminal ? new BarView(out, err) : new PlainView(out, err);
    }

    /** Stops all output; may be called by any thread. */
    final void mute() {
        muted = true;
    }

    final boolean isMuted() {
        return muted;
    }

    /** Prints a line. */
    void say(String line) {
        if (!muted) {
            out.println(line);
        }
    }

    /** Prints a warning. */
    void warn(String line) {
        if (!muted) {
            out.flush();
            err.println(line);
        }
    }

    /** Begins a part of the demo, in which every client moves {@code bytes}. */
    abstract void beginPhase(String verb, int clients, long bytes);

    /** Shows the progress of a client. */
    abstract void progress(ClientRun client, long totalDone);

    /** Ends the part. */
    abstract void endPhase();

    static long nowMs() {
        return System.nanoTime() / NS_PER_MS;
    }
}
