package org.jbmi.tools.perf;

import org.jbmi.spi.MethodProvider;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.tools.perf.baseline.Baseline;
import org.jbmi.tools.perf.report.JsonReport;
import org.jbmi.tools.perf.report.SvgPlot;
import org.jbmi.tools.perf.report.TextReport;
import org.jbmi.tools.perf.worker.CpuPin;
import org.jbmi.tools.perf.worker.Pattern;
import org.jbmi.tools.perf.worker.Phase;
import org.jbmi.tools.perf.worker.WaitMode;
import org.jbmi.tools.perf.worker.WorkerPlan;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/** The command {@code bmi perf}. */
@Command(
        name = "perf",
        versionProvider = ToolVersion.class,
        description = {
            "Measures messages between processes: latency, rate, and what each costs.",
            "",
            "Starts a server and clients, each in a process of its own, and for zoid a daemon;"
                    + " lets them and the baselines take turns; leaves nothing behind. Of what"
                    + " the machine can do at this moment the last lines tell.",
            ""
        })
public final class PerfCommand extends ToolCommand implements Callable<Integer> {
    private static final String ZOID = "zoid";
    private static final String LOOPBACK = "loopback";
    private static final int MAX_CLIENTS = 1024;
    private static final int MAX_THREADS = 64;
    private static final int MAX_PENDING = 200_000;
    private static final int MAX_OUTSTANDING = 65_535;
    private static final int MAX_ROUNDS = 100;
    private static final double MAX_SECONDS = 3600;
    private static final double MAX_RATE = 1e9;
    private static final double DEFAULT_RATE = 10_000;
    private static final double MS_PER_SECOND = 1000;
    private static final double MOST_WARM_UP_SECONDS = 2;
    private static final long MIN_WARM_UP_MS = 300;

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
                    "Be the server, until interrupted; of the options only --wait, --threads"
                            + " and --knob count.")
    private @Nullable String listen;

    @Option(
            names = "--pattern",
            paramLabel = "NAME",
            defaultValue = "pingpong",
            converter = PerfWords.PatternConverter.class,
            description =
                    "pingpong: an expected message there and back. rpc: an unexpected request, an"
                            + " expected reply. stream: one way. rate: requests at a fixed rate."
                            + " local: posts and tests of both sides in one thread (loopback)."
                            + " idle: nothing is sent. Default: ${DEFAULT-VALUE}.")
    private Pattern pattern;

    @Option(
            names = "--bytes",
            paramLabel = "N|N..N",
            defaultValue = "64",
            converter = PerfWords.SizesConverter.class,
            description = "Size of a message, or a sweep such as 1..4M; default: ${DEFAULT-VALUE}.")
    private ByteSizes sizes;

    @Option(
            names = "--outstanding",
            paramLabel = "N",
            description =
                    "Messages under way for each client thread; default: 1, for stream 8, for rate"
                            + " 64.")
    private @Nullable Integer outstanding;

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
                    "Where they run: same processor, split over two, or free; default:"
                            + " ${DEFAULT-VALUE}.")
    private CpuPlacement cpus;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "1",
            description = "Client processes; default: ${DEFAULT-VALUE}.")
    private int clients;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description = "Threads in each process; default: ${DEFAULT-VALUE}.")
    private int threads;

    @Option(
            names = "--pending",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Unrelated receives posted before, on each side of each client thread; default:"
                            + " ${DEFAULT-VALUE}.")
    private int pending;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description =
                    "For the pattern rate: requests a second, all clients together; default: 10000."
                            + " Latency counts from the time at which each was due.")
    private @Nullable Double rate;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            defaultValue = "3",
            description = "How long, for each size and side; default: ${DEFAULT-VALUE}.")
    private double seconds;

    @Option(
            names = "--warm-up",
            paramLabel = "S",
            description =
                    "How long before that nothing is counted, so that the compiler can do its"
                            + " work; default: half of it, and 2 at most.")
    private @Nullable Double warmUp;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            description =
                    "Into how many rounds that is cut, which the sides take in turn; default:"
                            + " ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(
            names = "--versus",
            paramLabel = "NAME",
            description =
                    "Measure a baseline in the same run: raw-tcp, raw-shm, aeron where the"
                            + " benchmarks are built, or few-pending: TARGET itself with 10 of the"
                            + " --pending receives. May be given several times.")
    private List<String> versus = new ArrayList<>();

    @Option(names = "--verify", description = "Check every byte.")
    private boolean verify;

    @Option(
            names = "--read-lines",
            description = "The receiver of a stream reads each cache line where it lies.")
    private boolean readLines;

    @Option(names = "--unexpected", description = "A stream is one of unexpected messages.")
    private boolean unexpected;

    @Option(
            names = "--through",
            paramLabel = "WAY",
            description =
                    "For zoid, who matches: daemon, direct or embedded (the server's own process);"
                            + " default: what the knob zoid.host says.")
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

    @Option(
            names = "--table",
            description =
                    "Measure the targets of docs/performance.md, some ten minutes, and print a"
                            + " table.")
    private boolean table;

    /** For picocli. */
    public PerfCommand() {}

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec().commandLine().getOut();
        PrintWriter err = spec().commandLine().getErr();
        if (listen != null) {
            return listen(listen, out, err);
        }
        if (table) {
            if (target != null) {
                throw wrongUse("--table names its targets itself");
            }
            new PerfTable(printer(out), printer(err), PerfCommand::closeAtExit).print();
            return 0;
        }
        PerfPlan plan = plan();
        Measurement measurement = new Measurement(plan, printer(err));
        closeAtExit(measurement);
        Findings findings;
        try (measurement) {
            findings = measurement.run();
        }
        TextReport.of(findings).forEach(json ? err::println : out::println);
        if (plan.plot() != null) {
            Files.writeString(plan.plot(), SvgPlot.of(findings));
        }
        if (json) {
            out.println(JsonReport.of(findings));
        }
        err.flush();
        out.flush();
        return 0;
    }

    private static Consumer<String> printer(PrintWriter writer) {
        return line -> {
            writer.println(line);
            writer.flush();
        };
    }

    private static void closeAtExit(Measurement measurement) {
        Runtime.getRuntime()
                .addShutdownHook(Thread.ofPlatform().unstarted(() -> close(measurement)));
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
        between("threads", threads, 1, MAX_THREADS);
        WorkerPlan plan =
                new WorkerPlan(
                        WorkerPlan.Role.SERVER,
                        address,
                        wait,
                        threads,
                        CpuPin.ANYWHERE,
                        "",
                        allKnobs());
        return ListenRun.run(plan, printer(out), printer(err));
    }

    private PerfPlan plan() throws ToolException {
        if (target == null) {
            throw wrongUse("A target is needed: a method, or an address; or --listen ADDRESS");
        }
        checkNumbers();
        checkCombinations(target);
        checkScheme(target, false);
        checkVersus();
        checkPlot();
        int flows = clients * threads;
        double each = pattern == Pattern.RATE ? (rate == null ? DEFAULT_RATE : rate) / flows : 0;
        Phase phase =
                new Phase(
                        pattern,
                        sizes.all().getFirst(),
                        outstanding == null ? pattern.defaultOutstanding() : outstanding,
                        pending,
                        each,
                        0,
                        new Phase.Options(verify, readLines, unexpected));
        return new PerfPlan(
                target,
                phase,
                sizes.all(),
                clients,
                threads,
                wait,
                cpus,
                warmUpMillis(),
                (long) (seconds * MS_PER_SECOND),
                rounds,
                versus,
                allKnobs(),
                !"embedded".equals(through),
                !noCalls,
                plot);
    }

    private long warmUpMillis() {
        if (warmUp != null) {
            return Math.max(1, (long) (warmUp * MS_PER_SECOND));
        }
        double some = Math.min(seconds / 2, MOST_WARM_UP_SECONDS);
        return Math.max(MIN_WARM_UP_MS, (long) (some * MS_PER_SECOND));
    }

    private void checkNumbers() {
        between("clients", clients, 1, MAX_CLIENTS);
        between("threads", threads, 1, MAX_THREADS);
        between("pending", pending, 0, MAX_PENDING);
        between("rounds", rounds, 1, MAX_ROUNDS);
        if (outstanding != null) {
            between("outstanding", outstanding, 1, MAX_OUTSTANDING);
        }
        if (!(seconds > 0 && seconds <= MAX_SECONDS)) {
            throw wrongUse("--seconds goes from more than 0 to " + (int) MAX_SECONDS);
        }
        if (warmUp != null && !(warmUp >= 0 && warmUp <= MAX_SECONDS)) {
            throw wrongUse("--warm-up goes from 0 to " + (int) MAX_SECONDS);
        }
        if (rate != null && !(rate > 0 && rate <= MAX_RATE)) {
            throw wrongUse("--rate is more than 0 and at most " + (long) MAX_RATE);
        }
    }

    private void between(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw wrongUse("--" + name + " goes from " + least + " to " + most + ", not " + value);
        }
    }

    private void checkCombinations(String what) {
        if (rate != null && pattern != Pattern.RATE) {
            throw wrongUse("--rate is for --pattern rate");
        }
        if ((unexpected || readLines) && pattern != Pattern.STREAM) {
            throw wrongUse("--unexpected and --read-lines are for --pattern stream");
        }
        if (pattern == Pattern.LOCAL && !what.equals(LOOPBACK)) {
            throw wrongUse("--pattern local is for loopback");
        }
        if (what.equals(LOOPBACK) && clients > 1) {
            throw wrongUse("loopback does not leave its process: there is 1 client; see --threads");
        }
        if (pattern == Pattern.IDLE && !wait.isBlocking()) {
            throw wrongUse("--pattern idle needs --wait adaptive or block");
        }
        if (!what.equals(ZOID) && (through != null || channel != null)) {
            throw wrongUse("--through and --channel are for zoid");
        }
    }

    private void checkVersus() {
        for (String name : versus) {
            if (name.equals(FewPendingSide.NAME)) {
                if (pending <= FewPendingSide.FEW) {
                    throw wrongUse(name + " needs --pending of more than " + FewPendingSide.FEW);
                }
            } else {
                checkBaseline(name);
            }
        }
    }

    private void checkBaseline(String name) {
        if (clients * threads > 1) {
            throw wrongUse("Baselines have one client with one thread");
        }
        if (pattern == Pattern.LOCAL || pattern == Pattern.IDLE || verify || pending > 0) {
            throw wrongUse(
                    "Baselines know pingpong, rpc, stream and rate, without --verify and"
                            + " --pending");
        }
        int most;
        try {
            most = Baseline.find(name).maxBytes();
        } catch (IllegalArgumentException e) {
            throw wrongUse(e.getMessage());
        }
        if (sizes.all().getLast() > most) {
            throw wrongUse(name + " carries messages of up to " + most + " bytes");
        }
    }

    private void checkScheme(String text, boolean address) {
        int end = text.indexOf("://");
        if (address && end < 0) {
            throw wrongUse("'" + text + "' is no address; one begins with tcp:// or zoid://");
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

    private void checkPlot() {
        Path parent = plot == null ? null : plot.toAbsolutePath().getParent();
        if (plot != null && (parent == null || !Files.isDirectory(parent))) {
            throw wrongUse("There is no directory for " + plot);
        }
    }

    private Map<String, String> allKnobs() {
        Map<String, String> all = new LinkedHashMap<>(knobs);
        if (through != null) {
            all.put(PerfPlan.HOST_KNOB, through);
        }
        if (channel != null) {
            all.put("zoid.commandChannel", channel);
        }
        Set<String> known = Knobs.all();
        if ("daemon".equals(through) && !known.contains(PerfPlan.HOST_KNOB)) {
            all.remove(PerfPlan.HOST_KNOB); // the only way there is
        }
        for (String name : all.keySet()) {
            if (!known.contains(name)) {
                throw wrongUse("There is no knob '" + name + "'; see 'bmi info'");
            }
        }
        return all;
    }
}
