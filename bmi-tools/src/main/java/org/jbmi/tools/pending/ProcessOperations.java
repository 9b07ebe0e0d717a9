package org.jbmi.tools.pending;

import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.jbmi.PendingOperation;
import org.jbmi.tools.cli.PrivateDirectory;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.text.ProcessState;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Asks another process for its pending operations: the JDK's {@code jcmd} makes it record one look
 * at them with the flight recorder. That works with every program that uses the library, prepared
 * or not, whatever its threads do.
 */
public final class ProcessOperations {
    private static final String EVENT = "org.jbmi.Pending";

    /** The attach of a virtual machine gives up after ten seconds. */
    private static final long PATIENCE_SECONDS = 30;

    /** A recording ends then by itself, if this program is killed before it has ended it. */
    private static final String LONGEST = "duration=" + 2 * PATIENCE_SECONDS + "s";

    /** Otherwise such an end leaves a file in the process's folder. */
    private static final String NOWHERE = "filename=/dev/null";

    private final long pid;

    /**
     * What a process has.
     *
     * @param found the oldest operations of each of its instances, the oldest first
     * @param total how many there are in all
     */
    public record Answer(List<Found> found, long total) {}

    /**
     * An operation and whose it is.
     *
     * @param instance the same number for all operations of one instance
     * @param operation what the process tells of it
     */
    public record Found(int instance, PendingOperation operation) {}

    /** Names a process. */
    public ProcessOperations(long pid) {
        this.pid = pid;
    }

    /**
     * Asks it. Takes about a second.
     *
     * @return its answer, bounded
     * @throws ToolException if it cannot be asked; the message says why
     */
    public Answer ask() throws ToolException {
        ProcessState state = ProcessState.of(pid);
        if (state != ProcessState.ALIVE) {
            throw new ToolException("Process " + pid + " " + state.words() + ".");
        }
        try (PrivateDirectory directory =
                PrivateDirectory.create(PrivateDirectory.temporary(), PrivateDirectory.TEMPORARY)) {
            directory.removeAtExit();
            Path recording = directory.path().resolve("pending.jfr");
            String name = "name=bmi-ops-" + ProcessHandle.current().pid();
            jcmd(
                    directory,
                    "JFR.start",
                    name,
                    "settings=none",
                    LONGEST,
                    NOWHERE,
                    "+" + EVENT + "#enabled=true",
                    "+" + EVENT + "#period=endChunk");
            String said = jcmd(directory, "JFR.stop", name, "filename=" + recording);
            if (!Files.exists(recording)) {
                jcmd(directory, "JFR.stop", name); // without the file, which it has refused
                throw new ToolException("Process " + pid + " has written no recording: " + said);
            }
            return read(recording);
        } catch (IOException e) {
            throw new ToolException("Process " + pid + " cannot be asked: " + e.getMessage(), e);
        }
    }

    private String jcmd(PrivateDirectory directory, String... words)
            throws IOException, ToolException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        if (!Files.isExecutable(jcmd)) {
            throw new ToolException("There is no " + jcmd + ": run the command with a JDK.");
        }
        List<String> command = new ArrayList<>(List.of(jcmd.toString(), Long.toString(pid)));
        command.addAll(List.of(words));
        Path output = directory.path().resolve("output");
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        int status;
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new ToolException(
                        "Process "
                                + pid
                                + " does not answer jcmd within "
                                + PATIENCE_SECONDS
                                + " s: try again when the machine is less busy.");
            }
            status = process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("The command was interrupted.", e);
        } finally {
            process.destroyForcibly();
        }
        String said = Files.readString(output, StandardCharsets.UTF_8);
        if (status != 0) {
            // Its words hold the command line of that program, with zero bytes.
            String why =
                    said.contains("AttachNotSupportedException")
                            ? "it is no Java program, or one that does not let itself be asked"
                            : "jcmd says: " + firstSentence(said);
            throw new ToolException("Process " + pid + " cannot be asked: " + why);
        }
        return firstSentence(said);
    }

    /** Without the line that repeats the process, and without stack traces. */
    private String firstSentence(String said) {
        return said.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.equals(pid + ":"))
                .findFirst()
                .orElse("nothing");
    }

    private Answer read(Path recording) throws IOException, ToolException {
        List<RecordedEvent> events = new ArrayList<>();
        boolean isKnown;
        try (RecordingFile file = new RecordingFile(recording)) {
            isKnown = file.readEventTypes().stream().anyMatch(t -> t.getName().equals(EVENT));
            while (file.hasMoreEvents()) {
                RecordedEvent event = file.readEvent();
                if (event.getEventType().getName().equals(EVENT)) {
                    events.add(event);
                }
            }
        }
        if (!isKnown) {
            throw new ToolException(
                    String.format(
                            Locale.ROOT,
                            "Process %d has opened no instance of this library that tells its"
                                    + " operations.",
                            pid));
        }
        return lastLooks(events);
    }

    /** Another recording of the process may look too: of each instance its last look counts. */
    private static Answer lastLooks(List<RecordedEvent> events) {
        List<Found> found = new ArrayList<>();
        long total = 0;
        List<Integer> instances =
                events.stream().map(event -> event.getInt("instance")).distinct().toList();
        for (int instance : instances) {
            List<RecordedEvent> own =
                    events.stream().filter(e -> e.getInt("instance") == instance).toList();
            long last = own.stream().mapToLong(e -> e.getLong("look")).max().orElseThrow();
            List<RecordedEvent> look = own.stream().filter(e -> e.getLong("look") == last).toList();
            total += look.getFirst().getInt("total");
            look.forEach(event -> found.add(new Found(instance, operationOf(event))));
        }
        found.sort(Comparator.comparingLong((Found each) -> each.operation().ageNs()).reversed());
        return new Answer(List.copyOf(found), total);
    }

    private static PendingOperation operationOf(RecordedEvent event) {
        return new PendingOperation(
                event.getLong("operation"),
                event.getString("method"),
                event.getString("peer"),
                event.getString("kind"),
                event.getInt("tag"),
                event.getLong("sizeBytes"),
                event.getBoolean("over"),
                event.getDuration("age").toNanos());
    }
}
