package org.jbmi.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.ProgramRun;
import org.jbmi.tools.ZbmiMain;
import org.jbmi.tools.cli.LibraryFlags;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Processes of the demo are ended while they ship a large file. */
@Timeout(240)
class DaemonDemoKillsTest extends DaemonDemoTestSupport {
    private static final Pattern PID = Pattern.compile("\\(pid (\\d+)\\)");
    private static final long NS_PER_SECOND = 1_000_000_000;
    private static final boolean IS_LONG = Boolean.getBoolean("jbmi.long");

    /** What two clients ship to the end, while the third is killed. */
    private static final long SHIPPED_BYTES = IS_LONG ? LARGE_BYTES : 150_000_001;

    @ParameterizedTest
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "14 processes")
    @ValueSource(strings = {"direct", "socket"})
    void theOthersFinishElsewhereToo(String through) throws Exception {
        theOthersFinishWhenAClientIsKilledAndTheJournalReplays(through);
    }

    @ParameterizedTest
    @ValueSource(strings = "daemon")
    void theOthersFinishWhenAClientIsKilledAndTheJournalReplays(String through) throws Exception {
        Path folder = sources.resolve("journal");
        ProgramRun run =
                demoOfLargeFile(
                        SHIPPED_BYTES,
                        "--through",
                        through,
                        "--clients=3",
                        "--json",
                        "--journal",
                        folder.toString());
        kill(run.awaitLine(line -> line.matches("client 2 \\(pid \\d+\\): writing, .*")));
        assertThat(run.awaitEnd()).as(run.transcript()).isEqualTo(1);
        assertThat(lastLine(run)).matches(json(false, 3, SHIPPED_BYTES));
        assertThat(run.err().getLast())
                .matches(
                        "bmi demo: client 2 \\(pid \\d+\\) was ended by signal 9 while it"
                                + " (wrote|read back); 2 of 3 clients got back what they wrote\\.");
        assertThat(run.err()).filteredOn(line -> line.matches(" +[13] .* equal")).hasSize(2);

        ProgramRun replay = zbmi("replay", folder.toString());
        assertThat(replay.awaitEnd()).as(replay.transcript()).isZero();
        assertThat(replay.err()).isEmpty();
        assertThat(replay.out())
                .hasSize(1)
                .first()
                .asString()
                .matches("\\d+ events replayed, \\d+ actions compared: no difference\\.");

        if (through.equals("daemon")) {
            checkTraceOf(folder);
        }
    }

    private static void checkTraceOf(Path folder) throws Exception {
        ProgramRun trace = zbmi("journal", folder.toString());
        assertThat(trace.awaitEnd()).as(trace.transcript()).isZero();
        assertThat(trace.err()).isEmpty();
        assertThat(trace.out()).anyMatch(line -> line.contains("CLIENT_PROVED_DEAD"));
        assertThat(trace.out().getLast()).endsWith("host  END");
        ProgramRun json = zbmi("journal", "--json", "--follow", folder.toString());
        assertThat(json.awaitEnd()).as(json.transcript()).isZero();
        assertThat(json.out()).hasSameSizeAs(trace.out());
        assertThat(json.out().getLast()).startsWith("{\"time\":\"").contains("\"what\":\"END\"");
    }

    private static ProgramRun zbmi(String... arguments) throws IOException {
        return ProgramRun.start(ZbmiMain.class, LibraryFlags.CHRONICLE, arguments);
    }

    @ParameterizedTest
    @CsvSource("direct,server")
    void theDemoEndsWhenAServiceIsKilled(String through, String service) throws Exception {
        ProgramRun run = demoOfLargeFile("--through", through, "--clients=2", "--json");
        String ready = run.awaitLine(line -> line.startsWith(service + " (pid "));
        run.awaitLine(line -> line.matches("client \\d \\(pid \\d+\\): writing, .*"));
        kill(ready);
        assertThat(run.awaitEnd()).as(run.transcript()).isEqualTo(1);
        assertThat(run.err().getLast())
                .matches(
                        "bmi demo: The "
                                + service
                                + " \\(pid \\d+\\) was ended by signal 9 while the clients were"
                                + " at work\\.");
        assertThat(lastLine(run)).matches(json(false, 2, LARGE_BYTES));
        worksRightAfter(through);
    }

    @ParameterizedTest
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "14 processes")
    @CsvSource({"daemon,daemon", "daemon,server", "socket,daemon", "socket,server"})
    void theDemoEndsWhenTheOtherServiceIsKilled(String through, String service) throws Exception {
        theDemoEndsWhenAServiceIsKilled(through, service);
    }

    // In the same directories, where the one before has left whatever it could not remove.
    private void worksRightAfter(String through) throws Exception {
        if (IS_LONG || through.equals("direct")) {
            String small = file(100_000).toString();
            ProgramRun run = demo(small, "--through", through, "--clients=2", "--json");
            assertThat(run.awaitEnd()).as(run.transcript()).isZero();
            assertThat(lastLine(run)).matches(json(true, 2, 100_000));
        }
    }

    @Test
    void endsCleanlyOnSigterm() throws Exception {
        ProgramRun run = demoOfLargeFile("--clients=2");
        run.awaitLine(line -> line.matches("client \\d \\(pid \\d+\\): writing, .*"));
        run.process().toHandle().destroy();
        assertThat(run.awaitEnd()).as(run.transcript()).isEqualTo(143);
        assertThat(run.err()).isEmpty();
    }

    @Test
    void theWorkersClearUpWhenTheCoordinatorIsKilled() throws Exception {
        ProgramRun run = demoOfLargeFile("--clients=2");
        run.awaitLine(line -> line.matches("client \\d \\(pid \\d+\\): writing, .*"));
        List<ProcessHandle> workers = run.process().descendants().toList();
        assertThat(workers).hasSize(4);
        run.process().toHandle().destroyForcibly();
        for (ProcessHandle worker : workers) {
            worker.onExit().get(30, TimeUnit.SECONDS);
        }
        long deadlineNs = System.nanoTime() + 10 * NS_PER_SECOND;
        while (!contents(temporary).isEmpty() && System.nanoTime() < deadlineNs) {
            Thread.sleep(5);
        }
    }

    private static void kill(String line) {
        Matcher pid = PID.matcher(line);
        assertThat(pid.find()).as(line).isTrue();
        ProcessHandle.of(Long.parseLong(pid.group(1))).orElseThrow().destroyForcibly();
    }
}
