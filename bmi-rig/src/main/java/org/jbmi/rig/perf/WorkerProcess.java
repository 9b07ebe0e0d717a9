package org.jbmi.rig.perf;

import org.jbmi.rig.perf.phase.Footprint;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.jbmi.rig.perf.phase.WorkerLine;
import org.jbmi.rig.perf.phase.WorkerPlan;
import org.jbmi.rig.perf.process.PerfWorkerMain;
import org.jbmi.tools.cli.ChildJvm;
import org.jbmi.tools.cli.ToolException;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The coordinator's end of a worker process; they exchange lines of text. */
final class WorkerProcess implements AutoCloseable {
    private static final long START_MS = 60_000;
    private static final long GRACE_MS = 60_000;
    private static final long END_MS = 4_000;
    private static final long LAST_WORDS_MS = 1_000;
    private static final int MAX_SAID = 20;
    private static final String ENDED = "failed It ended.";

    private final String name;
    private final Process process;
    private final String mark;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> errors = new LinkedBlockingQueue<>(MAX_SAID);
    private final Thread answerPump;
    private final Thread errorPump;
    private final List<ProcessHandle> children = new ArrayList<>();
    private boolean isTold;
    private long endNs;

    private WorkerProcess(String name, Process process, String mark) {
        this.name = name;
        this.process = process;
        this.mark = mark;
        errorPump = Thread.ofPlatform().daemon().name(name + " errors").start(this::pumpErrors);
        answerPump = Thread.ofPlatform().daemon().name(name + " answers").start(this::pumpAnswers);
    }

    /** Starts a process with the JDK and class path of this one; does not wait for it. */
    static WorkerProcess start(WorkerPlan plan, List<String> jvmOptions) throws IOException {
        List<String> command = new ArrayList<>();
        command.addAll(
                List.of("-XX:+UseSerialGC", "-Xms64m", "-Xmn48m", "-Xmx1g", "-XX:+AlwaysPreTouch"));
        command.addAll(jvmOptions);
        command = ChildJvm.command(PerfWorkerMain.class, command);
        command.addAll(plan.toArguments());
        Process process = new ProcessBuilder(command).start();
        String part = plan.baseline().isEmpty() ? "" : plan.baseline() + " ";
        return new WorkerProcess(
                part + plan.role().toString().toLowerCase(Locale.ROOT),
                process,
                PerfWorkerMain.MARK);
    }

    /** Starts a command line of the user; everything that it prints is an answer. */
    static WorkerProcess command(String name, String line) throws IOException {
        Process process = new ProcessBuilder("sh", "-c", line).start();
        return new WorkerProcess("command \"" + name + "\"", process, "");
    }

    long pid() {
        return process.pid();
    }

    /** The ids of the process and of its descendants. */
    List<Long> pids() {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .map(ProcessHandle::pid)
                .toList();
    }

    /** Waits until it is ready; returns its address. */
    String awaitReady() throws ToolException, InterruptedException {
        return answer(PerfWorkerMain.READY, START_MS);
    }

    /** Tells it to prepare a phase. */
    void prepare(Phase phase) throws ToolException, InterruptedException {
        tell(PerfWorkerMain.RUN + WorkerLine.of(Phase.class, phase));
    }

    /** Waits until it waits for the others. */
    void awaitOpened() throws ToolException, InterruptedException {
        answer(PerfWorkerMain.OPENED, GRACE_MS);
    }

    /** Tells it to go on. */
    void go() throws ToolException, InterruptedException {
        tell(PerfWorkerMain.GO);
    }

    /** Waits for the result of the phase. */
    PhaseResult finish(Phase phase) throws ToolException, InterruptedException {
        return PhaseResult.parse(answer(PerfWorkerMain.RESULT, phase.millis() + GRACE_MS));
    }

    /** Asks for its memory and threads. */
    Footprint footprint() throws ToolException, InterruptedException {
        tell(PerfWorkerMain.FOOTPRINT);
        return WorkerLine.parse(Footprint.class, answer(PerfWorkerMain.RESULT, GRACE_MS));
    }

    /** The next line from the process. */
    String answer(long timeoutMs) throws ToolException, InterruptedException {
        return answer("", timeoutMs);
    }

    /** A failure of the process, with its standard error. */
    ToolException failure(String reason) {
        return new ToolException("The " + name + " failed: " + reason + saidOnErrors());
    }

    private String answer(String kind, long timeoutMs) throws ToolException, InterruptedException {
        String line = answers.poll(timeoutMs, TimeUnit.MILLISECONDS);
        if (line == null) {
            throw new ToolException(
                    "The " + name + " (pid " + pid() + ") does not answer; it was ended.");
        }
        if (!line.startsWith(kind) || line.startsWith(PerfWorkerMain.FAILED)) {
            throw failure(reason(line));
        }
        return line.substring(kind.length());
    }

    /** Fails if the process has reported a failure, or anything else that nobody waits for. */
    void check() throws ToolException {
        answers.removeIf(CommandSide::isComment);
        String line = answers.peek();
        if (line != null) {
            throw failure(reason(line));
        }
    }

    private static String reason(String line) {
        return line.startsWith(PerfWorkerMain.FAILED)
                ? line.substring(PerfWorkerMain.FAILED.length())
                : "it said \"" + line + "\" out of turn.";
    }

    private String saidOnErrors() {
        return errors.isEmpty() ? "" : " It said: " + String.join(" / ", errors);
    }

    /** Writes a line to the process. If it is gone, the failure has the reason that it gave. */
    void tell(String line) throws ToolException, InterruptedException {
        try {
            OutputStream in = process.getOutputStream();
            in.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            in.flush();
        } catch (IOException e) {
            answerPump.join(END_MS); // a child of the process may keep its output open
            throw failure(
                    answers.stream()
                            .filter(said -> said.startsWith(PerfWorkerMain.FAILED))
                            .findFirst()
                            .map(WorkerProcess::reason)
                            .orElse("It is gone."));
        }
    }

    private void pumpAnswers() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line; (line = lines.readLine()) != null; ) {
                if (line.startsWith(mark)) {
                    answers.add(line.substring(mark.length()));
                }
            }
            // Who sees the end also sees the errors; a child of the process may keep them open.
            errorPump.join(LAST_WORDS_MS);
        } catch (IOException | InterruptedException e) {
            errors.offer(e.toString());
        }
        answers.add(ENDED);
    }

    private void pumpErrors() {
        try (BufferedReader lines = process.errorReader(StandardCharsets.UTF_8)) {
            for (String line; (line = lines.readLine()) != null; ) {
                errors.offer(line);
            }
        } catch (IOException e) {
            errors.offer(e.toString());
        }
    }

    /** Remembers its child processes of now: if it ends first, nobody can tell whose they are. */
    synchronized void noteChildren() {
        process.descendants().forEach(children::add);
    }

    /**
     * Ends its input, which tells it to end. Its time for that begins now, so that processes that
     * are all told first end in the time of one.
     */
    synchronized void tellToEnd() {
        if (isTold) {
            return;
        }
        isTold = true;
        endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(END_MS);
        noteChildren();
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            process.destroyForcibly();
        }
    }

    /** Ends the process; kills it if it does not end by itself. */
    @Override
    public synchronized void close() {
        tellToEnd();
        try {
            if (!process.waitFor(endNs - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                process.destroyForcibly().waitFor(END_MS, TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        children.forEach(ProcessHandle::destroyForcibly);
    }
}
