package org.jbmi.rig.zoidfs;

import org.jbmi.config.Configuration;
import org.jbmi.tools.cli.PrivateDirectory;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zbmi.daemon.DaemonKnobs;
import org.jbmi.zbmi.host.place.HostKnobs;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** The command {@code zoidfs perf}. */
@Command(
        name = "perf",
        versionProvider = ToolVersion.class,
        description = {
            "Measures zoidfs beside the layers below it, and prints a table.",
            "",
            "Starts servers in processes of their own, on a temporary folder. The two sides of a"
                    + " row take turns; the result is the ratio of the two in each round. Needs a"
                    + " quiet machine.",
            ""
        })
public final class PerfCommand extends ToolCommand implements Callable<Integer> {
    private static final long MS_PER_SECOND = 1_000;
    private static final int MAX_ROUNDS = 1_000;
    private static final long MAX_SECONDS = 3_600;
    private static final long MIN_MIB = 16;
    private static final long MAX_MIB = 1 << 20;
    private static final long MIB = 1 << 20;

    @Option(
            names = "--method",
            paramLabel = "NAME",
            description = "Only rows of this method, tcp or zoid; default: both.")
    private String method = "";

    @Option(
            names = "--row",
            paramLabel = "WORDS",
            description = "Only rows whose measure contains these words, for example get_attr.")
    private String words = "";

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "5",
            description = "How long to measure each side of a row. Default: ${DEFAULT-VALUE}.")
    private long seconds;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            defaultValue = "10",
            description =
                    "How many seconds each side runs before the measurement. Default:"
                            + " ${DEFAULT-VALUE}.")
    private long warmUpSeconds;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "20",
            description =
                    "How many turns each side has in the time of --seconds. Default:"
                            + " ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(
            names = "--mib",
            paramLabel = "N",
            defaultValue = "256",
            description = "Length of the file. Default: ${DEFAULT-VALUE}.")
    private long fileMib;

    @Override
    public Integer call() throws IOException, ToolException, InterruptedException {
        check();
        Configuration defaults = Configuration.resolve(DaemonKnobs.all(), Map.of());
        Path memory = Path.of(defaults.get(HostKnobs.SEGMENT_DIRECTORY));
        Path temporary = PrivateDirectory.temporary();
        PrintWriter out = spec().commandLine().getOut();
        try (Workspace workspace = Workspace.make(temporary, memory, fileMib * MIB)) {
            Runtime.getRuntime()
                    .addShutdownHook(Thread.ofPlatform().unstarted(() -> close(workspace)));
            workspace.fill();
            List<Row> rows =
                    Stream.of("tcp", "zoid")
                            .flatMap(each -> new FileRows(workspace).of(each).stream())
                            .filter(this::isWanted)
                            .toList();
            if (rows.isEmpty()) {
                throw wrongUse("--row: there is no measure with '" + words + "' in it");
            }
            out.println(Comparison.HEAD);
            out.println(Comparison.RULE);
            for (Row row : rows) {
                out.println(measure(row));
            }
        }
        return 0;
    }

    private static void close(Workspace workspace) {
        try {
            workspace.close();
        } catch (IOException e) {
            System.getLogger("org.jbmi").log(System.Logger.Level.DEBUG, "perf", e);
        }
    }

    private void check() {
        if (!method.isEmpty() && !method.equals("tcp") && !method.equals("zoid")) {
            throw wrongUse("--method is tcp or zoid, not " + method);
        }
        checkBetween("--seconds", seconds, 1, MAX_SECONDS);
        checkBetween("--warm-up", warmUpSeconds, 0, MAX_SECONDS);
        checkBetween("--mib", fileMib, MIN_MIB, MAX_MIB);
        checkBetween("--rounds", rounds, 1, MAX_ROUNDS);
    }

    private void checkBetween(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw wrongUse(option + " goes from " + least + " to " + most + ", not " + value);
        }
    }

    private boolean isWanted(Row row) {
        return (method.isEmpty() || method.equals(row.method())) && row.measure().contains(words);
    }

    private String measure(Row row) throws IOException, ToolException, InterruptedException {
        PrintWriter notices = spec().commandLine().getErr();
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        notices.println(
                String.format(
                        Locale.ROOT, "%s: %s, load %.1f ...", row.method(), row.measure(), load));
        long roundMs = Math.max(1, seconds * MS_PER_SECOND / rounds);
        return new Comparison(row, warmUpSeconds * MS_PER_SECOND, roundMs, rounds).run();
    }
}
