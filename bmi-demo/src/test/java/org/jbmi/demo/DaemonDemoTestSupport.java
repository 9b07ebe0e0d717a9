package org.jbmi.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.ZbmiMain;
import org.jbmi.tools.cli.ChildJvm;
import org.jbmi.tools.cli.Trees;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Runs demos through zoid, with shared memory in a directory of their own. */
abstract class DaemonDemoTestSupport extends DemoTestSupport {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    /** Where segments lie; empty after each. */
    Path segments;

    @BeforeEach
    final void makeSegmentDirectory() throws IOException {
        Assumptions.assumeTrue(Files.isDirectory(SHARED_MEMORY), "this system has no /dev/shm");
        // .ci/run finds the process in the name, and leaves out what belongs to a living one.
        String prefix = "zbmi-" + ProcessHandle.current().pid() + "-demo-test-";
        segments = Files.createTempDirectory(SHARED_MEMORY, prefix);
    }

    @AfterEach
    final void noSegmentIsLeftBehind() throws IOException {
        List<Path> left = contents(segments);
        Trees.delete(segments);
        assertThat(left).isEmpty();
    }

    @Override
    List<String> jvmOptions() {
        return List.of("-Djbmi.zbmi.segmentDirectory=" + segments, "-Djbmi.zbmi.totalBytes=128m");
    }

    /** Replays a journal, which must give what it gave before. */
    static void replays(Path journal) throws Exception {
        ProgramRun replay = zbmi("replay", journal.toString());
        assertThat(replay.awaitEnd()).as(replay.transcript()).isZero();
        assertThat(replay.err()).isEmpty();
        assertThat(replay.out())
                .hasSize(1)
                .first()
                .asString()
                .matches("\\d+ events replayed, \\d+ actions compared: no difference\\.");
    }

    /** The lines of the journal of a host that has ended; as JSON it has as many. */
    static List<String> traceOf(Path journal) throws Exception {
        ProgramRun trace = zbmi("journal", journal.toString());
        assertThat(trace.awaitEnd()).as(trace.transcript()).isZero();
        assertThat(trace.err()).isEmpty();
        assertThat(trace.out().getLast()).endsWith("host  END");
        ProgramRun json = zbmi("journal", "--json", "--follow", journal.toString());
        assertThat(json.awaitEnd()).as(json.transcript()).isZero();
        assertThat(json.out()).hasSameSizeAs(trace.out());
        assertThat(json.out().getLast()).startsWith("{\"time\":\"").contains("\"what\":\"END\"");
        return trace.out();
    }

    private static ProgramRun zbmi(String... arguments) throws IOException {
        return ProgramRun.start(ZbmiMain.class, ChildJvm.CHRONICLE_OPTIONS, arguments);
    }
}
