package org.jbmi.rig.perf;

import org.jbmi.config.Configuration;
import org.jbmi.rig.perf.baseline.MemoryCopy;
import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.rig.perf.phase.WaitMode;
import org.jbmi.tools.cli.PrivateDirectory;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.zbmi.daemon.DaemonKnobs;
import org.jbmi.zbmi.host.place.HostKnobs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** One run: starts all sides, runs them in turns, and ends them. */
public final class Measurement implements AutoCloseable {
    /** The hook of a process begins so long after a signal at most. */
    private static final long SIGNAL_MS = 1_000;

    private static final String ENDED = "The measurement was ended.";
    private static final long CALLS_MS = 400;

    /** With this many messages the calls of the JVMs' own threads hardly count. */
    private static final long CALLS_MESSAGES = 500;

    /** At a low rate so many messages would take minutes. */
    private static final long CALLS_MAX_MS = 10_000;

    private static final long P99_EXCHANGES = 1000;

    /** With fewer, what the slowest client has says little. */
    private static final long EXCHANGES_EACH = 20;

    private static final long WARM_UP_PIECE_MS = 250;
    private static final int REST_PIECES = 4;
    private static final double REST_PERCENT = 2;
    private static final long NS_PER_MS = 1_000_000;

    private final PerfPlan plan;
    private final Consumer<String> notices;
    private final List<Side> sides = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private final List<Integer> cpus = CpuPlacement.allowed();
    private final Calibration calibration = new Calibration(cpus);
    private final Path temporary = PrivateDirectory.temporary();
    private boolean closed;

    /** Prepares a run. */
    public Measurement(PerfPlan plan, Consumer<String> notices) {
        this.plan = plan;
        this.notices = notices;
    }

    /**
     * Measures.
     *
     * @throws ToolException if the run is not possible
     * @throws InterruptedIOException if another thread has closed it
     * @throws IOException if a process cannot be started
     */
    public Findings run() throws ToolException, IOException, InterruptedException {
        Findings findings;
        try {
            findings = measure();
        } catch (ToolException | IOException | RuntimeException e) {
            if (!isClosed()) { // Ctrl-C ends the sides too, maybe before the hook of this process
                Thread.sleep(SIGNAL_MS);
            }
            if (isClosed()) { // what failed is what the close has ended
                throw (IOException) new InterruptedIOException(ENDED).initCause(e);
            }
            throw e;
        }
        close();
        return findings;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private Findings measure() throws ToolException, IOException, InterruptedException {
        double load = Calibration.load();
        double slowdown = calibration.slowdown();
        Trip before = calibration.roundTrip();
        openSides();
        List<List<Finding>> found = new ArrayList<>();
        sides.forEach(side -> found.add(new ArrayList<>()));
        for (int bytes : plan.sizes()) {
            measure(plan.phase().ofBytes(bytes), found);
        }
        Findings.Held held =
                plan.clients().connections() > 1 && sides.getFirst() instanceof OurSide ours
                        ? ours.held()
                        : null;
        Trip after = calibration.roundTrip();
        remarkWaiting();
        return new Findings(
                plan,
                found.getFirst(),
                found.subList(1, found.size()),
                before.lowUs(),
                after.lowUs(),
                slowdown,
                load,
                held,
                remarks);
    }

    private void remarkWaiting() {
        if (plan.waiting() != WaitMode.SPIN || cpus.isEmpty()) {
            return;
        }
        plan.waiters(cpus.size()).stream()
                .filter(PerfPlan.Waiters::areCrowded)
                .findFirst()
                .ifPresent(
                        some ->
                                remarks.add(
                                        some.threads()
                                                + " threads spin on "
                                                + some.processors()
                                                + " processor(s): they wait for each other's time"
                                                + " slices."));
    }

    private void openSides() throws ToolException, IOException, InterruptedException {
        Path memory =
                Path.of(
                        Configuration.resolve(DaemonKnobs.all(), Map.of())
                                .get(HostKnobs.SEGMENT_DIRECTORY));
        notices.accept("starting " + plan.target() + " ...");
        OurSide ours = new OurSide(plan, cpus, temporary, memory);
        open(ours);
        for (String name : plan.peers().names()) {
            if (name.equals(PerfPlan.Peers.FEW_PENDING)) {
                open(new FewPendingSide(ours));
                continue;
            }
            notices.accept("starting " + name + " ...");
            Pattern layer = Pattern.layer(name);
            if (name.equals(MemoryCopy.NAME)) {
                open(new CopySide(plan, cpus));
            } else if (layer != null) {
                open(new OurSide(name, layer, plan, cpus, temporary, memory));
            } else {
                open(new BaselineSide(plan, name, cpus, memory));
            }
        }
        for (String command : plan.peers().commands()) {
            notices.accept("starting " + CommandSide.shortened(command) + " ...");
            open(new CommandSide(plan, command, cpus));
        }
    }

    private void open(Side side) throws ToolException, IOException, InterruptedException {
        synchronized (this) {
            if (closed) {
                side.close();
                throw new InterruptedIOException(ENDED);
            }
            sides.add(side);
        }
        side.open();
    }

    private void measure(Phase phase, List<List<Finding>> found)
            throws ToolException, IOException, InterruptedException {
        notices.accept(phase.pattern() + " of " + phase.bytes() + " bytes ...");
        long neededMs = 0;
        for (Side side : sides) {
            neededMs = Math.max(neededMs, enoughMillis(warmUp(side, phase)));
        }
        RoundPlan roundPlan =
                phase.pattern() == Pattern.IDLE
                        ? RoundPlan.ofIdle(plan.times())
                        : RoundPlan.of(plan.times(), neededMs, sides.size());
        List<List<Round>> rounds = new ArrayList<>();
        sides.forEach(side -> rounds.add(new ArrayList<>()));
        Phase one = phase.lasting(roundPlan.roundMillis());
        Trip before = calibration.roundTrip();
        List<Integer> used = plan.cpus().used(cpus);
        StolenTime stolenBefore = StolenTime.of(used);
        long beginNs = System.nanoTime();
        for (int done = 0;
                roundPlan.hasAnother(done, (System.nanoTime() - beginNs) / NS_PER_MS);
                done++) {
            for (int i = 0; i < sides.size(); i++) {
                PhaseResult result = run(sides.get(i), one);
                Trip after = calibration.roundTrip();
                StolenTime stolen = StolenTime.of(used);
                double percent = stolen.percentSince(stolenBefore);
                rounds.get(i).add(new Round(result, before, after, percent));
                before = after;
                stolenBefore = stolen;
            }
        }
        for (int i = 0; i < sides.size(); i++) {
            Side side = sides.get(i);
            Phase own = side.phase(phase);
            found.get(i)
                    .add(
                            new Finding(
                                    side.name(),
                                    side.setup(),
                                    own,
                                    Round.sum(rounds.get(i)),
                                    rounds.get(i),
                                    callsPerMessage(side, own),
                                    side.threads()));
        }
    }

    private PhaseResult run(Side side, Phase phase) throws ToolException, InterruptedException {
        PhaseResult result = side.run(side.phase(phase));
        if (phase.pattern() == Pattern.IDLE && side instanceof OurSide ours) {
            remarks.add(ours.idle());
        }
        return result;
    }

    /**
     * The length of a round in which ten exchanges are above the 99th percentile, and each client
     * has some.
     */
    private static long enoughMillis(PhaseResult result) {
        long enough = Math.max(P99_EXCHANGES, EXCHANGES_EACH * result.flows().size());
        return result.exchanges() == 0
                ? 0
                : enough * result.elapsedNs() / result.exchanges() / NS_PER_MS;
    }

    /** Runs until the JIT compilers of a side have been idle for a while, or the time is over. */
    private PhaseResult warmUp(Side side, Phase phase) throws ToolException, InterruptedException {
        long mostMs = plan.times().warmUpMillis();
        if (phase.pattern() == Pattern.IDLE) {
            return side.run(side.phase(phase).lasting(mostMs));
        }
        long endNs = System.nanoTime() + mostMs * NS_PER_MS;
        int resting = 0;
        boolean works = false;
        PhaseResult result = PhaseResult.empty();
        Phase piece = side.phase(phase).lasting(Math.clamp(mostMs, 1, WARM_UP_PIECE_MS));
        while (resting < REST_PIECES) {
            if (System.nanoTime() - endNs >= 0) {
                if (side.compiling() > 0) {
                    remarks.add(warmUpRemark(side.name(), works));
                }
                return result;
            }
            result = side.run(piece);
            works = Finding.compilerPercent(result) > REST_PERCENT * side.compiling();
            resting = works ? 0 : resting + 1;
        }
        return result;
    }

    private static String warmUpRemark(String name, boolean works) {
        String words =
                works
                        ? "The compilers of %s were still at work when warming up ended"
                        : "The warm-up of %s was too short to tell whether its compilers rest";
        return String.format(Locale.ROOT, words + "; see --warm-up.", name);
    }

    private Map<String, Double> callsPerMessage(Side side, Phase phase)
            throws ToolException, InterruptedException {
        if (!plan.countsCalls() || phase.pattern() == Pattern.IDLE) {
            return Map.of();
        }
        String reason = SystemCalls.unavailability();
        if (reason.isEmpty()) {
            try (SystemCalls calls = SystemCalls.attach(side.pids(), temporary)) {
                long endNs = System.nanoTime() + CALLS_MAX_MS * NS_PER_MS;
                long messages = 0;
                do {
                    PhaseResult result = side.run(phase.lasting(CALLS_MS).onlyMessages());
                    messages += result.exchanges() * phase.pattern().messagesPerExchange();
                } while (messages < CALLS_MESSAGES && System.nanoTime() - endNs < 0);
                return messages == 0 ? Map.of() : each(calls.count(), messages);
            } catch (IOException e) {
                reason = e.getMessage();
            }
        }
        String remark = "System calls were not counted: " + reason + ".";
        if (!remarks.contains(remark)) {
            remarks.add(remark);
        }
        return Map.of();
    }

    private static Map<String, Double> each(Map<String, Long> calls, long messages) {
        Map<String, Double> each = new LinkedHashMap<>();
        calls.forEach((name, count) -> each.put(name, count / (double) messages));
        return each;
    }

    /** Ends every process that was started. May be called at any time, by any thread. */
    @Override
    public void close() throws IOException {
        List<Side> open;
        synchronized (this) {
            closed = true;
            open = List.copyOf(sides);
        }
        calibration.close();
        open.forEach(Side::tellToEnd);
        for (Side side : open) {
            side.close();
        }
    }
}
