package org.jbmi.conformance;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.testsuite.Broker;
import org.jbmi.testsuite.ConformanceFailure;
import org.jbmi.testsuite.support.ChildJvm;
import org.jbmi.testsuite.support.LineProcess;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** A daemon in a process of its own. */
final class DaemonProcess implements Broker {
    private static final long REPLY_SECONDS = 25;

    private final Map<String, String> knobs;
    private @Nullable LineProcess process;
    private boolean wasKilled;

    DaemonProcess(Map<String, String> knobs) {
        this.knobs = knobs;
    }

    @Override
    public void start() {
        List<String> command = ChildJvm.command(DaemonMain.class, List.of("-Xmx256m"));
        knobs.forEach((name, value) -> command.add(name + "=" + value));
        boolean ready = false;
        LineProcess started = started(command);
        try {
            String line = reply(started);
            if (line != null && line.startsWith(DaemonMain.BUSY)) {
                throw new BmiException(ErrorCode.EBUSY, line.substring(DaemonMain.BUSY.length()));
            }
            if (!DaemonMain.READY.equals(line)) {
                throw new IllegalStateException("The daemon does not start: " + line);
            }
            process = started;
            wasKilled = false;
            ready = true;
        } finally {
            if (!ready) {
                started.close();
            }
        }
    }

    private static LineProcess started(List<String> command) {
        try {
            return LineProcess.start(command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static @Nullable String reply(LineProcess from) {
        try {
            return from.next(REPLY_SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    @Override
    public boolean isRunning() {
        LineProcess started = process;
        return started != null && started.process().isAlive();
    }

    @Override
    public void stop() {
        end(false);
    }

    @Override
    public void kill() {
        wasKilled = true;
        end(true);
    }

    /** Whether it was killed and not started again, so that it could not clean up. */
    boolean wasKilled() {
        return wasKilled;
    }

    private void end(boolean forcibly) {
        LineProcess started = process;
        process = null;
        if (started == null) {
            return;
        }
        try (started) {
            if (forcibly) {
                started.kill();
            } else {
                started.endInput();
            }
            // Who is interrupted does not wait; the process is killed below.
            if (!started.awaitExit() && !Thread.currentThread().isInterrupted()) {
                throw new ConformanceFailure("The daemon did not end.");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public long processId() {
        LineProcess started = process;
        return started == null ? 0 : started.process().pid();
    }

    @Override
    public long counter(String label) {
        LineProcess started = process;
        if (started == null) {
            throw new IllegalStateException("The daemon does not run.");
        }
        try {
            started.tell(label);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String line = reply(started);
        if (line == null) {
            kill(); // otherwise the next one who asks would get this answer
        }
        if (line == null || !line.matches("\\d+")) {
            throw new IllegalStateException("The daemon says for " + label + ": " + line);
        }
        return Long.parseLong(line);
    }
}
