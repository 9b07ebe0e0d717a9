package org.jbmi.testsuite.support;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A program, run as a process of its own on the class path of the tests. What it prints is kept as
 * it comes; the one that closes the run ends the process and all that it has started.
 */
public final class ProgramRun implements AutoCloseable {
    /** The longest that any program here may take. */
    private static final long LIMIT_SECONDS = 170;

    private static final long NS_PER_SECOND = 1_000_000_000;

    private final Process process;
    private final List<String> out = new CopyOnWriteArrayList<>();
    private final List<String> err = new CopyOnWriteArrayList<>();
    private final List<Thread> pumps;

    private ProgramRun(Process process) {
        this.process = process;
        pumps =
                List.of(
                        pump(process.inputReader(StandardCharsets.UTF_8), out),
                        pump(process.errorReader(StandardCharsets.UTF_8), err));
    }

    /**
     * Starts a program.
     *
     * @param main its class
     * @param options options of the JVM
     * @param args its arguments
     * @return the run, to be closed
     * @throws IOException if the process cannot be started
     */
    public static ProgramRun start(Class<?> main, List<String> options, String... args)
            throws IOException {
        return start(List.of(), main, options, args);
    }

    /**
     * Starts a program by way of another one.
     *
     * @param wrapper a program that runs the rest of its command line, and its own arguments
     * @param main the class of the program
     * @param options options of the JVM
     * @param args its arguments
     * @return the run, to be closed
     * @throws IOException if the process cannot be started
     */
    public static ProgramRun start(
            List<String> wrapper, Class<?> main, List<String> options, String... args)
            throws IOException {
        List<String> command = new ArrayList<>(wrapper);
        command.addAll(ChildJvm.command(main, options, args));
        return new ProgramRun(new ProcessBuilder(command).start());
    }

    private static Thread pump(BufferedReader reader, List<String> lines) {
        return Thread.ofPlatform().daemon().start(() -> reader.lines().forEach(lines::add));
    }

    /** {@return the process, perhaps one that has ended} */
    public Process process() {
        return process;
    }

    /** {@return the lines that it has printed on standard output so far; more may come} */
    public List<String> out() {
        return out;
    }

    /** {@return the lines that it has printed on standard error so far; more may come} */
    public List<String> err() {
        return err;
    }

    /** {@return all lines that it printed, for messages of assertions} */
    public String transcript() {
        return "out:\n" + String.join("\n", out) + "\nerr:\n" + String.join("\n", err);
    }

    /**
     * Waits for a line on either stream.
     *
     * @param wanted says which
     * @return the line
     * @throws InterruptedException if the thread is interrupted meanwhile
     */
    public String awaitLine(Predicate<String> wanted) throws InterruptedException {
        long deadlineNs = System.nanoTime() + LIMIT_SECONDS * NS_PER_SECOND;
        while (System.nanoTime() < deadlineNs) {
            // Asked before the lines are read: the last one may come in between.
            boolean isOver = !process.isAlive() && pumps.stream().noneMatch(Thread::isAlive);
            for (List<String> lines : List.of(out, err)) {
                for (String line : lines) {
                    if (wanted.test(line)) {
                        return line;
                    }
                }
            }
            if (isOver) {
                break;
            }
            Thread.sleep(2);
        }
        throw new AssertionError("The line did not come.\n" + transcript());
    }

    /**
     * Waits for its end, and for the last of its lines.
     *
     * @return its exit status
     * @throws InterruptedException if the thread is interrupted meanwhile
     */
    public int awaitEnd() throws InterruptedException {
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            String soFar = transcript();
            close();
            throw new AssertionError("The program does not end.\n" + soFar);
        }
        for (Thread pump : pumps) {
            pump.join();
        }
        return process.exitValue();
    }

    /** Ends it and all that it started, if they still run. */
    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        // By its handle: destroying a Process closes its streams, and the last lines are lost.
        process.toHandle().destroyForcibly();
    }
}
