package org.jbmi.rig.perf;

import org.jbmi.rig.perf.phase.CpuPin;
import org.jbmi.rig.perf.phase.WorkerPlan;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** On which processors the two sides run. */
public enum CpuPlacement {
    /** Both on the same processor. */
    SAME,
    /** Each on a processor of its own. */
    SPLIT,
    /** Wherever the system puts them. */
    FREE;

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String ALLOWED = "Cpus_allowed_list:";

    /** Chooses from the available processors. */
    WorkerPlan.Cpus of(List<Integer> cpus) {
        return new WorkerPlan.Cpus(client(cpus), server(cpus));
    }

    int client(List<Integer> cpus) {
        return this == FREE || cpus.isEmpty() ? CpuPin.ANYWHERE : cpus.getFirst();
    }

    int server(List<Integer> cpus) {
        return this == SPLIT && cpus.size() > 1 ? cpus.get(1) : client(cpus);
    }

    /** The processors that the two sides may use. */
    List<Integer> used(List<Integer> cpus) {
        return this == FREE ? cpus : cpus.subList(0, Math.min(cpus.size(), this == SPLIT ? 2 : 1));
    }

    /**
     * {@return the numbers of the processors that this process may use; none if the system does not
     * say}
     */
    static List<Integer> allowed() {
        try {
            for (String line : Files.readAllLines(STATUS)) {
                if (line.startsWith(ALLOWED)) {
                    return parse(line.substring(ALLOWED.length()).strip());
                }
            }
        } catch (IOException | NumberFormatException e) {
            return List.of();
        }
        return List.of();
    }

    /** Reads a list such as {@code 0-3,8}. */
    static List<Integer> parse(String list) {
        List<Integer> cpus = new ArrayList<>();
        for (String part : list.split(",", -1)) {
            int dash = part.indexOf('-');
            int first = Integer.parseInt(dash < 0 ? part : part.substring(0, dash));
            int last = dash < 0 ? first : Integer.parseInt(part.substring(dash + 1));
            for (int cpu = first; cpu <= last; cpu++) {
                cpus.add(cpu);
            }
        }
        return cpus;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
