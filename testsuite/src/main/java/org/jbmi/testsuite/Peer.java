package org.jbmi.testsuite;

import org.jbmi.testsuite.process.PeerMain;
import org.jbmi.testsuite.support.ChildJvm;
import org.jbmi.testsuite.support.LineProcess;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A peer in a process of its own. A case sends it commands as lines of text, and may stop,
 * continue, interrupt and kill it. The commands are the cases of {@code PeerActor.perform}. Made by
 * {@link Scene#peer}, ended with the scene.
 */
public final class Peer implements AutoCloseable {
    private static final long REPLY_SECONDS = 25;
    private static final long SIGINT_BIT = 1L << 1;

    private final LineProcess process;

    private Peer(LineProcess process) {
        this.process = process;
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
            command.addAll(
                    List.of("sh", "-c", "ulimit -n " + descriptors + " && exec \"$@\"", "sh"));
        }
        command.addAll(ChildJvm.command(PeerMain.class, List.of("-Xmx256m"), fixture.fullName()));
        for (Map.Entry<String, String> entry :
                new TreeMap<>(environment.coordinates()).entrySet()) {
            command.add(entry.getKey() + "=" + entry.getValue());
        }
        Peer peer = new Peer(started(command));
        try {
            peer.reply();
        } catch (RuntimeException | Error e) {
            try {
                peer.close();
            } catch (RuntimeException | Error afterwards) {
                e.addSuppressed(afterwards);
            }
            throw e;
        }
        return peer;
    }

    private static LineProcess started(List<String> command) {
        try {
            return LineProcess.start(command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
            process.tell(command);
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
            String line = process.next(REPLY_SECONDS);
            if (line == null) {
                throw new ConformanceFailure(
                        process.hasEnded()
                                ? "The peer process has ended."
                                : "The peer process says nothing for " + REPLY_SECONDS + " s.");
            }
            if (!line.startsWith("ok")) {
                throw new ConformanceFailure("The peer process says: " + line);
            }
            return line.substring(2).strip();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConformanceFailure("The case was interrupted.");
        }
    }

    /** Kills it and waits until it has ended. */
    public void kill() {
        process.kill();
        awaitExit();
    }

    /** Stops all its threads. */
    public void stop() {
        signal(processId(), "STOP");
    }

    /** Lets them go on. */
    public void cont() {
        signal(processId(), "CONT");
    }

    /**
     * Does what Ctrl-C does, and waits until it has ended. Processes that a shell starts in the
     * background ignore SIGINT, and so do their children: these get SIGTERM.
     */
    public void interrupt() {
        signal(processId(), ignoresInterrupts() ? "TERM" : "INT");
        awaitExit();
    }

    private boolean ignoresInterrupts() {
        try (Stream<String> status =
                Files.lines(Path.of("/proc", Long.toString(processId()), "status"))) {
            return status.filter(line -> line.startsWith("SigIgn:"))
                    .mapToLong(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16))
                    .anyMatch(ignored -> (ignored & SIGINT_BIT) != 0);
        } catch (IOException e) {
            return false; // no such system: what a terminal would do
        }
    }

    /** {@return whether it runs, or is stopped; false once it has ended} */
    public boolean isAlive() {
        return process.process().isAlive();
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

    private long processId() {
        return process.process().pid();
    }

    private void awaitExit() {
        Expect.that(process.awaitExit(), "the peer process ends");
    }

    /** Ends it, however it is. */
    @Override
    public void close() {
        process.close();
        Expect.that(!isAlive(), "the peer process ends");
    }
}
