package org.jbmi.tools.perf;

import org.jbmi.config.Configuration;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.perf.worker.Pattern;
import org.jbmi.tools.perf.worker.Phase;
import org.jbmi.tools.perf.worker.PhaseResult;
import org.jbmi.tools.perf.worker.WaitMode;
import org.jbmi.zbmi.daemon.DaemonKnobs;
import org.jbmi.zbmi.host.HostKnobs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** One run: starts all sides, lets them take turns, and ends them. */
public final class Measurement implements AutoCloseable {
    private static final long CALLS_MS = 400;
    private static final double NOT_COUNTED = -1;

    private final PerfPlan plan;
    private final Consumer<String> news;
    private final List<Side> sides = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private final List<Integer> cpus = CpuPlacement.allowed();
    private final Path temporary = Path.of(System.getProperty("java.io.tmpdir", "/tmp"));
    private boolean closed;

    /**
     * Prepares a run.
     *
     * @param plan what to measure
     * @param news takes a line now and then, for people
     */
    public Measurement(PerfPlan plan, Consumer<String> news) {
        this.plan = plan;
        this.news = news;
    }

    /**
     * Measures.
     *
     * @return everything that was found
     * @throws ToolException if it cannot be done
     * @throws IOException if a process cannot be started
     * @throws InterruptedException if the thread is interrupted
     */
    public Findings run() throws ToolException, IOException, InterruptedException {
        double load = Calibration.load();
        Calibration calibration = new Calibration(cpus);
        double before = calibration.roundTripUs();
        openSides();
        List<List<Finding>> found = new ArrayList<>();
        sides.forEach(side -> found.add(new ArrayList<>()));
        for (int bytes : plan.sizes()) {
            measure(plan.phase().ofBytes(bytes), found);
        }
        close();
        remarkWaiting();
        return new Findings(
                plan,
                found.getFirst(),
                found.subList(1, found.size()),
                before,
                calibration.roundTripUs(),
                load,
                remarks);
    }

    private void remarkWaiting() {
        int spinners = plan.clients() * plan.threads() + plan.threads();
        if (plan.waiting() == WaitMode.SPIN && spinners > cpus.size()) {
            remarks.add(
                    spinners
                            + " threads spin on "
                            + cpus.size()
                            + " processors: they wait for each other's time slices.");
        }
    }

    private void openSides() throws ToolException, IOException, InterruptedException {
        Path memory =
                Path.of(
                        Configuration.resolve(DaemonKnobs.all(), Map.of())
                                .get(HostKnobs.SEGMENT_DIRECTORY));
        news.accept("starting " + plan.target() + " ...");
        OurSide ours = new OurSide(plan, cpus, temporary, memory);
        open(ours);
        for (String name : plan.versus()) {
            if (name.equals(FewPendingSide.NAME)) {
                open(new FewPendingSide(ours));
            } else {
                news.accept("starting " + name + " ...");
                open(new BaselineSide(plan, name, cpus, memory));
            }
        }
    }

    private void open(Side side) throws ToolException, IOException, InterruptedException {
        synchronized (this) {
            if (closed) {
                side.close();
                throw new InterruptedException();
            }
            sides.add(side);
        }
        side.open();
    }

    private void measure(Phase phase, List<List<Finding>> found)
            throws ToolException, IOException, InterruptedException {
        news.accept(phase.pattern() + " of " + phase.bytes() + " bytes ...");
        for (Side side : sides) {
            side.run(phase.lasting(plan.warmUpMillis()));
        }
        List<List<PhaseResult>> rounds = new ArrayList<>();
        sides.forEach(side -> rounds.add(new ArrayList<>()));
        Phase one = phase.lasting(Math.max(1, plan.millis() / plan.rounds()));
        for (int round = 0; round < plan.rounds(); round++) {
            for (int i = 0; i < sides.size(); i++) {
                rounds.get(i).add(sides.get(i).run(one));
            }
        }
        for (int i = 0; i < sides.size(); i++) {
            found.get(i).add(finding(sides.get(i), phase, rounds.get(i)));
        }
    }

    private Finding finding(Side side, Phase phase, List<PhaseResult> rounds)
            throws ToolException, IOException, InterruptedException {
        PhaseResult all = PhaseResult.empty();
        for (PhaseResult round : rounds) {
            all = all.then(round);
        }
        return new Finding(
                side.name(),
                phase.pattern().toString(),
                phase.bytes(),
                phase.pattern().messagesPerExchange(),
                all,
                rounds,
                callsPerMessage(side, phase));
    }

    private double callsPerMessage(Side side, Phase phase)
            throws ToolException, InterruptedException {
        if (!plan.countsCalls() || phase.pattern() == Pattern.IDLE) {
            return NOT_COUNTED;
        }
        String reason = SystemCalls.unavailability();
        if (reason.isEmpty()) {
            try (SystemCalls calls = SystemCalls.attach(side.pids(), temporary)) {
                PhaseResult result = side.run(phase.lasting(CALLS_MS));
                long messages = result.exchanges() * phase.pattern().messagesPerExchange();
                return messages == 0 ? NOT_COUNTED : calls.count() / (double) messages;
            } catch (IOException e) {
                reason = e.getMessage();
            }
        }
        String remark = "System calls were not counted: " + reason + ".";
        if (!remarks.contains(remark)) {
            remarks.add(remark);
        }
        return NOT_COUNTED;
    }

    /** Ends every process that was started. May be called at any time, by any thread. */
    @Override
    public void close() throws IOException {
        List<Side> open;
        synchronized (this) {
            closed = true;
            open = List.copyOf(sides);
        }
        for (Side side : open) {
            side.close();
        }
    }
}
