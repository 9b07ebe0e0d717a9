package org.jbmi.tools.zoid;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.ChildJvm;
import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.ZoidMain;
import org.jbmi.tools.cli.CommandRun;
import org.jbmi.tools.cli.Program;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A server, a job at it, and its counters, as processes. */
@Timeout(300)
class ZoidServerTest {
    private static final String DIRECTORY = "jbmi.zoid.runtimeDirectory";

    private static final String SCRIPT =
            """
            #!/bin/sh
            env > "$(dirname "$0")/script-$1"
            """;

    @TempDir Path folder;

    private final List<ProgramRun> runs = new ArrayList<>();

    private List<String> options() {
        return List.of("-D" + DIRECTORY + "=" + folder.resolve("z"));
    }

    private ProgramRun zoid(String... args) throws IOException {
        ProgramRun run = ProgramRun.start(ZoidMain.class, options(), args);
        runs.add(run);
        return run;
    }

    /** Runs a command that ends by itself. This process runs it, because a new JVM takes longer. */
    private CommandRun look(String... args) {
        return CommandRun.withProperty(
                DIRECTORY, folder.resolve("z").toString(), new ZoidMain(), args);
    }

    /** Runs a command whose output nobody reads any more, as behind {@code head}. */
    private int lookWithoutReader(String... args) throws IOException {
        Writer closed = Writer.nullWriter();
        closed.close();
        System.setProperty(DIRECTORY, folder.resolve("z").toString());
        try {
            return Program.of(new ZoidMain()).setOut(new PrintWriter(closed)).execute(args);
        } finally {
            System.clearProperty(DIRECTORY);
        }
    }

    /** In order, the server last: one that is killed leaves its segment to the next one. */
    @AfterEach
    void nothingIsLeft() throws InterruptedException {
        for (ProgramRun run : runs.reversed()) {
            run.process().destroy();
            run.process().waitFor(20, TimeUnit.SECONDS);
            run.close();
        }
    }

    private ProgramRun serve(String... more) throws Exception {
        List<String> args =
                new ArrayList<>(
                        List.of("serve", "-m", "unix_impl.so:unix_preload.so:barrier:nope:test"));
        args.addAll(List.of(more));
        ProgramRun server = zoid(args.toArray(String[]::new));
        assertThat(server.awaitLine(line -> line.startsWith("ready"))).isEqualTo("ready zoid://");
        assertThat(server.awaitLine(line -> line.startsWith("plug-ins")))
                .isEqualTo("plug-ins: unix, barrier, test");
        return server;
    }

    private ProgramRun job() throws IOException {
        List<String> args = new ArrayList<>();
        args.addAll(List.of("run", "-n", "3", "--mode", "VN", "-x", "COLOUR=a:b", "--"));
        args.addAll(ChildJvm.command(JobRank.class, options(), "an argument"));
        return zoid(args.toArray(String[]::new));
    }

    @Test
    void aJobRunsWithItsScript() throws Exception {
        Path script = folder.resolve("script");
        Files.writeString(script, SCRIPT);
        assertThat(script.toFile().setExecutable(true)).isTrue();
        ProgramRun server = serve("-u", script.toString());
        ProgramRun job = job();
        assertThat(job.awaitEnd()).as(job::transcript).isZero();
        assertThat(job.out())
                .containsExactlyInAnyOrder(
                        "rank 0 of 3",
                        "rank 1 of 3",
                        "rank 2 of 3",
                        "plug-in for 0",
                        "plug-in for 1",
                        "plug-in for 2");
        assertThat(job.err()).contains("error for 0", "error for 1", "error for 2");
        Map<String, String> before = variables("script-1");
        assertThat(variables("script-0")).isEqualTo(before);
        assertThat(before)
                .containsEntry("ZOID_JOB_EXEC", System.getProperty("java.home") + "/bin/java")
                .containsEntry("ZOID_JOB_ENV", "COLOUR=a\\:b")
                .containsEntry("ZOID_JOB_GLOBAL_SIZE", "3")
                .containsEntry("ZOID_JOB_LOCAL_SIZE", "3")
                .containsEntry("ZOID_JOB_MODE", "1")
                .containsEntry(
                        "USER",
                        System.getenv().getOrDefault("USER", System.getProperty("user.name")))
                .containsKeys("ZOID_JOB_ARGS", "ZOID_JOB_ID", "SHELL", "PATH", "HOME")
                .hasSize(11);
        assertThat(before.get("ZOID_JOB_ARGS"))
                .endsWith(":" + JobRank.class.getName() + ":an argument");

        assertThat(lookWithoutReader("stat", "1")).as("ends by itself").isZero();
        CommandRun stat = look("stat");
        assertThat(stat.status()).as(stat::transcript).isZero();
        assertThat(stat.outLines().getFirst()).matches("Timestamp: {22}[0-9]+\\.[0-9]{6}");
        assertThat(stat.outLines()).hasSize(1 + 4 + 4 + 4 + 2 + 4 + 3 * 4);
        assertThat(value(stat, "Plugin 4 messages received")).isEqualTo(6);
        assertThat(value(stat, "Plugin 6 messages sent")).isEqualTo(6);
        assertThat(value(stat, "Stream messages sent")).isEqualTo(6);
        assertThat(value(stat, "Total messages sent")).isEqualTo(sum(stat, " messages sent"));
        assertThat(value(stat, "Total bytes received")).isEqualTo(sum(stat, " bytes received"));
        CommandRun page = look("stat", "--prometheus");
        assertThat(page.status()).isZero();
        assertThat(page.outLines()).contains("zoid_messages_received_total{kind=\"Plugin 4\"} 6");

        server.process().destroy();
        assertThat(server.awaitEnd()).as(server::transcript).isZero();
        assertThat(server.err())
                .anyMatch(line -> line.startsWith("zoid serve: There is no plug-in 'nope': its"));
    }

    private Map<String, String> variables(String file) throws IOException {
        return Files.readAllLines(folder.resolve(file)).stream()
                .map(line -> line.split("=", 2))
                .filter(pair -> !List.of("PWD", "OLDPWD", "SHLVL", "_").contains(pair[0]))
                .collect(
                        Collectors.toMap(
                                pair -> pair[0], pair -> pair[1], (a, b) -> a, TreeMap::new));
    }

    private static long value(CommandRun stat, String label) {
        return stat.outLines().stream()
                .filter(line -> line.startsWith(label + ":"))
                .mapToLong(line -> Long.parseUnsignedLong(line.substring(32)))
                .findFirst()
                .orElseThrow();
    }

    private static long sum(CommandRun stat, String label) {
        return stat.outLines().stream()
                .filter(line -> line.contains(label + ":") && !line.startsWith("Total"))
                .mapToLong(line -> Long.parseUnsignedLong(line.substring(32)))
                .sum();
    }

    @Test
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "20 processes")
    void jobsEndWithTheStatusOfTheRankThatFailsAndFilesReachTheirNodes() throws Exception {
        serve();
        ProgramRun killed = shell("[ $ZOID_RANK = 2 ] && kill -9 $$; exec sleep 60");
        assertThat(killed.awaitEnd()).as(killed::transcript).isEqualTo(137);
        assertThat(killed.err()).contains("zoid run: rank 2 was killed by signal 9; the job ends.");
        ProgramRun failed = shell("[ $ZOID_RANK = 2 ] && exit 7; exec sleep 60");
        assertThat(failed.awaitEnd()).as(failed::transcript).isEqualTo(7);
        assertThat(failed.err()).contains("zoid run: rank 2 ended with status 7; the job ends.");
        Path input = Files.writeString(folder.resolve("input"), "staged");
        ProgramRun receiving =
                zoid(
                        "run",
                        "-n",
                        "1",
                        "--receive",
                        folder.toString(),
                        "--",
                        "/bin/sh",
                        "-c",
                        "echo here; exec sleep 60");
        receiving.awaitLine(line -> line.equals("here"));
        ProgramRun copy = zoid("f2cn", input.toString(), "/node/large");
        assertThat(copy.awaitEnd()).as(copy::transcript).isZero();
        assertThat(copy.out()).containsExactly("receivers: 1, bytes: 6");
        assertThat(folder.resolve("node/large")).hasContent("staged");
        receiving.process().destroy();
        assertThat(receiving.awaitEnd()).isEqualTo(143);
        ProgramRun nobody = zoid("f2cn", input.toString(), "/node/large");
        assertThat(nobody.awaitEnd()).isOne();
        assertThat(nobody.err()).containsExactly("zoid f2cn: Nobody receives broadcasts.");
        ProgramRun ended = shell("echo rank $ZOID_RANK of $ZOID_SIZE; exec sleep 60");
        ended.awaitLine(line -> line.equals("rank 0 of 3"));
        ended.process().destroy();
        assertThat(ended.awaitEnd()).as(ended::transcript).isEqualTo(143);
        assertThat(shell("exit 0").awaitEnd()).isZero();
    }

    private static List<String> java() {
        return List.of(
                ChildJvm.java(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED");
    }

    /** The seed of the user's script stages the program of the job; the ranks run it. */
    @Test
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "other tests run scripts, broadcasts and killed ranks")
    void aScriptStagesTheProgramOfItsJobAndARankIsKilled() throws Exception {
        Path program =
                Files.writeString(
                        folder.resolve("program"),
                        """
                        #!/bin/sh
                        echo "rank $ZOID_RANK job $ZOID_JOB pid $$"
                        echo "trouble of $ZOID_RANK" >&2
                        exec sleep 600
                        """);
        Path node = folder.resolve("node");
        Path script = folder.resolve("script");
        Files.writeString(
                script,
                """
                #!/bin/sh
                cd '%s'
                env > script-$1
                if [ "$1" -eq "1" ]; then
                    %s %s -cp '%s' %s f2cn %s /tmp/large_binary > copied 2>&1
                fi
                exit 0
                """
                        .formatted(
                                folder,
                                String.join(" ", java()),
                                options().getFirst(),
                                System.getProperty("java.class.path"),
                                ZoidMain.class.getName(),
                                program));
        assertThat(script.toFile().setExecutable(true)).isTrue();
        serve("-u", script.toString());
        Path staged = node.resolve("tmp/large_binary");
        ProgramRun job =
                zoid(
                        "run",
                        "-n",
                        "3",
                        "--receive",
                        node.toString(),
                        "-x",
                        "COLOUR=red",
                        "--",
                        "/bin/sh",
                        "-c",
                        "exec /bin/sh " + staged); // what is there was written before the job began
        Map<Integer, String> lines = new TreeMap<>();
        for (int rank = 0; rank < 3; rank++) {
            String start = "rank " + rank + " ";
            lines.put(rank, job.awaitLine(line -> line.startsWith(start)));
            String trouble = "trouble of " + rank;
            job.awaitLine(trouble::equals);
        }
        assertThat(Files.readString(folder.resolve("copied")))
                .isEqualTo("receivers: 1, bytes: " + Files.size(program) + "\n");
        assertThat(staged).hasSameTextualContentAs(program);
        String[] words = lines.get(1).split(" ");
        assertThat(ProcessHandle.of(Long.parseLong(words[5])).orElseThrow().destroyForcibly())
                .isTrue();
        assertThat(job.awaitEnd()).as(job::transcript).isEqualTo(137);
        assertThat(job.err()).contains("zoid run: rank 1 was killed by signal 9; the job ends.");
        Map<String, String> before = variables("script-1");
        assertThat(before)
                .containsOnlyKeys(
                        "ZOID_JOB_EXEC",
                        "ZOID_JOB_ARGS",
                        "ZOID_JOB_ENV",
                        "ZOID_JOB_ID",
                        "ZOID_JOB_GLOBAL_SIZE",
                        "ZOID_JOB_LOCAL_SIZE",
                        "ZOID_JOB_MODE",
                        "SHELL",
                        "PATH",
                        "USER",
                        "HOME")
                .containsEntry("ZOID_JOB_EXEC", "/bin/sh")
                .containsEntry("ZOID_JOB_ARGS", "-c:exec /bin/sh " + staged)
                .containsEntry("ZOID_JOB_ENV", "COLOUR=red")
                .containsEntry("ZOID_JOB_ID", words[3])
                .containsEntry("ZOID_JOB_GLOBAL_SIZE", "3")
                .containsEntry("ZOID_JOB_LOCAL_SIZE", "3")
                .containsEntry("ZOID_JOB_MODE", "0");
        assertThat(variables("script-0")).isEqualTo(before);
    }

    @Test
    void standardInputGoesToRankZeroAndCtrlCEndsAll() throws Exception {
        serve();
        ProgramRun reading = shell("read line; echo \"$ZOID_RANK:$line\"; read line; echo end");
        reading.process().outputWriter().write("to all\n");
        reading.process().outputWriter().close();
        assertThat(reading.awaitEnd()).as(reading::transcript).isZero();
        assertThat(reading.out())
                .containsExactlyInAnyOrder("0:to all", "1:", "2:", "end", "end", "end");

        ProgramRun counting = zoid("stat", "1");
        counting.awaitLine(
                line ->
                        counting.out().stream().filter(each -> each.startsWith("Time")).count()
                                > 1);
        counting.process().toHandle().destroy();
        assertThat(counting.awaitEnd()).isEqualTo(143);
        List<String> times =
                counting.out().stream().filter(each -> each.startsWith("Time")).distinct().toList();
        assertThat(times).hasSizeGreaterThan(1).isSorted();

        ProgramRun running = shell("echo $$; exec sleep 600");
        running.awaitLine(line -> running.out().size() == 3);
        List<ProcessHandle> ranks =
                running.out().stream()
                        .flatMap(line -> ProcessHandle.of(Long.parseLong(line)).stream())
                        .toList();
        assertThat(ranks).hasSize(3);
        interrupt(running);
        assertThat(running.awaitEnd()).as(running::transcript).isEqualTo(130);
        for (ProcessHandle rank : ranks) {
            rank.onExit().get(60, TimeUnit.SECONDS);
        }
        ProgramRun none = zoid("run", "-n", "2", "--", "/no/such/program");
        assertThat(none.awaitEnd()).isOne();
        assertThat(none.err().getLast())
                .startsWith("zoid run: The program cannot be started: ")
                .contains("/no/such/program");
    }

    /** As the terminal does it, to the launcher alone. */
    private static void interrupt(ProgramRun run) throws Exception {
        String pid = Long.toString(run.process().pid());
        assertThat(new ProcessBuilder("kill", "-INT", pid).start().waitFor()).isZero();
    }

    // Who starts the tests in the background may have Ctrl-C ignored, and children inherit that.
    private ProgramRun shell(String script) throws IOException {
        String[] args = {"run", "-n", "3", "--", "/bin/sh", "-c", script};
        List<String> wrapper = List.of("env", "--default-signal=INT");
        ProgramRun run = ProgramRun.start(wrapper, ZoidMain.class, options(), args);
        runs.add(run);
        return run;
    }

    @Test
    void whatIsWrongIsSaidInASentence() throws Exception {
        Path file = folder.resolve("config");
        Files.writeString(file, "# comment\nZOID_BUFFER_SIZE=\"4096\"\nZOID_COLOUR=red\n");
        CommandRun unknown = look("serve", "-f", file.toString());
        assertThat(unknown.status()).isOne();
        assertThat(unknown.errLines())
                .containsExactly("zoid serve: " + file + ":3: there is no variable ZOID_COLOUR.");
        CommandRun open = look("serve", "tcp://127.0.0.1:0");
        assertThat(open.status()).isEqualTo(2);
        assertThat(open.errLines().getFirst()).contains("--set unix.root=DIR");
        CommandRun setting = look("serve", "--set", "unix.rot=/data");
        assertThat(setting.status()).isEqualTo(2);
        assertThat(setting.errLines())
                .startsWith(
                        "zoid serve: No plug-in has a setting 'unix.rot'. There are:"
                                + " mapping.sizes, unix.root, zoidfs.server.");
        CommandRun none = look("serve", "-m", "nope");
        assertThat(none.status()).as(none.transcript()).isEqualTo(2);
        assertThat(none.errLines().getFirst())
                .startsWith("zoid serve: There is no plug-in 'nope'. There are: ")
                .contains("unix");
        assertThat(none.errLines().get(1)).startsWith("Usage: zoid serve");
        CommandRun both = look("serve", "-m", "nope:zoidfs", "tcp://127.0.0.1:0");
        assertThat(both.status()).as(both::transcript).isOne();
        assertThat(both.errLines()).hasSize(2);
        assertThat(both.errLines().getFirst())
                .startsWith("zoid serve: There is no plug-in 'nope': its calls fail with ENOSYS.");
        assertThat(both.errLines().getLast()).contains("--set zoidfs.server=ADDRESS");
        CommandRun nobody = look("stat", "--knob", "zoid.attachTimeoutMs=100");
        assertThat(nobody.status()).as(nobody::transcript).isOne();
        assertThat(nobody.errLines())
                .singleElement()
                .asString()
                .contains("start the server with \"bin/zoid serve\", or set ")
                .doesNotContain("zbmi serve");
    }

    /** It may come later, so the command line is not wrong. */
    @Test
    void aZoidfsServerThatIsNotThereIsSaidSo() {
        String timeout = "jbmi.zoid.attachTimeoutMs";
        System.setProperty(timeout, "100");
        try {
            String setting = "zoidfs.server=zoid://";
            CommandRun early = look("serve", "-m", "zoidfs", "--set", setting, "tcp://127.0.0.1:0");
            assertThat(early.status()).as(early::transcript).isOne();
            assertThat(early.errLines())
                    .singleElement()
                    .asString()
                    .startsWith("zoid serve: The zoidfs server zoid:// cannot be reached: ");
        } finally {
            System.clearProperty(timeout);
        }
    }
}
