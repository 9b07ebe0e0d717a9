package org.jbmi.rig.perf;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Counts the system calls of processes with the program {@code strace} while they run, which makes
 * them slow: never in the time that is measured.
 */
final class SystemCalls implements AutoCloseable {
    private static final long ATTACH_MS = 10_000;
    private static final long END_MS = 10_000;
    private static final long PAUSE_MS = 5;
    private static final String TRACER = "TracerPid:";

    private final Process strace;
    private final Path output;

    private SystemCalls(Process strace, Path output) {
        this.strace = strace;
        this.output = output;
    }

    /** Why they cannot be counted here, or an empty text. */
    static String unavailability() {
        for (String directory : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
            if (!directory.isEmpty() && Files.isExecutable(Path.of(directory, "strace"))) {
                return "";
            }
        }
        return "strace is not installed";
    }

    /** Begins to count for all threads of some processes. */
    static SystemCalls attach(List<Long> pids, Path temporary)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile(temporary, "bmi-perf-calls", ".txt");
        List<String> command = new ArrayList<>(List.of("strace", "-c", "-f", "-o"));
        command.add(output.toString());
        for (long pid : pids) {
            command.addAll(List.of("-p", Long.toString(pid)));
        }
        Process strace =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        SystemCalls calls = new SystemCalls(strace, output);
        boolean attached = false;
        try {
            for (long pid : pids) {
                calls.awaitTracer(pid);
            }
            attached = true;
        } finally {
            if (!attached) {
                calls.close();
            }
        }
        return calls;
    }

    private void awaitTracer(long pid) throws IOException, InterruptedException {
        Path tasks = Path.of("/proc", Long.toString(pid), "task");
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ATTACH_MS);
        while (System.nanoTime() < endNs) {
            if (!strace.isAlive()) {
                throw new IOException("strace may not look at process " + pid);
            }
            if (areTraced(tasks)) {
                return;
            }
            Thread.sleep(PAUSE_MS);
        }
        throw new IOException("strace does not get hold of process " + pid);
    }

    private static boolean areTraced(Path tasks) throws IOException {
        try (var threads = Files.list(tasks)) {
            for (Path thread : threads.toList()) {
                for (String line : Files.readAllLines(thread.resolve("status"))) {
                    if (line.startsWith(TRACER) && line.strip().endsWith("\t0")) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    /** Ends the counting; how many there were. */
    long count() throws IOException, InterruptedException {
        // As with Ctrl-C: it lets the processes go and prints its table.
        new ProcessBuilder("kill", "-INT", Long.toString(strace.pid())).start().waitFor();
        if (!strace.waitFor(END_MS, TimeUnit.MILLISECONDS)) {
            throw new IOException("strace does not end");
        }
        return parse(Files.readAllLines(output, StandardCharsets.UTF_8));
    }

    /** Adds up a table of {@code strace -c}. */
    static long parse(List<String> table) {
        for (String line : table) {
            String[] words = line.strip().split("\\s+", -1);
            // "100.00    0.001234          12       100         3 total"
            if (words.length >= 5 && words[words.length - 1].equals("total")) {
                return Long.parseLong(words[3]);
            }
        }
        return 0;
    }

    @Override
    public void close() throws IOException {
        strace.destroy();
        Files.deleteIfExists(output);
    }
}
