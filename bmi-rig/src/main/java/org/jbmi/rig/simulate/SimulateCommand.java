package org.jbmi.rig.simulate;

import org.jbmi.simulator.FullHeap;
import org.jbmi.simulator.Simulation;
import org.jbmi.simulator.watch.StandstillException;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.tools.text.JsonWriter;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.security.SecureRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** The command {@code bmi simulate}. */
@Command(
        name = "simulate",
        versionProvider = ToolVersion.class,
        description = {
            "Runs zoid under a simulated schedule, with faults, and checks its guarantees.",
            "",
            "Daemon, server and clients run in one thread, under a schedule that follows from the"
                    + " seed. The exit status is 1 if a guarantee does not hold; the command then"
                    + " prints the seed and the shortest history that it finds. If a step takes"
                    + " more than two minutes, the command prints the seed and the stack of the"
                    + " thread, and the exit status is 1.",
            ""
        })
public final class SimulateCommand extends ToolCommand implements Callable<Integer> {
    private static final long SHRINK_NS = TimeUnit.SECONDS.toNanos(20);

    @Option(
            names = "--seed",
            paramLabel = "S",
            description =
                    "The number from which the schedule follows; default: a random one, printed.")
    private @Nullable Long seed;

    @Option(
            names = "--steps",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "How many steps to do, 1 or more; default: ${DEFAULT-VALUE}.")
    private long steps;

    @Option(
            names = "--full-heap",
            description = "Let allocations of objects fail at times, as in a full heap.")
    private boolean fullHeap;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public Integer call() throws ToolException {
        if (steps < 1) {
            throw wrongUse("There must be a step at least, not " + steps);
        }
        Long given = seed;
        long used = given == null ? new SecureRandom().nextInt() & 0x7fff_ffffL : given;
        if (given == null) {
            // Before the first step, so that the user can repeat a run that hangs.
            spec().commandLine().getErr().println("seed " + used);
        }
        PrintWriter out = spec().commandLine().getOut();
        try {
            Simulation.Report report =
                    fullHeap
                            ? FullHeap.run(used, steps, SHRINK_NS)
                            : Simulation.watched(used, steps, SHRINK_NS);
            return show(out, report, json);
        } catch (StandstillException e) {
            throw standsStill(spec().commandLine().getErr(), e);
        }
    }

    /** Prints the step and stack of a simulation that stands still. */
    static ToolException standsStill(PrintWriter err, StandstillException still) {
        for (StackTraceElement each : still.getStackTrace()) {
            err.println("\tat " + each);
        }
        return new ToolException(String.valueOf(still.getMessage()), still);
    }

    /** Prints the report; returns the exit status. */
    static int show(PrintWriter out, Simulation.Report report, boolean asJson) {
        if (asJson) {
            out.println(json(report));
        } else {
            print(out, report);
        }
        return report.failure() == null ? 0 : 1;
    }

    private static void print(PrintWriter out, Simulation.Report report) {
        out.printf(
                "seed %d: %d steps in %d worlds, %.1f s, %.0f steps a minute%n",
                report.seed(),
                report.steps(),
                report.worlds(),
                report.seconds(),
                perMinute(report));
        out.printf(
                "%d operations succeeded, %d were cancelled, %d failed; %d unexpected messages;"
                        + " %d faults%n",
                report.moved(),
                report.cancelled(),
                report.failed(),
                report.delivered(),
                report.coverage().faults());
        out.println();
        report.coverage().lines().forEach(out::println);
        int gaps = report.coverage().gaps().size();
        out.println(gaps == 0 ? "no cell is empty" : gaps + " cells are empty: more steps");
        Simulation.Failure failure = report.failure();
        if (failure != null) {
            out.println();
            failure.history().forEach(out::println);
            out.printf(
                    "%nFAILED: %s%nseed %d, world %d; %d scheduled steps, %d in the shortest"
                            + " history found (above)%n",
                    failure.sentence(),
                    report.seed(),
                    failure.world(),
                    failure.scheduled(),
                    failure.shortest());
        }
    }

    private static double perMinute(Simulation.Report report) {
        return report.steps() / report.seconds() * 60;
    }

    private static String json(Simulation.Report report) {
        JsonWriter to = new JsonWriter().beginObject();
        to.name("seed").value(report.seed());
        to.name("steps").value(report.steps());
        to.name("worlds").value(report.worlds());
        to.name("seconds").value(report.seconds());
        to.name("stepsPerMinute").value((long) perMinute(report));
        to.name("succeeded").value(report.moved());
        to.name("unexpected").value(report.delivered());
        to.name("cancelled").value(report.cancelled());
        to.name("failed").value(report.failed());
        to.name("faults").value(report.coverage().faults());
        to.name("emptyCells").beginArray();
        report.coverage().gaps().forEach(to::value);
        to.end();
        Simulation.Failure failure = report.failure();
        to.name("violation").value(failure == null ? null : failure.sentence());
        to.name("history").beginArray();
        if (failure != null) {
            failure.history().forEach(to::value);
        }
        to.end();
        return to.end().toString();
    }
}
