package org.jbmi.tools.zoid;

import org.jbmi.Bmi;
import org.jbmi.tools.cli.Assignments;
import org.jbmi.tools.cli.ToolCommand;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.tools.cli.ToolVersion;
import org.jbmi.zoid.daemon.JobRun;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The command {@code zoid run}. */
@Command(
        name = "run",
        versionProvider = ToolVersion.class,
        description = {
            "Runs a job on this machine: a process for each rank, as" + " clients of a server.",
            "",
            "The server runs its script and tells its plug-ins before the first process starts. The"
                + " command prints standard output and error of the processes line by line, and"
                + " what plug-ins write for them; standard input goes to rank 0. When a rank fails,"
                + " the command ends the others. The exit status is 0, or that of the rank that"
                + " failed first: 128 and the number of the signal if it was killed. SIGTERM and"
                + " Ctrl-C end all ranks.",
            ""
        })
public final class RunCommand extends ToolCommand implements Callable<Integer> {
    private static final long GRACE_SECONDS = 20;

    /** The most processes that a server accepts. */
    private static final int MOST_RANKS = 4096;

    /** How many processes share a node, as in the original's scripts. */
    enum Mode {
        SMP,
        VN,
        DUAL
    }

    @Mixin private ServerOption server = new ServerOption();
    @Mixin private MethodKnobs knobs = new MethodKnobs();

    @Option(
            names = {"-n", "--ranks"},
            paramLabel = "RANKS",
            required = true,
            description = "How many processes.")
    private int ranks;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "SMP",
            description =
                    "What ZOID_JOB_MODE tells the script: SMP, VN or DUAL. Default:"
                            + " ${DEFAULT-VALUE}.")
    private Mode mode;

    @Option(
            names = {"-x", "--env"},
            paramLabel = "NAME=VALUE",
            description =
                    "A variable for the processes, which plug-ins and the script see, too. May be"
                            + " given several times.")
    private List<String> environment = new ArrayList<>();

    @Option(
            names = "--receive",
            paramLabel = "DIR",
            description =
                    "Receive the files of 'zoid f2cn': their paths begin at this" + " folder.")
    private @Nullable Path receive;

    @Parameters(
            paramLabel = "PROGRAM",
            arity = "1..*",
            description = "The program and its arguments; its options come after '--'.")
    private List<String> command = new ArrayList<>();

    @Override
    protected boolean startsPrograms() {
        return true;
    }

    @Override
    public Integer call() throws ToolException, InterruptedException {
        if (ranks < 1 || ranks > MOST_RANKS) {
            throw wrongUse("RANKS is 1 to " + MOST_RANKS + ", not " + ranks);
        }
        if (receive != null && Files.exists(receive) && !Files.isDirectory(receive)) {
            throw wrongUse("--receive takes a folder, not " + receive);
        }
        Assignments.parse("--env", environment, this::wrongUse); // only to refuse wrong ones here
        JobRun.Wishes wishes =
                new JobRun.Wishes(
                        ranks,
                        switch (mode) {
                            case SMP -> 0;
                            case VN -> 1;
                            case DUAL -> 2;
                        },
                        command,
                        environment,
                        receive);
        PrintStream out = System.out;
        PrintStream err = System.err;
        CountDownLatch over = new CountDownLatch(1);
        try (Bmi bmi = knobs.open(this::wrongUse);
                JobRun run =
                        new JobRun(bmi, server.address(bmi, this::wrongUse), wishes, out, err)) {
            Runtime.getRuntime()
                    .addShutdownHook(Thread.ofPlatform().unstarted(() -> end(run, over)));
            return run.run();
        } catch (IOException e) {
            throw new ToolException("The program cannot be started: " + e.getMessage(), e);
        } catch (IllegalStateException e) {
            throw new ToolException(String.valueOf(e.getMessage()), e);
        } finally {
            over.countDown();
        }
    }

    /** Ends the ranks after a signal; the thread that waits for them tells the server. */
    private static void end(JobRun run, CountDownLatch over) {
        if (over.getCount() == 0) {
            return;
        }
        run.stop();
        try {
            over.await(GRACE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
