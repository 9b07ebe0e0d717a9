package org.jbmi.conformance;

import org.jbmi.observe.Counter;
import org.jbmi.testsuite.Broker;
import org.jbmi.zbmi.daemon.ZbmiDaemon;
import org.jspecify.annotations.Nullable;

import java.util.Map;

/** A daemon in this process. */
final class LocalDaemon implements Broker {
    private final Map<String, String> knobs;
    private @Nullable ZbmiDaemon daemon;

    LocalDaemon(Map<String, String> knobs) {
        this.knobs = knobs;
    }

    @Override
    public void start() {
        ZbmiDaemon.Builder builder = ZbmiDaemon.builder();
        knobs.forEach(builder::knob);
        daemon = builder.start();
    }

    @Override
    public boolean isRunning() {
        return daemon != null;
    }

    @Override
    public void stop() {
        ZbmiDaemon running = daemon;
        if (running != null) {
            daemon = null;
            running.close();
        }
    }

    @Override
    public void kill() {
        throw new UnsupportedOperationException("It lives in this process.");
    }

    @Override
    public long processId() {
        return ProcessHandle.current().pid();
    }

    @Override
    public long counter(String label) {
        ZbmiDaemon running = daemon;
        if (running == null) {
            throw new IllegalStateException("The daemon does not run.");
        }
        return counter(running, label);
    }

    /** The value of a counter that a daemon must have. */
    static long counter(ZbmiDaemon daemon, String label) {
        Counter counter = daemon.counters().find(label);
        if (counter == null) {
            throw new IllegalArgumentException("There is no counter " + label + ".");
        }
        return counter.get();
    }
}
