package org.jbmi.tools.pending;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.json.Json;
import org.jbmi.testsuite.support.ChildJvm;
import org.jbmi.testsuite.support.FreePort;
import org.jbmi.tools.BmiMain;
import org.jbmi.tools.cli.Program;
import org.jbmi.tools.text.ProcessState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The pending operations of a process that calls the library no more. */
@Timeout(120)
class ProcessOperationsTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final List<Process> children = new ArrayList<>();
    private final List<Process> hung = new ArrayList<>();

    @AfterEach
    void endChildren() throws IOException, InterruptedException {
        for (Process child : hung) { // one that is killed leaves what the next loop looks for
            child.getOutputStream().close();
            child.waitFor(60, TimeUnit.SECONDS);
        }
        for (Process child : children) {
            child.destroyForcibly().waitFor();
        }
        for (Process child : hung) {
            assertLeavesNothing(child.pid());
        }
    }

    /** A virtual machine that was asked has a socket for it, and a folder for its records. */
    private static void assertLeavesNothing(long pid) throws IOException {
        assertThat(Path.of("/tmp", ".java_pid" + pid)).doesNotExist();
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            assertThat(files.filter(file -> file.toString().endsWith("_" + pid))).isEmpty();
        }
        try (Stream<Path> files = Files.list(Path.of("/tmp"))) {
            assertThat(files.filter(file -> file.toString().endsWith("_" + pid))).isEmpty();
        }
    }

    private long start(ProcessBuilder program) throws IOException {
        Process child = program.start();
        children.add(child);
        return child.pid();
    }

    private long startHung(String... addresses) throws IOException {
        Process child = ChildJvm.start(HungProgram.class, List.of(), addresses);
        children.add(child);
        hung.add(child);
        assertThat(child.inputReader().readLine()).isEqualTo("ready");
        return child.pid();
    }

    private int ops(String... words) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        var command = Program.of(new BmiMain());
        command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        List<String> args = new ArrayList<>(List.of("ops"));
        args.addAll(List.of(words));
        return command.execute(args.toArray(String[]::new));
    }

    @Test
    void showsThoseOfTcpAndLoopback() throws IOException {
        String tcp = "tcp://127.0.0.1:" + FreePort.find();
        String pid = Long.toString(startHung(tcp, "loopback://hung"));

        assertThat(ops("--pid", pid)).as(err.toString()).isZero();
        assertThat(out.toString())
                .containsPattern("tcp +" + tcp + " +receive +77 +2\\.9 KiB +\\d+\\.\\d+ +pending")
                .containsPattern("loopback +loopback://hung +receive +79 +2\\.9 KiB")
                .contains("6 operations");

        assertThat(ops("--pid", pid, "--json", "--most", "2")).as(err.toString()).isZero();
        Map<?, ?> answer = (Map<?, ?>) Json.parse(out.toString().strip());
        assertThat(answer.get("total")).isEqualTo(6L);
        List<?> operations = (List<?>) answer.get("operations");
        assertThat(operations).hasSize(2);
        Map<?, ?> oldest = (Map<?, ?>) operations.getFirst();
        assertThat(oldest.get("kind")).isEqualTo("receive");
        assertThat(oldest.get("bytes")).isEqualTo((long) HungProgram.SIZE_BYTES);
        assertThat(oldest.get("over")).isEqualTo(false);
        assertThat((Long) oldest.get("ageNs")).as("the first look is remembered").isPositive();

        assertThat(ops("--pid", pid, "--most", "1")).isZero();
        assertThat(out.toString()).contains("1 of 6 operations");
    }

    /** Words of {@code jcmd} end at a blank, so the process refuses such a file. */
    @Test
    void aRecordingThatCannotBeWrittenIsEnded(@TempDir Path folder)
            throws IOException, InterruptedException {
        String pid = Long.toString(startHung("loopback://hung"));
        String temporary = System.getProperty("java.io.tmpdir");
        System.setProperty(
                "java.io.tmpdir", Files.createDirectory(folder.resolve("a blank")).toString());
        try {
            assertThat(ops("--pid", pid)).isEqualTo(1);
        } finally {
            System.setProperty("java.io.tmpdir", temporary);
        }
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process check = new ProcessBuilder(jcmd.toString(), pid, "JFR.check").start();
        try (var said = check.inputReader()) {
            assertThat(said.readAllAsString()).contains("No available recordings");
        }
        check.waitFor();
    }

    /** A wrong process is told by its kind, and goes on. */
    @Test
    void aWrongProcessIsAnError() throws IOException, InterruptedException {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        assertFails(ended.pid(), "Process " + ended.pid() + " is not there.");

        long stopped = start(new ProcessBuilder("sleep", "100"));
        new ProcessBuilder("kill", "-STOP", Long.toString(stopped)).start().waitFor();
        while (!ProcessState.of(stopped).isStopped()) { // it needs a processor to stop
            Thread.onSpinWait();
        }
        assertFails(stopped, "Process " + stopped + " is stopped.");

        assertThat(children).allMatch(Process::isAlive);
    }

    @Test
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "jcmd waits 5 s for a process that is not Java")
    void aProcessThatIsNotJavaIsAnError() throws IOException {
        long foreign = start(new ProcessBuilder("sleep", "100"));
        assertFails(foreign, "Process " + foreign + " cannot be asked: it is no Java program, ");
        assertThat(err.toString()).doesNotContain("sleep", "\0");
        assertThat(children).allMatch(Process::isAlive);
    }

    private void assertFails(long pid, String sentence) {
        assertThat(ops("--pid", Long.toString(pid))).isEqualTo(1);
        assertThat(err.toString()).startsWith("bmi ops: " + sentence).doesNotContain("\tat ");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void wrongWordsAreWrongUse() {
        assertThat(ops()).isEqualTo(2);
        assertThat(err.toString()).contains("Either ADDRESS or --pid is needed");
        assertThat(ops("--pid", "1", "tcp://127.0.0.1:1")).isEqualTo(2);
        assertThat(err.toString()).contains("Give ADDRESS or --pid, not both.");
        assertThat(ops("--pid", "1", "--counters")).isEqualTo(2);
        assertThat(ops("--pid", "one")).isEqualTo(2);
    }
}
