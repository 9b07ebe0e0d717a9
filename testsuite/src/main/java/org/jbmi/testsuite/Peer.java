package org.jbmi.testsuite;

import org.jbmi.testsuite.process.PeerMain;
import org.jbmi.testsuite.support.ChildJvm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A peer in a process of its own. A case sends it commands as lines of text, and may stop,
 * continue, interrupt and kill it. {@link PeerMain} lists the commands. Made by {@link Scene#peer},
 * ended with the scene.
 */
public final class Peer implements AutoCloseable {
    private static final String END = "the process ended";
    private static final long REPLY_SECONDS = 25;
    private static final long EXIT_SECONDS = 10;
    private static final long SIGINT_BIT = 1L << 1;

    private final Process process;
    private final Writer in;
    private final BlockingQueue<String> replies = new LinkedBlockingQueue<>();
    private final Thread pump;

    private Peer(Process process) {
        this.process = process;
        in = process.outputWriter(StandardCharsets.UTF_8);
        pump = Thread.ofPlatform().daemon().name("peer-" + process.pid()).start(this::pump);
    }

    /**
     * Starts a process that joined an environment.
     *
     * @param fixture of the environment's method; found there by its full name
     * @param environment whose coordinates it is told
     * @param descriptors how many files it may open; 0 for the default
     * @return a peer that waits for commands
     */
    static Peer start(MethodFixture fixture, Environment environment, int descriptors) {
        List<String> command = new ArrayList<>();
        if (descriptors > 0) {
            command.addAll(List.of("sh", "-c", "ulimit -n " + descriptors + "; exec \"$@\"", "sh"));
        }
        command.addAll(ChildJvm.command(PeerMain.class, List.of("-Xmx256m"), fixture.fullName()));
        for (Map.Entry<String, String> entry :
                new TreeMap<>(environment.coordinates()).entrySet()) {
            command.add(entry.getKey() + "=" + entry.getValue());
        }
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            Peer peer = new Peer(process);
            peer.reply();
            return peer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void pump() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line; (line = lines.readLine()) != null; ) {
                replies.add(line);
            }
        } catch (IOException e) {
            // It was killed in the middle of a line.
        }
        replies.add(END);
    }

    /**
     * Gives a command and waits until it is done.
     *
     * @param command one line
     * @return what it answered
     */
    public String ask(String command) {
        tell(command);
        return reply();
    }

    /**
     * Gives a command.
     *
     * @param command one line
     */
    public void tell(String command) {
        try {
            in.write(command + "\n");
            in.flush();
        } catch (IOException e) {
            throw new ConformanceFailure("The peer takes no commands: " + e);
        }
    }

    /**
     * Waits for the answer to a command.
     *
     * @return what stands behind {@code ok}; anything else fails the case
     */
    public String reply() {
        try {
            String line = replies.poll(REPLY_SECONDS, TimeUnit.SECONDS);
            if (line == null || !line.startsWith("ok")) {
                throw new ConformanceFailure(
                        "The peer process says: " + (line == null ? "nothing" : line));
            }
            return line.substring(2).strip();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConformanceFailure("The case was interrupted.");
        }
    }

    /** Kills it and waits until it has ended. */
    public void kill() {
        process.toHandle().destroyForcibly();
        awaitExit();
    }

    /** Stops all its threads. */
    public void stop() {
        signal(process.pid(), "STOP");
    }

    /** Lets them go on. */
    public void cont() {
        signal(process.pid(), "CONT");
    }

    /**
     * Does what Ctrl-C does, and waits until it has ended. Processes that a shell starts in the
     * background ignore SIGINT, and so do their children: these get SIGTERM.
     */
    public void interrupt() {
        signal(process.pid(), ignoresInterrupts() ? "TERM" : "INT");
        awaitExit();
    }

    private boolean ignoresInterrupts() {
        try (Stream<String> status =
                Files.lines(Path.of("/proc", Long.toString(process.pid()), "status"))) {
            return status.filter(line -> line.startsWith("SigIgn:"))
                    .mapToLong(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16))
                    .anyMatch(ignored -> (ignored & SIGINT_BIT) != 0);
        } catch (IOException e) {
            return false; // no such system: what a terminal would do
        }
    }

    /**
     * Whether it runs, or is stopped.
     *
     * @return false once it has ended
     */
    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Sends a signal to a process.
     *
     * @param processId whose
     * @param signal its name without SIG
     */
    public static void signal(long processId, String signal) {
        try {
            int status =
                    new ProcessBuilder("kill", "-" + signal, Long.toString(processId))
                            .redirectErrorStream(true)
                            .start()
                            .waitFor();
            Expect.equal(status, 0, "the status of kill -" + signal);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitExit() {
        try {
            Expect.that(process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS), "the peer process ends");
            pump.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends it, however it is. */
    @Override
    public void close() {
        if (process.isAlive()) {
            process.toHandle().destroyForcibly();
        }
        awaitExit();
    }
}
