package org.jbmi.zoid.storm;

import org.jbmi.testsuite.support.ChildJvm;
import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** One process of a storm, seen from the driver. */
final class StormProcess {
    private final String role;
    private final Process process;
    private final Thread pump;
    private final List<String> said = new ArrayList<>();
    private volatile long progress;
    private volatile @Nullable String wrong;

    StormProcess(StormSetup setup, String role, Path directory, long seed) throws IOException {
        this.role = role;
        List<String> command =
                ChildJvm.command(
                        StormChild.class,
                        List.of("-Xmx64m", "-Djava.util.logging.config.file=/dev/null"),
                        setup.name(),
                        role,
                        directory.toString(),
                        Long.toString(seed));
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        pump = Thread.ofPlatform().daemon().start(this::pump);
    }

    private void pump() {
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                hear(line);
            }
        } catch (IOException e) {
            // Its end; what it came to is looked at elsewhere.
        }
    }

    private void hear(String line) {
        if (line.startsWith("ok ")) {
            progress++;
        } else {
            synchronized (said) {
                said.add(line);
            }
            if (line.startsWith("WRONG") || line.contains("Exception")) {
                wrong = role + " " + process.pid() + ": " + line;
            }
        }
    }

    String role() {
        return role;
    }

    long progress() {
        return progress;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** What went wrong in it, or null. */
    @Nullable String wrong() {
        return wrong;
    }

    String transcript() {
        synchronized (said) {
            return role + " " + process.pid() + " " + said;
        }
    }

    void say(String word) {
        try {
            OutputStream in = process.getOutputStream();
            in.write((word + "\n").getBytes(StandardCharsets.UTF_8));
            in.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void awaitWord(String word) {
        await(
                role + " says " + word,
                () -> {
                    synchronized (said) {
                        return said.remove(word);
                    }
                });
    }

    void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(100);
        while (!condition.getAsBoolean()) {
            if (wrong != null) {
                throw new AssertionError(wrong);
            }
            if (!process.isAlive() || System.nanoTime() - end > 0) {
                throw new AssertionError("did not happen: " + what + "; " + transcript());
            }
            java.util.concurrent.locks.LockSupport.parkNanos(500_000);
        }
    }

    void signal(String name) throws IOException, InterruptedException {
        int status =
                new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .start()
                        .waitFor();
        if (status != 0) {
            throw new AssertionError("kill -" + name + " ended with " + status);
        }
    }

    /** Sends it a signal that it cannot ignore. */
    void destroy() {
        process.destroyForcibly();
    }

    void kill() throws InterruptedException {
        destroy();
        process.waitFor();
        pump.join();
    }

    /** Tells it to end; returns its exit status. */
    int end() throws InterruptedException {
        say(StormChild.END);
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new AssertionError("does not end: " + transcript());
        }
        pump.join();
        return process.exitValue();
    }
}
