package org.jbmi.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.ProgramRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** {@code DaemonDemoTest} replays a short journal, of a run in which nobody is killed. */
    @ParameterizedTest
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "24 processes")
    @ValueSource(strings = {"daemon", "embedded", "socket"})
    void theOthersFinishWhenAClientIsKilledAndTheJournalReplays(String through) throws Exception {
        Path folder = sources.resolve("journal");
        ProgramRun run =
                demoOfLargeFile(
                        LARGE_BYTES,
                        "--through",
                        through,
                        "--clients=3",
                        "--json",
                        "--journal",
                        folder.toString());
        kill(run.awaitLine(line -> line.matches("client 2 \\(pid \\d+\\): writing, .*")));
        assertThat(run.awaitEnd()).as(run.transcript()).isEqualTo(1);
        assertThat(lastLine(run)).matches(json(false, 3, LARGE_BYTES));
        assertThat(run.err().getLast())
                .matches(
                        "bmi demo: client 2 \\(pid \\d+\\) was ended by signal 9 while it"
                                + " (wrote|read back); 2 of 3 clients got back what they wrote\\.");
        assertThat(run.err()).filteredOn(line -> line.matches(" +[13] .* equal")).hasSize(2);

        replays(folder);
        if (through.equals("daemon")) {
            assertThat(traceOf(folder)).anyMatch(line -> line.contains("CLIENT_PROVED_DEAD"));
        }
    }

    @ParameterizedTest
    @EnabledIfSystemProperty(named = "jbmi.long", matches = "true", disabledReason = "20 processes")
    @CsvSource({
        "embedded,server",
        "daemon,daemon",
        "daemon,server",
        "socket,daemon",
        "socket,server"
    })
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

    // In the same directories, where the one before has left whatever it could not remove.
    private void worksRightAfter(String through) throws Exception {
        String small = file(100_000).toString();
        ProgramRun run = demo(small, "--through", through, "--clients=2", "--json");
        assertThat(run.awaitEnd()).as(run.transcript()).isZero();
        assertThat(lastLine(run)).matches(json(true, 2, 100_000));
    }

    @Test
    @EnabledIfSystemProperty(
            named = "jbmi.long",
            matches = "true",
            disabledReason = "LoopbackDemoTest ends the same way")
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
