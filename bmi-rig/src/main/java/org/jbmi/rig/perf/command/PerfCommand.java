package org.jbmi.rig.perf.command;

import org.jbmi.config.Knob;
import org.jbmi.rig.perf.CpuPlacement;
import org.jbmi.rig.perf.Findings;
import org.jbmi.rig.perf.Knobs;
import org.jbmi.rig.perf.Measurement;
import org.jbmi.rig.perf.PerfPlan;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.WaitMode;
import org.jbmi.rig.perf.phase.WorkerPlan;
import org.jbmi.rig.perf.report.JsonReport;
import org.jbmi.rig.perf.report.SvgPlot;
import org.jbmi.rig.perf.report.TextReport;
import org.jbmi.rig.perf.table.TableRuns;
import org.jbmi.spi.MethodProvider;
import org.jbmi.tools.cli.Misuse;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;

/** The command {@code bmi perf}. */
@Command(
        name = "perf",
        versionProvider = ToolVersion.class,
        description = {
            "Measures messages between processes: latency, rate, and what each costs.",
            "",
            "Starts a server and clients, each in a process of its own, and for zoid a daemon,"
                    + " unless --through embedded is given. Lets them and the baselines take"
                    + " turns, and leaves nothing behind. The last lines say what the machine can"
                    + " do at this moment.",
            ""
        })
public final class PerfCommand extends ToolCommand implements Callable<Integer> {
    private static final String ZOID = "zoid";
    private static final String LOOPBACK = "loopback";

    /** The values of the knob zoid.host. */
    private static final Set<String> WAYS = Set.of("daemon", "direct", "embedded", "auto");

    private static final int MAX_CLIENTS = 1024;
    private static final int MAX_INSTANCES = 4096;
    private static final int MAX_THREADS = 64;

    @Parameters(
            arity = "0..1",
            paramLabel = "TARGET",
            description =
                    "A method, to start both sides: loopback, zoid, tcp. Or the address of a"
                            + " server that --listen started.")
    private @Nullable String target;

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS",
            description =
                    "Run as the server, until interrupted; of the other options only --wait,"
                            + " --threads and --knob apply.")
    private @Nullable String listen;

    @Option(
            names = "--wait",
            paramLabel = "MODE",
            defaultValue = "adaptive",
            converter = PerfWords.WaitConverter.class,
            description =
                    "How both sides wait: spin, yield, adaptive (spin a moment, then sleep) or"
                            + " block; default: ${DEFAULT-VALUE}.")
    private WaitMode wait;

    @Option(
            names = "--cpus",
            paramLabel = "PLACE",
            defaultValue = "free",
            converter = PerfWords.CpusConverter.class,
            description =
                    "Where the processes run: same processor, split over two, or free; default:"
                            + " ${DEFAULT-VALUE}.")
    private CpuPlacement cpus;

    @Mixin private MessageOptions messages;

    @Mixin private TimeOptions time;

    @Mixin private PeerOptions others;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "1",
            description = "Client processes; default: ${DEFAULT-VALUE}.")
    private int clients;

    @Option(
            names = "--instances",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Instances in each client process, each with a connection and threads of its"
                            + " own; default: ${DEFAULT-VALUE}.")
    private int instances;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Threads of the server, and of each instance of a client; default:"
                            + " ${DEFAULT-VALUE}.")
    private int threads;

    @Option(
            names = "--through",
            paramLabel = "WAY",
            description =
                    "For zoid, where the engine runs: daemon, direct or embedded (both in the"
                            + " server), or auto, which the knob zoid.host explains; default: what"
                            + " that knob says.")
    private @Nullable String through;

    @Option(
            names = "--channel",
            paramLabel = "NAME",
            description = "For zoid through the daemon: the knob zoid.commandChannel.")
    private @Nullable String channel;

    @Option(
            names = "--knob",
            paramLabel = "NAME=VALUE",
            description = "Sets a knob of all processes. May be given several times.")
    private Map<String, String> knobs = new LinkedHashMap<>();

    @Option(names = "--no-calls", description = "Do not count system calls, which takes a moment.")
    private boolean noCalls;

    @Option(names = "--plot", paramLabel = "FILE", description = "Draw an SVG picture.")
    private @Nullable Path plot;

    @Option(names = "--json", description = "Print one JSON object as the last line.")
    private boolean json;

    @Mixin private TableOptions tables;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec().commandLine().getOut();
        PrintWriter err = spec().commandLine().getErr();
        if (listen != null) {
            return listen(listen, out, err);
        }
        try {
            tables.check(target == null ? "" : target);
            tables.checkOptions(spec().commandLine().getParseResult());
        } catch (IllegalArgumentException e) {
            throw wrongUse(e.getMessage());
        }
        if (tables.isAskedFor()) {
            return printTable(
                    new TableRuns.Output(out::println, err::println, PerfCommand::closeAtExit));
        }
        PerfPlan plan = plan();
        Measurement measurement = new Measurement(plan, err::println);
        closeAtExit(measurement);
        Findings findings;
        try (measurement) {
            findings = measurement.run();
        }
        TextReport.of(findings).forEach(json ? err::println : out::println);
        if (json) {
            out.println(JsonReport.of(findings));
        }
        if (plan.plot() != null) { // last, since it may fail
            Files.writeString(plan.plot(), SvgPlot.of(findings));
        }
        return 0;
    }

    private int printTable(TableRuns.Output output)
            throws IOException, ToolException, InterruptedException {
        String method = target == null ? "" : target;
        PerfPlan.Times times;
        try {
            times = time.times();
        } catch (IllegalArgumentException e) {
            throw wrongUse(e.getMessage());
        }
        checkFile(plot);
        checkFile(tables.keep());
        tables.print(output, method, times, plot);
        return 0;
    }

    private static void closeAtExit(Measurement measurement) {
        try {
            Runtime.getRuntime()
                    .addShutdownHook(Thread.ofPlatform().unstarted(() -> close(measurement)));
        } catch (IllegalStateException e) { // a signal is already ending this process
            close(measurement);
        }
    }

    private static void close(Measurement measurement) {
        try {
            measurement.close();
        } catch (IOException e) {
            System.getLogger("org.jbmi").log(System.Logger.Level.DEBUG, "perf", e);
        }
    }

    private int listen(String address, PrintWriter out, PrintWriter err) throws Exception {
        if (target != null) {
            throw wrongUse("Either a target is measured or an address served, not both");
        }
        checkScheme(address, true);
        checkedClients();
        WorkerPlan plan =
                new WorkerPlan(
                        WorkerPlan.Role.SERVER,
                        address,
                        wait,
                        1,
                        threads,
                        WorkerPlan.Cpus.FREE,
                        "",
                        allKnobs());
        return ListenRun.run(plan, out::println, err::println);
    }

    private PerfPlan plan() throws ToolException {
        if (target == null) {
            throw wrongUse("A target is needed: a method, or an address; or --listen ADDRESS");
        }
        PerfPlan.Clients counts = checkedClients();
        Phase phase;
        PerfPlan.Times times;
        PerfPlan.Peers peers;
        try {
            phase = messages.phase(counts.flows());
            times = time.times();
            checkCombinations(target, phase, counts);
            checkScheme(target, false);
            peers = others.peers(phase, messages.sizes(), counts);
        } catch (IllegalArgumentException e) {
            throw wrongUse(e.getMessage());
        }
        checkFile(plot);
        Map<String, String> all = allKnobs();
        checkLongest(target, phase, all);
        return new PerfPlan(
                target,
                phase,
                messages.sizes().all(),
                counts,
                threads,
                wait,
                cpus,
                times,
                peers,
                all,
                Knobs.zoidHost(all),
                !noCalls,
                plot);
    }

    private boolean isGiven(String option) {
        return spec().commandLine().getParseResult().hasMatchedOption(option);
    }

    private PerfPlan.Clients checkedClients() {
        try {
            Numbers.between("clients", clients, 1, MAX_CLIENTS);
            Numbers.between("instances", instances, 1, MAX_INSTANCES);
            Numbers.between("threads", threads, 1, MAX_THREADS);
        } catch (IllegalArgumentException e) {
            throw wrongUse(e.getMessage());
        }
        return new PerfPlan.Clients(clients, instances, threads);
    }

    private void checkCombinations(String what, Phase phase, PerfPlan.Clients counts) {
        Pattern pattern = phase.pattern();
        if (pattern == Pattern.LOCAL && !what.equals(LOOPBACK)) {
            throw wrongUse("--pattern local is for loopback");
        }
        if (pattern == Pattern.LOCAL && isGiven("--threads")) {
            throw wrongUse("--pattern local has one thread");
        }
        if (what.equals(LOOPBACK) && counts.connections() > 1) {
            throw wrongUse("loopback does not leave its process: there is 1 client; see --threads");
        }
        if (pattern == Pattern.IDLE && !wait.isBlocking()) {
            throw wrongUse("--pattern idle needs --wait adaptive or block");
        }
        if (!what.equals(ZOID) && (through != null || channel != null)) {
            throw wrongUse("--through and --channel are for zoid");
        }
        if (through != null && !WAYS.contains(through)) {
            throw wrongUse("--through is daemon, direct, embedded or auto, not '" + through + "'");
        }
    }

    /** A server would refuse these messages, but only when both sides have started. */
    private void checkLongest(String what, Phase phase, Map<String, String> all) {
        String knob = what + ".maxExpectedBytes";
        long most = Misuse.check(this::wrongUse, () -> Knobs.bytes(knob, all));
        if (!phase.pattern().isShipped() && messages.sizes().all().getLast() > most) {
            throw wrongUse(what + " carries messages of up to " + most + " bytes (" + knob + ")");
        }
    }

    private void checkScheme(String text, boolean address) {
        int end = text.indexOf("://");
        if (address && end < 0) {
            throw wrongUse("'" + text + "' is not an address; one begins with tcp:// or zoid://");
        }
        String scheme = end < 0 ? text : text.substring(0, end);
        Set<String> known = new TreeSet<>();
        for (MethodProvider provider : ServiceLoader.load(MethodProvider.class)) {
            known.add(provider.scheme());
        }
        if (!known.contains(scheme)) {
            throw wrongUse(
                    "There is no method '" + scheme + "' here, only " + String.join(", ", known));
        }
        if (end >= 0 && scheme.equals(LOOPBACK)) {
            throw wrongUse("loopback does not leave its process: measure the target loopback");
        }
    }

    /** Before a measurement of minutes whose result is to go there. */
    private void checkFile(@Nullable Path file) {
        if (file == null) {
            return;
        }
        Path parent = file.toAbsolutePath().getParent();
        if (parent == null || !Files.isDirectory(parent)) {
            throw wrongUse("There is no directory for " + file);
        }
        if (Files.isDirectory(file)) {
            throw wrongUse(file + " is a directory: give the name of a file in it");
        }
        if (!Files.isWritable(Files.exists(file) ? file : parent)) {
            throw wrongUse("This user may not write " + file);
        }
    }

    private Map<String, String> allKnobs() {
        Map<String, Knob<?>> known = Knobs.all();
        knobs.forEach(
                (name, value) -> {
                    Knob<?> knob = known.get(name);
                    if (knob == null) {
                        throw wrongUse("There is no knob '" + name + "'; see 'bmi info'");
                    }
                    Misuse.check(this::wrongUse, () -> knob.parse(value, "--knob"));
                });
        Map<String, String> all = new LinkedHashMap<>(knobs);
        if (through != null) {
            all.put(PerfPlan.HOST_KNOB, through);
        }
        if (channel != null) {
            all.put(PerfPlan.CHANNEL_KNOB, channel);
        }
        return all;
    }
}
