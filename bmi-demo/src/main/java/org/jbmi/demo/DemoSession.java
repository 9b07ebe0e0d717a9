package org.jbmi.demo;

import org.jbmi.BmiException;
import org.jbmi.tools.cli.PrivateDirectory;
import org.jbmi.tools.cli.Requirements;
import org.jbmi.tools.cli.Sentences;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.text.Quantities;

import java.io.Console;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Optional;

/**
 * One call of the command: prepares the demo, prints the result, and cleans up, also after Ctrl-C.
 */
final class DemoSession {
    /** Exit status after Ctrl-C, as in shells. */
    private static final int INTERRUPTED = 130;

    private final DemoPlan plan;
    private final boolean json;
    private final PrintStream out;
    private final PrintStream err;
    private final DemoView view;

    DemoSession(DemoPlan plan, boolean json, PrintStream out, PrintStream err) {
        this.plan = plan;
        this.json = json;
        this.out = out;
        this.err = err;
        view = DemoView.of(json ? err : out, err, !json && isTerminal());
    }

    /** Runs the demo and returns the exit status. */
    int run() throws ToolException, IOException, InterruptedException {
        try {
            Workers workers = workers();
            Thread ending = Thread.ofPlatform().unstarted(() -> endInHaste(workers));
            Runtime.getRuntime().addShutdownHook(ending);
            try (workers) {
                return run(workers);
            } finally {
                forget(ending);
            }
        } catch (ToolException | IOException | BmiException e) {
            if (view.isMuted()) {
                return INTERRUPTED;
            }
            printJson(DemoResult.none(plan));
            throw e;
        }
    }

    private int run(Workers workers) throws ToolException, IOException, InterruptedException {
        view.say(
                "Shipping %s of %s from %s through %s and back."
                        .formatted(
                                Quantities.bytes(plan.sizeBytes()),
                                plan.file(),
                                Quantities.count(plan.clients(), "client"),
                                plan.through().words()));
        DemoResult result = new DemoRun(plan, workers, view).run();
        workers.close();
        report(result);
        return result.isVerified() ? 0 : 1;
    }

    private void report(DemoResult result) {
        view.say("");
        result.table().forEach(view::say);
        view.say("");
        view.say(
                "All together: write %s MiB/s, read %s MiB/s; %s."
                        .formatted(
                                Quantities.decimal(result.writeMibPerSecond()),
                                Quantities.decimal(result.readMibPerSecond()),
                                result.isVerified() ? "every SHA-256 is equal" : "NOT verified"));
        result.problems().forEach(problem -> view.warn("bmi demo: " + problem));
        printJson(result);
    }

    private void printJson(DemoResult result) {
        if (json && !view.isMuted()) {
            err.flush();
            out.println(result.json());
            out.flush();
        }
    }

    private Workers workers() throws IOException, ToolException {
        Path temporary = PrivateDirectory.temporary();
        if (plan.through() == Through.LOOPBACK) {
            return new LoopbackWorkers(plan, temporary);
        }
        if (plan.through() == Through.TCP) {
            return new TcpWorkers(plan, temporary);
        }
        Requirements.zoid("; --through loopback works everywhere");
        return new DaemonWorkers(plan, temporary);
    }

    private void endInHaste(Workers workers) {
        view.mute();
        try {
            workers.close();
        } catch (IOException e) {
            err.println("bmi demo: " + Sentences.of(e));
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The shutdown has begun, and its hook does the same.
            return;
        }
    }

    private static boolean isTerminal() {
        String term = System.getenv("TERM");
        if (term == null || term.equals("dumb")) {
            return false;
        }
        return Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
    }
}
