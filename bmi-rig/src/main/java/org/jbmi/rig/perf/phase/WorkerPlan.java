package org.jbmi.rig.perf.phase;

import org.jbmi.tools.cli.Assignments;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The arguments of a process of a measurement.
 *
 * @param address where the server listens; for a baseline the address of its connection
 * @param instances how many instances a client opens, each with a connection of its own
 * @param threads how many threads measure, for each instance
 * @param baseline the name of the baseline, empty for messages of ours
 * @param knobs of the instance or the daemon
 */
public record WorkerPlan(
        Role role,
        String address,
        WaitMode waiting,
        int instances,
        int threads,
        Cpus cpus,
        String baseline,
        Map<String, String> knobs) {
    private static final int FIXED = 8;

    /** The parts of a measurement. */
    public enum Role {
        /** The daemon of zoid. */
        DAEMON,
        /** Answers. */
        SERVER,
        /** Asks, and measures. */
        CLIENT,
        /** Server and client in one process. */
        BOTH
    }

    /**
     * Where threads run: numbers of processors, or {@link CpuPin#ANYWHERE}.
     *
     * @param client of those who ask
     * @param server of those who answer
     */
    public record Cpus(int client, int server) {
        /** No pinning. */
        public static final Cpus FREE = new Cpus(CpuPin.ANYWHERE, CpuPin.ANYWHERE);
    }

    /**
     * {@return the plan as arguments of a process: the values in order, then {@code name=value} for
     * each knob}
     */
    public List<String> toArguments() {
        List<String> arguments = new ArrayList<>();
        arguments.add(role.name());
        arguments.add(address);
        arguments.add(waiting.name());
        arguments.add(Integer.toString(instances));
        arguments.add(Integer.toString(threads));
        arguments.add(Integer.toString(cpus.client()));
        arguments.add(Integer.toString(cpus.server()));
        arguments.add(baseline.isEmpty() ? "-" : baseline);
        knobs.forEach((name, value) -> arguments.add(name + "=" + value));
        return arguments;
    }

    /**
     * Reads the arguments of a process.
     *
     * @param arguments what {@link #toArguments} gave
     * @throws IllegalArgumentException if they are anything else
     */
    public static WorkerPlan parse(List<String> arguments) {
        if (arguments.size() < FIXED) {
            throw new IllegalArgumentException("A worker needs " + FIXED + " arguments or more.");
        }
        Map<String, String> knobs =
                Assignments.parse(
                        "A worker",
                        arguments.subList(FIXED, arguments.size()),
                        IllegalArgumentException::new);
        return new WorkerPlan(
                Role.valueOf(arguments.get(0)),
                arguments.get(1),
                WaitMode.valueOf(arguments.get(2)),
                Integer.parseInt(arguments.get(3)),
                Integer.parseInt(arguments.get(4)),
                new Cpus(Integer.parseInt(arguments.get(5)), Integer.parseInt(arguments.get(6))),
                arguments.get(7).equals("-") ? "" : arguments.get(7),
                knobs);
    }
}
