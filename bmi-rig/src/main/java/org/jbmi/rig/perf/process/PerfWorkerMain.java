package org.jbmi.rig.perf.process;

import org.jbmi.rig.perf.baseline.BaselineStations;
import org.jbmi.rig.perf.worker.Footprint;
import org.jbmi.rig.perf.worker.Phase;
import org.jbmi.rig.perf.worker.Station;
import org.jbmi.rig.perf.worker.Stations;
import org.jbmi.rig.perf.worker.WorkerPlan;
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
import java.util.concurrent.TimeUnit;

/**
 * The program of one process of a measurement. It takes lines from its standard input: {@code run}
 * with a phase, {@code footprint}, or {@code quit}; it also ends when the input ends. What it says
 * to the coordinator begins with {@link #MARK}.
 */
public final class PerfWorkerMain {
    /** Begins what is said to the coordinator. */
    public static final String MARK = "@";

    /** Said when the worker is up, with the address at which others find it, if they do. */
    public static final String READY = "ready ";

    /** Said with what a phase gave. */
    public static final String RESULT = "result ";

    /** Said with a sentence before a worker ends because it cannot go on. */
    public static final String FAILED = "failed ";

    /** Tells a worker to run a phase. */
    public static final String RUN = "run ";

    /** Said when a worker has its connections and could send. */
    public static final String OPENED = "opened";

    /** Tells a worker to send, once all have said that they could. */
    public static final String GO = "go";

    /**
     * Asks a worker what it holds more than at first: a client before it opened its instances,
     * others when they were up and nobody had come.
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
     * Runs a worker and ends the process: 0 if it did what it was told, 1 if not.
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
        // Ctrl-C reaches every process of the group: each clears up what is its own.
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(this::stopAndWait));
        Footprint atFirst = Footprint.read();
        try (Station station = open(plan)) {
            if (plan.role() != WorkerPlan.Role.CLIENT) {
                atFirst = Footprint.read();
            }
            say(READY + station.address());
            String command = commands.take();
            while (!command.equals(QUIT)) {
                if (command.startsWith(RUN)) {
                    say(RESULT + station.run(Phase.parse(command), this::pass).line());
                } else if (command.equals(FOOTPRINT)) {
                    say(RESULT + Footprint.read().minus(atFirst).line());
                }
                command = commands.take();
            }
        }
    }

    /**
     * The others may take long to connect: who sent before they did would have the server alone.
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

    private Station open(WorkerPlan plan) throws Exception {
        return plan.baseline().isEmpty()
                ? Stations.open(plan, sentence -> say(FAILED + sentence))
                : BaselineStations.open(plan);
    }

    /** Waits for the station and not for the main thread: that one waits for this hook to end. */
    private void stopAndWait() {
        stop();
        boolean inTime = false;
        try {
            inTime = closed.await(END_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!inTime) {
            Runtime.getRuntime().halt(1);
        }
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

    /** A phase that nobody wants any more must not keep the process. */
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
