package org.jbmi.tools.zbmi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.BmiMain;
import org.jbmi.tools.cli.ChildJvm;
import org.jbmi.tools.cli.CommandRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What the doctor says of real bad states. */
@Timeout(240)
class DoctorTest extends DaemonRuns {
    /** Runs the doctor as a process of its own, whose user or limits another program sets. */
    private ProgramRun doctorBy(List<String> wrapper, String... more) throws Exception {
        ProgramRun run =
                ProgramRun.start(wrapper, BmiMain.class, ChildJvm.CHRONICLE_OPTIONS, line(more));
        runs.add(run);
        return run;
    }

    /** Runs the doctor. This process runs it, because a new JVM takes longer. */
    private CommandRun doctor(String... more) throws Exception {
        return CommandRun.of(new BmiMain(), line(more));
    }

    private String[] line(String... more) throws Exception {
        List<String> args =
                new ArrayList<>(
                        List.of(
                                "doctor",
                                "--runtime-directory",
                                directory.resolve("run").toString(),
                                "--knob",
                                "zbmi.totalBytes=16m",
                                "--knob",
                                "zbmi.segmentDirectory=" + segments()));
        args.addAll(List.of(more));
        return args.toArray(String[]::new);
    }

    private CommandRun healthy(String... more) throws Exception {
        CommandRun run = doctor(more);
        assertThat(run.status()).as(run.transcript()).isZero();
        return run;
    }

    private CommandRun sick(String... more) throws Exception {
        CommandRun run = doctor(more);
        assertThat(run.status()).as(run.transcript()).isEqualTo(1);
        return run;
    }

    private static boolean isWrong(String line, String subject) {
        return line.startsWith("WRONG " + subject + ":");
    }

    private static int wrongLine(CommandRun run, String subject) {
        return IntStream.range(0, run.outLines().size())
                .filter(line -> isWrong(run.outLines().get(line), subject))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void whereNobodyIsNothingIsWrongAndNothingIsMade() throws Exception {
        CommandRun run = healthy();
        assertThat(run.outLines().getLast()).isEqualTo("Nothing is wrong.");
        assertThat(directory.resolve("run")).doesNotExist();
    }

    @Test
    void aDaemonThatRunsIsWellAndOneThatIsStoppedIsNot() throws Exception {
        ProgramRun daemon = serve();
        long pid = daemon.process().pid();
        assertThat(healthy("--json").outLines().getLast())
                .contains("\"wrong\":0", "the daemon hosts the engine (process " + pid + ")");
        signal("STOP", pid);
        try {
            CommandRun run = sick();
            assertThat(run.outLines()).anyMatch(line -> isWrong(line, "host"));
            assertThat(run.transcript()).contains("is stopped", "kill -CONT " + pid);
        } finally {
            signal("CONT", pid);
        }
        healthy();
    }

    @Test
    void whatADeadDaemonLeftIsNamedAndGoesWithTheNext() throws Exception {
        ProgramRun daemon = serve();
        daemon.process().toHandle().destroyForcibly();
        daemon.awaitEnd();
        Path segment = onlySegment();

        CommandRun run = sick();
        assertThat(run.outLines())
                .anyMatch(line -> isWrong(line, "leftovers") && line.contains("daemon.sock"))
                .anyMatch(
                        line ->
                                isWrong(line, "segments")
                                        && line.contains(segment.getFileName().toString()));
        assertThat(segment).as("the doctor changes nothing").exists();
        String advice = run.outLines().get(1 + wrongLine(run, "leftovers"));
        List<String> commands =
                Pattern.compile("'zbmi ([^']+)'")
                        .matcher(advice)
                        .results()
                        .map(each -> each.group(1))
                        .toList();
        assertThat(commands).as(advice).isNotEmpty();
        for (String command : commands) {
            String[] words = command.split(" ");
            CommandRun look = look(words[0], Arrays.copyOfRange(words, 1, words.length));
            assertThat(look.status()).as(look.transcript()).isZero();
        }

        serve();
        healthy();
    }

    private Path onlySegment() throws IOException {
        try (Stream<Path> files = Files.list(segments())) {
            List<Path> all = files.toList();
            assertThat(all).hasSize(1);
            return all.getFirst();
        }
    }

    @Test
    void aDirectoryThatIsOpenToOthersIsWrong() throws Exception {
        Path run = Files.createDirectory(directory.resolve("run"));
        Files.setPosixFilePermissions(run, PosixFilePermissions.fromString("rwxr-xr-x"));
        CommandRun answer = sick();
        assertThat(answer.outLines()).anyMatch(line -> isWrong(line, "runtime directory"));
        assertThat(answer.transcript()).contains("chmod 700");
    }

    /** A user without rights, who may read all the same, so that its program can be loaded. */
    @Test
    void directoriesInWhichThisUserMayMakeNothingAreWrong() throws Exception {
        List<String> asAnother =
                List.of(
                        "setpriv",
                        "--reuid=65534",
                        "--regid=65534",
                        "--clear-groups",
                        "--inh-caps=+dac_read_search",
                        "--ambient-caps=+dac_read_search");
        assumeTrue(canRun(asAnother), "this user cannot become another one");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        ProgramRun missing = doctorBy(asAnother);
        assertThat(missing.awaitEnd()).as(missing.transcript()).isEqualTo(1);
        assertThat(missing.out())
                .anyMatch(
                        line ->
                                isWrong(line, "runtime directory")
                                        && line.endsWith("may not make it in " + directory + "."));

        Path run = Files.createDirectory(directory.resolve("run"));
        Files.setPosixFilePermissions(run, PosixFilePermissions.fromString("r-x------"));
        Files.setAttribute(run, "unix:uid", 65_534);
        ProgramRun closed = doctorBy(asAnother);
        assertThat(closed.awaitEnd()).as(closed.transcript()).isEqualTo(1);
        assertThat(closed.out())
                .anyMatch(
                        line ->
                                isWrong(line, "runtime directory")
                                        && line.contains("may not make files"));
    }

    private static boolean canRun(List<String> wrapper) throws Exception {
        List<String> command = new ArrayList<>(wrapper);
        command.add("true");
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** It is the host whose limit counts, and not that of who looks. */
    @Test
    void aHostWithFewDescriptorsIsWrongWhoeverLooks() throws Exception {
        ProgramRun daemon = serve();
        String pid = Long.toString(daemon.process().pid());
        Process limited = new ProcessBuilder("prlimit", "--pid", pid, "--nofile=150:150").start();
        assertThat(limited.waitFor()).isZero();
        assertThat(sick().outLines())
                .anyMatch(
                        line ->
                                isWrong(line, "descriptors")
                                        && line.contains("The host, process " + pid));
    }

    @Test
    void limitsThatAreTooSmallAreWrong() throws Exception {
        ProgramRun few = doctorBy(List.of("sh", "-c", "ulimit -n 150; exec \"$@\"", "sh"));
        assertThat(few.awaitEnd()).as(few.transcript()).isEqualTo(1);
        assertThat(few.out()).anyMatch(line -> isWrong(line, "descriptors"));

        CommandRun large = sick("--knob", "zbmi.totalBytes=120g");
        assertThat(large.outLines()).anyMatch(line -> isWrong(line, "segment directory"));

        CommandRun channel = sick("--knob", "zbmi.commandChannel=pigeons");
        assertThat(channel.outLines()).anyMatch(line -> isWrong(line, "channel pigeons"));

        CommandRun nowhere = sick("--knob", "zbmi.segmentDirectory=/nowhere");
        assertThat(nowhere.outLines()).anyMatch(line -> isWrong(line, "segment directory"));
    }

    @Test
    void aFolderInWhichNoJournalCanBeginIsWrong() throws Exception {
        Path folder = directory.resolve("journal");
        String knob = "--knob=zbmi.journal=" + folder;
        ProgramRun fresh = doctorBy(List.of(), knob);
        assertThat(fresh.awaitEnd()).as(fresh.transcript()).isZero();
        assertThat(folder).as("the doctor changes nothing").doesNotExist();

        Files.createDirectory(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        ProgramRun open = doctorBy(List.of(), knob);
        assertThat(open.awaitEnd()).as(open.transcript()).isEqualTo(1);
        assertThat(open.out())
                .anyMatch(line -> isWrong(line, "journal") && line.endsWith("must be 0700."));
    }

    @Test
    void knobsThatCannotBeAreWrong() throws Exception {
        CommandRun run = sick("--knob", "zbmi.totalBytes=200g");
        assertThat(run.outLines()).anyMatch(line -> isWrong(line, "knobs"));
        assertThat(run.transcript()).contains("zbmi.totalBytes");
    }
}
