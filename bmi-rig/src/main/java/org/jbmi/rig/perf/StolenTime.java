package org.jbmi.rig.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How long the host of a virtual machine had given processors to others, up to a moment.
 *
 * @param ticks of each processor; none where the system does not tell
 */
record StolenTime(Map<Integer, Long> ticks, long atNs) {
    private static final Path STATISTICS = Path.of("/proc/stat");
    private static final String PROCESSOR = "cpu";
    private static final int STOLEN_WORD = 8;

    /** The unit of {@code /proc/stat}. */
    private static final long NS_PER_TICK = 10_000_000;

    private static final double PERCENT = 100;

    /** Reads that of some processors. */
    static StolenTime of(List<Integer> cpus) {
        Map<Integer, Long> ticks;
        try {
            ticks = parse(Files.readAllLines(STATISTICS));
            ticks.keySet().retainAll(cpus);
        } catch (IOException | NumberFormatException e) {
            ticks = Map.of();
        }
        return new StolenTime(ticks, System.nanoTime());
    }

    /** Reads lines such as {@code cpu0 58 0 17 911 3 0 1 4 0 0}. */
    static Map<Integer, Long> parse(List<String> lines) {
        Map<Integer, Long> ticks = new HashMap<>();
        for (String line : lines) {
            String[] words = line.split(" ", -1);
            if (words[0].matches(PROCESSOR + "[0-9]+") && words.length > STOLEN_WORD) {
                int cpu = Integer.parseInt(words[0].substring(PROCESSOR.length()));
                ticks.put(cpu, Long.parseLong(words[STOLEN_WORD]));
            }
        }
        return ticks;
    }

    /**
     * The share that the processor which lost most has surely lost since an earlier moment, in per
     * cent. A moment that ends a tick counts as one, so one of the ticks proves nothing.
     */
    double percentSince(StolenTime before) {
        long most = 0;
        for (Map.Entry<Integer, Long> each : ticks.entrySet()) {
            long then = before.ticks.getOrDefault(each.getKey(), each.getValue());
            most = Math.max(most, each.getValue() - then);
        }
        return PERCENT * Math.max(0, most - 1) * NS_PER_TICK / Math.max(1, atNs - before.atNs);
    }
}
