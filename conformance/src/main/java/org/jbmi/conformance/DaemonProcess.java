package org.jbmi.conformance;

import org.jbmi.testsuite.Broker;
import org.jbmi.testsuite.ConformanceFailure;
import org.jbmi.testsuite.support.ChildJvm;
import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A daemon in a process of its own. */
final class DaemonProcess implements Broker {
    private static final long END_SECONDS = 15;

    private final Map<String, String> knobs;
    private @Nullable Process process;

    DaemonProcess(Map<String, String> knobs) {
        this.knobs = knobs;
    }

    @Override
    public void start() {
        List<String> command = ChildJvm.command(DaemonMain.class, List.of("-Xmx256m"));
        knobs.forEach((name, value) -> command.add(name + "=" + value));
        try {
            Process started =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            String line =
                    new BufferedReader(started.inputReader(StandardCharsets.UTF_8)).readLine();
            if (!"ready".equals(line)) {
                started.destroyForcibly();
                throw new IllegalStateException("The daemon does not start: " + line);
            }
            process = started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isRunning() {
        Process started = process;
        return started != null && started.isAlive();
    }

    @Override
    public void stop() {
        end(false);
    }

    @Override
    public void kill() {
        end(true);
    }

    private void end(boolean forcibly) {
        Process started = process;
        process = null;
        if (started == null) {
            return;
        }
        try {
            if (forcibly) {
                started.toHandle().destroyForcibly();
            } else {
                started.getOutputStream().close();
            }
            if (!started.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                started.destroyForcibly().waitFor();
                throw new ConformanceFailure("The daemon did not end.");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public long processId() {
        Process started = process;
        return started == null ? 0 : started.pid();
    }

    @Override
    public long counter(String label) {
        // No case needs the counters of another process.
        return 0;
    }

    @Override
    public String attachedCounter() {
        return "zbmi.sessions.attached";
    }
}
