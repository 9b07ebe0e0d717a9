package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.shipper.ShippedCall;
import org.jbmi.zoid.forward.wire.Names;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** What a launcher does that is stopped, or whose server goes. */
@Timeout(90)
class JobRunTest {
    private static final OutputStream CLOSED =
            new OutputStream() {
                @Override
                public void write(int one) throws IOException {
                    throw new IOException("Broken pipe");
                }
            };

    /** Longer than a busy machine keeps a thread waiting. */
    private static final Duration SOME = Duration.ofMillis(500);

    @TempDir Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private JobRun run(DaemonSetup setup, String script) {
        return run(setup, 1, script);
    }

    private JobRun run(DaemonSetup setup, int ranks, String script) {
        return new JobRun(
                setup.clientBmi,
                setup.address(),
                wishes(ranks, script),
                new PrintStream(out, true),
                new PrintStream(err, true));
    }

    private static JobRun.Wishes wishes(int ranks, String script) {
        return new JobRun.Wishes(ranks, 0, List.of("/bin/sh", "-c", script), List.of(), null);
    }

    private static CompletableFuture<Integer> start(JobRun run) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return run.run();
                    } catch (IOException | InterruptedException e) {
                        throw new CompletionException(e);
                    }
                },
                Thread::startVirtualThread);
    }

    private ZoidSettings withScript(String before, String after) throws IOException {
        Path script = folder.resolve("script");
        Files.writeString(
                script,
                "#!/bin/sh\ncd '%s'\nif [ $1 = 1 ]; then %s; else %s; fi\n"
                        .formatted(folder, before, after));
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return ZoidSettings.defaults().withUserScript(script.toString(), Duration.ofMinutes(30));
    }

    /** What each rank writes stays in order, and lines of several ranks do not mix. */
    @Test
    void eachStreamOfEachRankKeepsItsOrder() throws Exception {
        String script =
                "i=0; while [ $i -lt 300 ]; do printf '%s out' $ZOID_RANK; echo \" $i\";"
                        + " echo \"$ZOID_RANK err $i\" >&2; i=$((i+1)); done; printf last";
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                JobRun run = run(setup, 3, script)) {
            assertThat(run.run()).isZero();
        }
        // Ends without an end of line are kept, wherever they come.
        List<String> lines = out.toString().replace("last", "").lines().toList();
        for (int rank = 0; rank < 3; rank++) {
            assertThat(ofRank(rank, lines)).isEqualTo(numbered(rank + " out "));
            assertThat(ofRank(rank, err.toString().lines().toList()))
                    .isEqualTo(numbered(rank + " err "));
        }
        assertThat(out.toString().split("last", -1)).hasSize(4);
    }

    private static List<String> ofRank(int rank, List<String> lines) {
        return lines.stream().filter(line -> line.startsWith(rank + " ")).toList();
    }

    private static List<String> numbered(String start) {
        return IntStream.range(0, 300).mapToObj(number -> start + number).toList();
    }

    /** Each rank writes more than a pipe holds, and goes on when all have written. */
    @Test
    void theOutputOfManyRanksIsReadAtTheSameTime() throws Exception {
        int ranks = Boolean.getBoolean("jbmi.long") ? 150 : 60;
        // Output of this size is passed on without an end of line.
        int bytes = 128 << 10;
        String script =
                "printf %0" + bytes + "d 0; : > '" + folder + "'/$ZOID_RANK; exec sleep 600";
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                JobRun run = run(setup, ranks, script)) {
            CompletableFuture<Integer> status = start(run);
            try {
                DaemonSetup.await(
                        () ->
                                out.size() == bytes * ranks
                                        && IntStream.range(0, ranks)
                                                .allMatch(
                                                        rank ->
                                                                Files.exists(
                                                                        folder.resolve(
                                                                                "" + rank))));
            } finally {
                run.stop();
            }
            assertThat(status.get(60, TimeUnit.SECONDS)).isEqualTo(143);
            assertThat(out.size()).isEqualTo(bytes * ranks);
        }
    }

    @Test
    void oneThatIsStoppedWhileItsRanksStartStartsNoMore() throws Exception {
        String script = ": > '" + folder + "'/$ZOID_RANK; exec sleep 600";
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                JobRun run = run(setup, 1000, script)) {
            CompletableFuture<Integer> status = start(run);
            DaemonSetup.await(() -> Files.exists(folder.resolve("0")));
            run.stop();
            assertThat(status.get(60, TimeUnit.SECONDS)).isEqualTo(143);
            assertThat(folder.resolve("999")).doesNotExist();
        }
    }

    /** It has done nothing wrong. */
    @Test
    void oneThatTheServerHasNoRoomForIsToldToTryAgain() throws Exception {
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults())) {
            List<ShippedCall<JobWords.Out>> others = new ArrayList<>();
            for (int number = 0; number < 4; number++) {
                others.add(launchLarge(setup, "large" + number));
            }
            List<String> command = new ArrayList<>(List.of("/bin/true"));
            command.addAll(Collections.nCopies(20_000, ""));
            try (JobRun run =
                    new JobRun(
                            setup.clientBmi,
                            setup.address(),
                            new JobRun.Wishes(1, 0, command, List.of(), null),
                            new PrintStream(out, true),
                            new PrintStream(err, true))) {
                assertThatThrownBy(run::run)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("Try again when other jobs have ended.");
            }
            others.forEach(ShippedCall::cancel);
        }
    }

    /** Launches a job whose words take a quarter of the memory for those of all long jobs. */
    private static ShippedCall<JobWords.Out> launchLarge(DaemonSetup setup, String job) {
        List<String> words = Collections.nCopies(65_000, "");
        ShippedCall<JobWords.Out> launched =
                setup.call(
                        Names.JOB,
                        JobWords_InCodec.INSTANCE,
                        JobWords_OutCodec.INSTANCE,
                        JobWords.Out.class,
                        new JobWords.In(job, 1, 1, 0, "program", words, words));
        JobWords.Answer begun =
                setup.call(
                                Names.JOB_START,
                                JobWords_NameCodec.INSTANCE,
                                JobWords_AnswerCodec.INSTANCE,
                                JobWords.Answer.class,
                                new JobWords.Name(job, 1))
                        .await(DaemonSetup.SOON);
        assertThat(begun.error()).isZero();
        return launched;
    }

    /** Linux has 64 signals. */
    @Test
    void aHighStatusIsNoSignal() throws Exception {
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                JobRun run = run(setup, "exit 255")) {
            assertThat(run.run()).isEqualTo(255);
            assertThat(err.toString()).contains("rank 0 ended with status 255; the job ends.");
        }
    }

    @Test
    void theSignalThatKilledARankIsSaid() throws Exception {
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                JobRun run = run(setup, 2, "[ $ZOID_RANK = 1 ] && kill -9 $$; exec sleep 600")) {
            assertThat(run.run()).isEqualTo(137);
            assertThat(err.toString()).contains("rank 1 was killed by signal 9; the job ends.");
        }
    }

    /** Ctrl-C does not wait for a script that takes long; the server ends it. */
    @Test
    void oneThatIsStoppedDuringTheFirstScriptEnds() throws Exception {
        ZoidSettings settings = withScript("touch started; exec sleep 600", "touch ended");
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, settings);
                JobRun run = run(setup, "echo ran")) {
            CompletableFuture<Integer> status = start(run);
            DaemonSetup.await(() -> Files.exists(folder.resolve("started")));
            run.stop();
            assertThat(status.get(60, TimeUnit.SECONDS)).isEqualTo(143);
            DaemonSetup.await(() -> Files.exists(folder.resolve("ended")));
            assertThat(setup.log)
                    .contains(
                            "The user script was ended: its launcher has gone, or the server"
                                    + " closes.");
            assertThat(out.toString()).isEmpty();
        }
    }

    /** The ranks are started under the lock of the run, which the test has meanwhile. */
    @Test
    void oneThatIsStoppedRightBeforeItsRanksStartSaysSo() throws Exception {
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                JobRun run = run(setup, "echo ran")) {
            FutureTask<Integer> status = new FutureTask<>(run::run);
            Thread runner = Thread.ofPlatform().unstarted(status);
            synchronized (run) {
                runner.start();
                DaemonSetup.await(() -> runner.getState() == Thread.State.BLOCKED);
                run.stop();
            }
            runner.join();
            assertThat(status.get(60, TimeUnit.SECONDS)).isEqualTo(143);
            assertThat(out.toString()).isEmpty();
        }
    }

    /** It goes, and the script after the job runs on. */
    @Test
    void oneThatIsStoppedDuringTheLastScriptEndsAndTheScriptDoesNot() throws Exception {
        assertThat(
                        new ProcessBuilder("mkfifo", folder.resolve("fifo").toString())
                                .start()
                                .waitFor())
                .isZero();
        ZoidSettings settings = withScript("true", "touch started; read line < fifo; touch ended");
        try (RandomAccessFile fifo = new RandomAccessFile(folder.resolve("fifo").toFile(), "rw");
                DaemonSetup setup = DaemonSetup.of("loopback", folder, settings);
                JobRun run = run(setup, "exit 3")) {
            CompletableFuture<Integer> status = start(run);
            DaemonSetup.await(() -> Files.exists(folder.resolve("started")));
            run.stop();
            assertThat(status.get(60, TimeUnit.SECONDS)).isEqualTo(3);
            assertThat(folder.resolve("ended")).doesNotExist();
            fifo.writeBytes("go\n");
            DaemonSetup.await(() -> Files.exists(folder.resolve("ended")));
        }
    }

    private JobRun impatient(DaemonSetup setup, int ranks, String script, OutputStream to) {
        return patient(setup, ranks, script, to, Duration.ofMillis(20));
    }

    private JobRun patient(
            DaemonSetup setup, int ranks, String script, OutputStream to, Duration grace) {
        return new JobRun(
                setup.clientBmi,
                setup.address(),
                wishes(ranks, script),
                new PrintStream(to, true),
                new PrintStream(err, true),
                grace);
    }

    /** A pager, or a slow network: the end waits for what takes output, however long that takes. */
    @Test
    void outputThatIsTakenSlowlyIsNotLost() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        ByteArrayOutputStream slow =
                new ByteArrayOutputStream() {
                    @Override
                    public void write(byte[] text, int offset, int length) {
                        if (size() == 0) {
                            awaitSome(over);
                        }
                        super.write(text, offset, length);
                    }
                };
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                JobRun run = patient(setup, 1, "seq 1 5000; printf end", slow, SOME)) {
            CompletableFuture<Integer> status = start(run);
            status.thenRun(over::countDown);
            assertThat(status.get(60, TimeUnit.SECONDS)).isZero();
            assertThat(slow.toString().lines().toList()).hasSize(5001).endsWith("5000", "end");
        }
    }

    /** Behind head: a rank that writes for ever ends, as it would without a launcher. */
    @Test
    void aRankEndsWhenNobodyReadsItsOutput() throws Exception {
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                JobRun run = impatient(setup, 1, "exec yes", CLOSED)) {
            assertThat(start(run).get(60, TimeUnit.SECONDS)).isZero();
            assertThat(err.toString()).isEmpty();
        }
    }

    /** A pager that its user does not leave: what it has not taken yet stays where it is. */
    @Test
    void oneThatIsStoppedDoesNotWaitForWhoTakesItsOutput() throws Exception {
        CountDownLatch writes = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        OutputStream full =
                new OutputStream() {
                    @Override
                    public void write(int one) throws IOException {
                        writes.countDown();
                        try {
                            over.await();
                        } catch (InterruptedException e) {
                            throw new IOException(e);
                        }
                    }
                };
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                JobRun run = impatient(setup, 1, "exec yes", full)) {
            CompletableFuture<Integer> status = start(run);
            try {
                writes.await();
                run.stop();
                assertThat(status.get(30, TimeUnit.SECONDS)).isEqualTo(143);
            } finally {
                run.stop();
                over.countDown();
            }
        }
    }

    /** They may wait for it. */
    @Test
    void aRankWhoseOutputNobodyReadsEndsTheOthers() throws Exception {
        String script = "[ $ZOID_RANK = 0 ] && exec yes; exec sleep 600";
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                JobRun run = impatient(setup, 2, script, CLOSED)) {
            CompletableFuture<Integer> status = start(run);
            try {
                assertThat(status.get(30, TimeUnit.SECONDS)).isZero();
            } finally {
                run.stop();
            }
            assertThat(err.toString()).isEmpty();
        }
    }

    /** On a full device, for example: nothing else would say that the rank did not do its work. */
    @Test
    void theStatusOfARankWhoseErrorsCannotBeWrittenIsTold() throws Exception {
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                JobRun run =
                        new JobRun(
                                setup.clientBmi,
                                setup.address(),
                                wishes(1, "exec yes >&2"),
                                new PrintStream(out, true),
                                new PrintStream(CLOSED, true))) {
            assertThat(start(run).get(60, TimeUnit.SECONDS)).isEqualTo(141);
        }
    }

    /** Takes much longer than the launcher is patient with what ranks leave behind. */
    private static void awaitSome(CountDownLatch over) {
        try {
            over.await(3 * SOME.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What a rank leaves behind keeps its output open: the end waits for all of that once. */
    @Test
    void programsThatRanksLeaveBehindHoldUpTheEndForSomeSecondsInAll() throws Exception {
        int ranks = 40; // with two pipes each
        String script = "sleep 600 & echo $! > '%s'/left.$ZOID_RANK".formatted(folder);
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                JobRun run = patient(setup, ranks, script, out, SOME)) {
            long startNs = System.nanoTime();
            assertThat(run.run()).isZero();
            assertThat(Duration.ofNanos(System.nanoTime() - startNs))
                    .isLessThan(Duration.ofSeconds(15));
        } finally {
            for (int rank = 0; rank < ranks; rank++) {
                endLeft(folder.resolve("left." + rank));
            }
        }
    }

    private static void endLeft(Path file) throws Exception {
        if (Files.exists(file)) {
            long number = Long.parseLong(Files.readString(file).strip());
            ProcessHandle.of(number).orElseThrow().destroyForcibly();
        }
    }

    @Test
    void theStatusOfARankIsToldAlsoWhenTheServerHasGone() throws Exception {
        assertThat(
                        new ProcessBuilder("mkfifo", folder.resolve("fifo").toString())
                                .start()
                                .waitFor())
                .isZero();
        try (RandomAccessFile fifo = new RandomAccessFile(folder.resolve("fifo").toFile(), "rw");
                DaemonSetup setup = DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
                JobRun run = run(setup, "echo here; read line < " + folder + "/fifo; exit 7")) {
            CompletableFuture<Integer> status = start(run);
            DaemonSetup.await(() -> out.toString().equals("here\n"));
            setup.daemon.close();
            setup.serverBmi.close();
            fifo.writeBytes("go\n");
            assertThat(status.get(60, TimeUnit.SECONDS)).isEqualTo(7);
            assertThat(err.toString())
                    .contains("rank 0 ended with status 7")
                    .contains("zoid run: the server did not end the job: ");
        }
    }
}
