package org.jbmi.tools.zbmi;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.ZbmiMain;
import org.jbmi.tools.cli.ChildJvm;
import org.jbmi.tools.cli.CommandRun;
import org.jbmi.tools.cli.Trees;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs of the daemon and of the commands that look at it, in a directory of their own. */
abstract class DaemonRuns {
    /**
     * Not below the directory for temporary files of the tests: the path of a socket must be short.
     */
    Path directory;

    final List<ProgramRun> runs = new ArrayList<>();

    @BeforeEach
    void makeDirectory() throws IOException {
        directory = Files.createTempDirectory("zbmi-test-");
    }

    @AfterEach
    void end() throws IOException {
        runs.forEach(ProgramRun::close);
        Trees.delete(directory);
    }

    final ProgramRun zbmi(String... args) throws IOException {
        ProgramRun run = ProgramRun.start(ZbmiMain.class, ChildJvm.CHRONICLE_OPTIONS, args);
        runs.add(run);
        return run;
    }

    final ProgramRun serve(String... knobs) throws Exception {
        List<String> args = new ArrayList<>(List.of("serve", "--runtime-directory"));
        args.add(directory.resolve("run").toString());
        args.add("--knob=zbmi.totalBytes=16m");
        args.add("--knob=zbmi.segmentDirectory=" + segments());
        for (String knob : knobs) {
            args.add("--knob=" + knob);
        }
        ProgramRun daemon = zbmi(args.toArray(String[]::new));
        daemon.awaitLine(line -> line.startsWith("zbmi: daemon "));
        return daemon;
    }

    final Path segments() throws IOException {
        return Files.createDirectories(directory.resolve("segments"));
    }

    /** Sends a signal to a process. */
    static void signal(String name, long pid) throws Exception {
        String[] command = {"kill", "-" + name, Long.toString(pid)};
        assertThat(new ProcessBuilder(command).start().waitFor()).isZero();
    }

    final CommandRun stat(String... more) {
        return look("stat", more);
    }

    /** Repeats stat until it has these lines: a host writes its counters behind the messages. */
    final CommandRun statWith(String... lines) throws InterruptedException {
        long deadlineNs = System.nanoTime() + 20_000_000_000L;
        CommandRun stat = stat();
        while (System.nanoTime() < deadlineNs
                && !stat.out().replaceAll(" +", " ").lines().toList().containsAll(List.of(lines))) {
            Thread.sleep(2);
            stat = stat();
        }
        return stat;
    }

    /** Runs a command that looks and ends. This process runs it, because a new JVM takes longer. */
    final CommandRun look(String command, String... more) {
        return CommandRun.of(new ZbmiMain(), lookLine(command, more));
    }

    /** The command line of a command that looks. */
    final String[] lookLine(String command, String... more) {
        List<String> args = new ArrayList<>(List.of(command, "--runtime-directory"));
        args.add(directory.resolve("run").toString());
        args.addAll(List.of(more));
        return args.toArray(String[]::new);
    }
}
