package org.jbmi.rig.perf.process;

import org.jbmi.rig.perf.baseline.BaselineEndpoints;
import org.jbmi.rig.perf.phase.Footprint;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.WorkerLine;
import org.jbmi.rig.perf.phase.WorkerPlan;
import org.jbmi.rig.perf.worker.Endpoint;
import org.jbmi.rig.perf.worker.Endpoints;
import org.jbmi.tools.cli.EndInOrder;
import org.jbmi.tools.cli.Sentences;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The main program of one process of a measurement. It reads lines from its standard input: {@code
 * run} with a phase, {@code footprint}, or {@code quit}; it also ends when the input ends. Its
 * lines to the coordinator begin with {@link #MARK}.
 */
public final class PerfWorkerMain {
    /** Begins each line to the coordinator. */
    public static final String MARK = "@";

    /** The worker is ready; with its address if others connect to it. */
    public static final String READY = "ready ";

    /** The result of a phase. */
    public static final String RESULT = "result ";

    /** The worker cannot go on and ends; with the reason. */
    public static final String FAILED = "failed ";

    /** Tells a worker to run a phase. */
    public static final String RUN = "run ";

    /** The worker waits for the others, before it sends. */
    public static final String OPENED = "opened";

    /** Tells a worker to go on, after all wait. */
    public static final String GO = "go";

    /**
     * Asks a worker how much memory and how many threads it has more than at first: a client than
     * before it opened its instances, another worker than before clients connected.
     */
    public static final String FOOTPRINT = "footprint";

    private static final String QUIT = "quit";
    private static final int MAX_COMMANDS = 16;
    private static final long END_MS = 8_000;

    private final PrintStream out;
    private final BlockingQueue<String> commands = new LinkedBlockingQueue<>(MAX_COMMANDS);
    private final CountDownLatch closed = new CountDownLatch(1);

    private PerfWorkerMain(PrintStream out) {
        this.out = out;
    }

    /**
     * Runs a worker and ends the process, with status 0 or, after a failure, 1.
     *
     * @param args see {@link WorkerPlan}
     */
    public static void main(String[] args) {
        PerfWorkerMain worker = new PerfWorkerMain(System.out);
        Thread.ofPlatform().daemon().name("perf-commands").start(worker::pump);
        int status = 1;
        try {
            worker.work(WorkerPlan.parse(Arrays.asList(args)));
            status = 0;
        } catch (Exception | Error e) {
            worker.say(FAILED + Sentences.of(e));
        } finally {
            worker.closed.countDown();
        }
        System.exit(status);
    }

    private void work(WorkerPlan plan) throws Exception {
        // Ctrl-C reaches every process of the group: each cleans up for itself.
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(this::stopAndWait));
        Footprint atFirst = Footprint.read();
        try (Endpoint endpoint = open(plan)) {
            if (plan.role() != WorkerPlan.Role.CLIENT) {
                atFirst = Footprint.read();
            }
            say(READY + endpoint.address());
            String command = commands.take();
            while (!command.equals(QUIT)) {
                if (command.startsWith(RUN)) {
                    Phase phase = WorkerLine.parse(Phase.class, command.substring(RUN.length()));
                    say(RESULT + endpoint.run(phase, this::pass).line());
                } else if (command.equals(FOOTPRINT)) {
                    Footprint grown = Footprint.read().minus(atFirst);
                    say(RESULT + WorkerLine.of(Footprint.class, grown));
                }
                command = commands.take();
            }
        }
    }

    /**
     * Waits for the other clients; otherwise the first ones would have the server for themselves.
     */
    private void pass() {
        say(OPENED);
        try {
            String command = commands.take();
            if (!command.equals(GO)) {
                throw new IllegalStateException("The measurement was ended before it began.");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The measurement was interrupted.", e);
        }
    }

    private Endpoint open(WorkerPlan plan) throws Exception {
        return plan.baseline().isEmpty()
                ? Endpoints.open(plan, sentence -> say(FAILED + sentence))
                : BaselineEndpoints.open(plan);
    }

    private void stopAndWait() {
        stop();
        EndInOrder.awaitOrHalt(closed, END_MS);
    }

    /** Reads commands until there are no more. */
    private void pump() {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            String line = in.readLine();
            while (line != null && !line.equals(QUIT) && commands.offer(line)) {
                line = in.readLine();
            }
        } catch (IOException e) {
            say(FAILED + Sentences.of(e));
        }
        stop();
        haltIfItHangs();
    }

    private void stop() {
        commands.clear();
        commands.add(QUIT);
    }

    /** Ends the process if a phase that is not needed any more does not end. */
    private static void haltIfItHangs() {
        try {
            Thread.sleep(END_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(1);
    }

    private synchronized void say(String text) {
        out.println(MARK + text);
        out.flush();
    }
}
