package org.jbmi.rig.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;

/**
 * Counts how often each thread of idle processes wakes, and how much processor time the JVMs' own
 * threads take. It reads {@code /proc} before and after.
 */
final class IdleThreads {
    private static final String SWITCHES = "voluntary_ctxt_switches:";
    private static final double NS_PER_SECOND = 1e9;
    private static final double PERCENT = 100;

    private final Map<Path, Sample> samples = new HashMap<>();
    private final long atNs = System.nanoTime();

    /** The counts of a thread since its start; it has gone to sleep as often as it has woken. */
    private record Sample(String name, long cpuNs, long wakes) {}

    IdleThreads() {}

    /**
     * A sentence about the middle half of a time that begins now: at its ends the rig's own threads
     * are awake.
     */
    static String amid(long millis, List<Long> pids, String side)
            throws IOException, InterruptedException {
        Thread.sleep(millis / 4);
        IdleThreads before = of(pids);
        Thread.sleep(millis / 2);
        return of(pids).since(before, side);
    }

    /** Reads the counts of all threads of some processes. */
    private static IdleThreads of(List<Long> pids) throws IOException {
        IdleThreads now = new IdleThreads();
        for (long pid : pids) {
            try (var threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
                for (Path thread : threads.toList()) {
                    now.look(thread);
                }
            } catch (NoSuchFileException e) {
                // The process has ended; who waits for its result says why.
            }
        }
        return now;
    }

    /** Reads the counts of a thread, from its directory. */
    void look(Path thread) throws IOException {
        try {
            String name = Files.readString(thread.resolve("comm")).strip();
            String[] times = Files.readString(thread.resolve("schedstat")).strip().split(" ", -1);
            long wakes = wakes(Files.readAllLines(thread.resolve("status")));
            samples.put(thread, new Sample(name, Long.parseLong(times[0]), wakes));
        } catch (IOException e) {
            if (Files.exists(thread)) { // otherwise the thread has just ended
                throw e;
            }
        }
    }

    /** How often a thread has gone to sleep, from the lines of its status file. */
    static long wakes(List<String> status) throws IOException {
        for (String line : status) {
            if (line.startsWith(SWITCHES)) {
                return Long.parseLong(line.substring(SWITCHES.length()).strip());
            }
        }
        throw new IOException("The kernel does not tell how often threads wake.");
    }

    /** A sentence about the time since another sample. */
    private String since(IdleThreads before, String side) {
        double seconds = Math.max(1, atNs - before.atNs) / NS_PER_SECOND;
        Map<String, Double> wakes = new TreeMap<>();
        double ownNs = 0;
        double machineNs = 0;
        for (Map.Entry<Path, Sample> each : samples.entrySet()) {
            Sample now = each.getValue();
            Sample then = before.samples.getOrDefault(each.getKey(), new Sample("", 0, 0));
            if (SystemCalls.counts(now.name)) {
                ownNs += now.cpuNs - then.cpuNs;
                wakes.merge(now.name, (now.wakes - then.wakes) / seconds, Double::sum);
            } else {
                machineNs += now.cpuNs - then.cpuNs;
            }
        }
        return String.format(
                Locale.ROOT,
                "All processes of %s: %.2f %% of a processor, and the virtual machines' own"
                        + " threads %.2f %%; wakes a second: %s.",
                side,
                PERCENT * ownNs / NS_PER_SECOND / seconds,
                PERCENT * machineNs / NS_PER_SECOND / seconds,
                mostOften(wakes));
    }

    private static String mostOften(Map<String, Double> wakes) {
        List<Map.Entry<String, Double>> sorted = new ArrayList<>(wakes.entrySet());
        sorted.sort(Map.Entry.<String, Double>comparingByValue().reversed());
        StringJoiner words = new StringJoiner(", ");
        for (Map.Entry<String, Double> each : sorted) {
            if (each.getValue() > 0) {
                words.add(String.format(Locale.ROOT, "%s %.1f", each.getKey(), each.getValue()));
            }
        }
        return words.length() == 0 ? "none" : words.toString();
    }
}
