package org.jbmi.rig.perf;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Counts the system calls of running processes with the program {@code strace}. That makes them
 * slow, so it is never done during a timed round. The JVMs' own threads, such as compilers, do not
 * count, nor do threads that start during the count.
 */
final class SystemCalls implements AutoCloseable {
    private static final long ATTACH_MS = 10_000;
    private static final long END_MS = 10_000;
    private static final long PAUSE_MS = 5;
    private static final String TRACER = "TracerPid:";

    /** The beginnings of the names of a JVM's own threads. */
    private static final List<String> OF_THE_MACHINE =
            List.of(
                    "Attach Listener",
                    "C1 Compiler",
                    "C2 Compiler",
                    "Common-Cleaner",
                    "Finalizer",
                    "G1 ",
                    "GC Thread",
                    "Monitor Deflati",
                    "Notification Th",
                    "Reference Handl",
                    "Service Thread",
                    "Signal Dispatch",
                    "VM Periodic",
                    "VM Thread");

    private final Process strace;
    private final Path output;

    private SystemCalls(Process strace, Path output) {
        this.strace = strace;
        this.output = output;
    }

    /** The reason why system calls cannot be counted here, or an empty text. */
    static String unavailability() {
        for (String directory : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
            if (!directory.isEmpty() && Files.isExecutable(Path.of(directory, "strace"))) {
                return "";
            }
        }
        return "strace is not installed";
    }

    /** Begins to count the calls of some processes. */
    static SystemCalls attach(List<Long> pids, Path temporary)
            throws IOException, InterruptedException {
        List<Path> threads = new ArrayList<>();
        for (long pid : pids) {
            threads.addAll(threads(pid));
        }
        Path output = Files.createTempFile(temporary, "bmi-perf-calls", ".txt");
        List<String> command = new ArrayList<>(List.of("strace", "-c", "-o", output.toString()));
        for (Path thread : threads) {
            command.addAll(List.of("-p", thread.getFileName().toString()));
        }
        Process strace;
        try {
            strace =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
        } catch (IOException e) {
            Files.deleteIfExists(output);
            throw e;
        }
        SystemCalls calls = new SystemCalls(strace, output);
        boolean attached = false;
        try {
            for (Path thread : threads) {
                calls.awaitTracer(thread);
            }
            attached = true;
        } finally {
            if (!attached) {
                calls.close();
            }
        }
        return calls;
    }

    /** The threads that count, as their folders under {@code /proc}. */
    private static List<Path> threads(long pid) throws IOException {
        List<Path> counted = new ArrayList<>();
        try (var all = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : all.toList()) {
                if (counts(Files.readString(thread.resolve("comm")))) {
                    counted.add(thread);
                }
            }
        }
        return counted;
    }

    /** Whether the calls of a thread of this name count. */
    static boolean counts(String name) {
        return OF_THE_MACHINE.stream().noneMatch(name::startsWith);
    }

    private void awaitTracer(Path thread) throws IOException, InterruptedException {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ATTACH_MS);
        while (System.nanoTime() < endNs) {
            if (!strace.isAlive()) {
                throw new IOException("strace may not look at " + thread);
            }
            if (isTraced(thread)) {
                return;
            }
            Thread.sleep(PAUSE_MS);
        }
        throw new IOException("strace does not get hold of " + thread);
    }

    private static boolean isTraced(Path thread) throws IOException {
        Path status = thread.resolve("status");
        if (!Files.exists(status)) {
            return true; // the thread has ended
        }
        for (String line : Files.readAllLines(status)) {
            if (line.startsWith(TRACER) && line.strip().endsWith("\t0")) {
                return false;
            }
        }
        return true;
    }

    /** Ends the count; returns how many calls of each kind there were, the most frequent first. */
    Map<String, Long> count() throws IOException, InterruptedException {
        // As with Ctrl-C, strace detaches and prints its table.
        new ProcessBuilder("kill", "-INT", Long.toString(strace.pid())).start().waitFor();
        if (!strace.waitFor(END_MS, TimeUnit.MILLISECONDS)) {
            throw new IOException("strace does not end");
        }
        return parse(Files.readAllLines(output, StandardCharsets.UTF_8));
    }

    /** Reads a table of {@code strace -c}. */
    static Map<String, Long> parse(List<String> table) {
        Map<String, Long> calls = new HashMap<>();
        for (String line : table) {
            String[] words = line.strip().split("\\s+", -1);
            // "100.00    0.001234          12       100         3 futex", the 3 are errors
            if (words.length >= 5 && words[3].matches("[0-9]+")) {
                calls.put(words[words.length - 1], Long.parseLong(words[3]));
            }
        }
        calls.remove("total");
        Map<String, Long> sorted = new LinkedHashMap<>();
        calls.entrySet().stream()
                .sorted(
                        Map.Entry.<String, Long>comparingByValue()
                                .reversed()
                                .thenComparing(Map.Entry.comparingByKey()))
                .forEach(each -> sorted.put(each.getKey(), each.getValue()));
        return sorted;
    }

    @Override
    public void close() throws IOException {
        strace.destroy();
        Files.deleteIfExists(output);
    }
}
