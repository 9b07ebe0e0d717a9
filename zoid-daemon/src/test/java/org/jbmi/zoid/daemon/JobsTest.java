package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zoid.daemon.plugin.Plugins;
import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.client.ZoidException;
import org.jbmi.zoid.forward.wire.Attendance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** How jobs begin, or cannot. */
@Timeout(60)
class JobsTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    @TempDir Path folder;

    private final AtomicBoolean failing = new AtomicBoolean(true);
    private final Jobs jobs = jobs("/no/such", _ -> fail());

    private static Jobs jobs(String script, Consumer<String> log) {
        return new Jobs(
                new JobHooks(ZoidSettings.defaults().withUserScript(script, LONG), log, Map.of()),
                new Plugins(
                        List.of(),
                        _ -> {
                            throw new UnsupportedOperationException();
                        },
                        _ -> {},
                        _ -> {}));
    }

    /** The script before a job is not there, which the hooks say. */
    private void fail() {
        if (failing.getAndSet(false)) {
            throw new OutOfMemoryError("planted by the test");
        }
    }

    @Test
    void aJobWhoseBeginRunsOutOfMemoryFreesItsName() throws InterruptedException {
        JobWords.In words = new JobWords.In("7", 1, 4, 2, "/bin/prog", List.of(), List.of());
        assertThatThrownBy(() -> jobs.launch(words)).isInstanceOf(OutOfMemoryError.class);
        jobs.awaitNone(LONG);
        assertThat(jobs.launch(words)).isNotNull();
    }

    /** Who waits for the end hears of it, and the name is free. */
    @Test
    void aJobWhoseEndRunsOutOfMemoryEndsAllTheSame() throws InterruptedException {
        AtomicBoolean isFull = new AtomicBoolean();
        List<String> arguments =
                new ArrayList<>() {
                    @Override
                    public Stream<String> stream() {
                        if (isFull.get()) {
                            throw new OutOfMemoryError("planted by the test");
                        }
                        return super.stream();
                    }
                };
        Jobs several = jobs("/no/such", _ -> {});
        JobWords.In words = new JobWords.In("7", 1, 4, 2, "/bin/prog", arguments, List.of());
        Job job = Objects.requireNonNull(several.launch(words));
        isFull.set(true);
        several.launcherGone(job);
        assertThat(job.ended.await(20, TimeUnit.SECONDS)).isTrue();
        several.awaitNone(LONG);
    }

    /** Its scripts would run beside a server that has gone. */
    @Test
    void aServerThatClosesBeginsNoJobOfALauncher() {
        Jobs several = jobs("/no/such", _ -> {});
        several.endAll();
        JobWords.In words = new JobWords.In("7", 1, 4, 2, "/bin/prog", List.of(), List.of());
        assertThatThrownBy(() -> several.launch(words))
                .isInstanceOfSatisfying(
                        ZoidException.class,
                        e -> assertThat(e.error()).isEqualTo(ZoidError.ECANCELED));
        assertThat(several.find("7")).isNull();
        assertThat(new JobWords.Out(ZoidError.ECANCELED.number()).refusal())
                .isEqualTo("The server has not taken the job: it closes.");
    }

    /** As eight launchers with the longest words could do it to all others. */
    @Test
    void longWordsLeaveRoomForShortOnes() {
        Jobs several = jobs("/no/such", _ -> {});
        for (int letters = 1 << 21; letters > 1 << 15; letters /= 2) {
            fill(several, letters);
        }
        String program = "x".repeat(30_000);
        for (int i = 0; i < 20; i++) {
            assertThat(several.launch(named("short" + i, program))).isNotNull();
        }
    }

    /** As two peers with as many jobs as they may have could do it. */
    @Test
    void shortWordsLeaveRoomForLongOnes() throws Exception {
        Jobs several = jobs("/no/such", _ -> {});
        String program = "x".repeat(30_000);
        for (int i = 0; i < 600; i++) {
            assertThat(several.launch(named("short" + i, program))).isNotNull();
        }
        JobWords.In words = named("long", "x".repeat(1 << 20));
        Job first = Objects.requireNonNull(several.launch(words));
        fill(several, 1 << 20);
        several.launcherGone(first);
        first.ended.await();
        assertThat(several.launch(words)).as("in the room that the first has left").isNotNull();
    }

    private static JobWords.In named(String job, String program) {
        return new JobWords.In(job, 1, 1, 0, program, List.of(), List.of());
    }

    private static ZoidProcess process(int rank) {
        Attendance.In words = new Attendance.In(rank, rank, 2, "7", List.of());
        return new ZoidProcess(rank + 1, words, "tcp://127.0.0.1:1");
    }

    private static JobWords.Coming coming(ZoidProcess process) {
        return new JobWords.Coming(process.words());
    }

    @Test
    void aProcessWhoseJobCannotBeginLeavesNone() throws InterruptedException {
        ZoidProcess process = process(0);
        assertThatThrownBy(() -> jobs.enter(process, coming(process)))
                .isInstanceOf(OutOfMemoryError.class);
        jobs.awaitNone(LONG);
        jobs.enter(process, coming(process));
        assertThat(jobs.find("7")).isNotNull();
    }

    private static void assertRefused(Jobs jobs, ZoidProcess process, JobWords.Coming coming) {
        assertThatThrownBy(() -> jobs.enter(process, coming))
                .isInstanceOfSatisfying(
                        ZoidException.class,
                        e -> assertThat(e.error()).isEqualTo(ZoidError.EAGAIN));
    }

    /** They cost much more than their characters. Only the job keeps them, not its processes. */
    @Test
    void theWordsOfAllJobsTogetherAreLimited() throws Exception {
        Jobs several = jobs("/no/such", _ -> {});
        List<String> words = Collections.nCopies(120_000, "x");
        List<String> many = Collections.nCopies(300_000, "x");
        List<ZoidProcess> first = new ArrayList<>();
        for (int rank = 0; rank < 20; rank++) {
            Attendance.In said = new Attendance.In(rank, rank, 20, "first", words);
            JobWords.Coming coming = new JobWords.Coming(said);
            assertThat(coming.isSound()).isTrue();
            first.add(new ZoidProcess(rank + 1, coming.words(), "tcp://127.0.0.1:1"));
            several.enter(first.getLast(), coming);
            assertThat(coming.takeProgram()).as("what the call still holds").isEmpty();
        }
        JobWords.In launched = new JobWords.In("second", 1, 1, 0, "x", many, List.of());
        Job second = Objects.requireNonNull(several.launch(launched));
        Attendance.In third = new Attendance.In(90, 0, 1, "third", words);
        ZoidProcess process = new ZoidProcess(90, third, "tcp://127.0.0.1:1");
        assertRefused(several, process, new JobWords.Coming(third));
        JobWords.In fourth = new JobWords.In("fourth", 1, 1, 0, "x", List.of(), words);
        assertThatThrownBy(() -> several.launch(fourth)).isInstanceOf(ZoidException.class);
        several.launcherGone(second);
        second.ended.await();
        several.enter(process, new JobWords.Coming(third));
        several.leave(process);
        first.forEach(several::leave);
        several.awaitNone(LONG);
        assertThat(several.launch(launched)).isNotNull();
        assertThat(several.launch(fourth)).isNotNull();
    }

    /** The call that waits for that holds them. */
    @Test
    void theWordsOfAJobCountUntilItsLauncherHasTheOutput() throws Exception {
        Jobs several = jobs("/no/such", _ -> {});
        List<String> many = Collections.nCopies(300_000, "x");
        JobWords.In second = new JobWords.In("second", 1, 1, 0, "x", many, List.of());
        Job first =
                Objects.requireNonNull(
                        several.launch(new JobWords.In("first", 1, 1, 0, "x", many, List.of())));
        several.end(first);
        first.ended.await();
        assertThatThrownBy(() -> several.launch(second)).isInstanceOf(ZoidException.class);
        several.launcherGone(first);
        assertThat(several.launch(second)).isNotNull();
    }

    /** Only what a job keeps can be too much. */
    @Test
    void aProcessOfAJobThatHasBegunEntersThoughTheWordsOfJobsLeaveNoRoom() throws Exception {
        Jobs several = jobs("/no/such", _ -> {});
        several.enter(process(0), coming(process(0)));
        for (int letters = 1 << 21; letters > 0; letters /= 2) {
            fill(several, letters);
        }
        Attendance.In another = new Attendance.In(1, 1, 2, "7", List.of("program", "argument"));
        several.enter(process(1), new JobWords.Coming(another));
        several.leave(process(0));
        several.leave(process(1));
    }

    /** Launches jobs whose program has a name of that length, until one is refused. */
    private static void fill(Jobs jobs, int letters) {
        String program = "x".repeat(letters);
        int number = 0;
        boolean taken = true;
        while (taken) {
            String name = letters + "." + number;
            number++;
            try {
                jobs.launch(named(name, program));
            } catch (ZoidException e) {
                assertThat(e.error()).isEqualTo(ZoidError.EAGAIN);
                taken = false;
            }
        }
    }

    /** A process without a rank has no job. */
    @Test
    void nobodyKeepsTheProgramOfAProcessWithoutARank() throws Exception {
        JobWords.Coming coming =
                new JobWords.Coming(new Attendance.In(1, -1, -1, "", List.of("program")));
        jobs.enter(new ZoidProcess(1, coming.words(), "tcp://127.0.0.1:1"), coming);
        assertThat(coming.takeProgram()).isEmpty();
    }

    /** Says that it runs; before a job it waits for a word, of which it has one. */
    private Path waitingScript() throws IOException, InterruptedException {
        Path word = folder.resolve("word");
        assertThat(new ProcessBuilder("mkfifo", word.toString()).start().waitFor()).isZero();
        Path script = folder.resolve("script");
        Files.writeString(
                script,
                "#!/bin/sh\ncd '"
                        + folder
                        + "'\nexec 3<>word; echo begin $1 >> ran\n"
                        + "[ $1 = 0 ] || read line <&3; echo end $1 >> ran\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return script;
    }

    /** Waits until the script has said that it runs; the file is there a moment before. */
    private void awaitBegin() throws InterruptedException {
        File ran = folder.resolve("ran").toFile();
        DaemonSetup.await(() -> ran.length() >= "begin 1\n".length());
    }

    private void say(String words) throws IOException {
        try (RandomAccessFile word =
                new RandomAccessFile(folder.resolve("word").toFile(), "rw")) { // never waits
            word.write(words.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Lets a process enter in a thread of its own. */
    private static Thread entering(Jobs jobs, ZoidProcess process, CompletableFuture<String> ends) {
        return Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                jobs.enter(process, coming(process));
                                ends.complete("entered");
                            } catch (InterruptedException e) {
                                ends.complete("interrupted");
                            } catch (RuntimeException | Error e) {
                                ends.completeExceptionally(e);
                            }
                        });
    }

    /** No launcher has begun it: the first of its processes that connects does. */
    @Test
    void aProcessThatGoesLeavesTheScriptToTheOthersOfItsJob() throws Exception {
        List<String> log = new CopyOnWriteArrayList<>();
        Jobs scripted = jobs(waitingScript().toString(), log::add);
        CompletableFuture<String> first = new CompletableFuture<>();
        CompletableFuture<String> second = new CompletableFuture<>();
        Thread gone = entering(scripted, process(0), first);
        try {
            awaitBegin();
            entering(scripted, process(1), second);
            Job job = Objects.requireNonNull(scripted.find("7"));
            DaemonSetup.await(() -> processes(scripted, job) == 2);
            gone.interrupt();
            assertThat(first.get(50, TimeUnit.SECONDS)).isEqualTo("interrupted");
            assertThat(second).isNotDone();
        } finally {
            say("go\n");
        }
        assertThat(second.get(50, TimeUnit.SECONDS)).isEqualTo("entered");
        assertThat(folder.resolve("ran")).hasContent("begin 1\nend 1\n");
        assertThat(log).isEmpty();
        scripted.leave(process(1));
        scripted.awaitNone(LONG);
        assertThat(folder.resolve("ran")).hasContent("begin 1\nend 1\nbegin 0\nend 0\n");
    }

    private static int processes(Jobs jobs, Job job) {
        synchronized (jobs) {
            return job.processes;
        }
    }

    /** What is not to run on beside a server that has gone. */
    @Test
    void aServerThatClosesEndsTheScriptAndTakesNobodyIn() throws Exception {
        List<String> log = new CopyOnWriteArrayList<>();
        Jobs scripted = jobs(waitingScript().toString(), log::add);
        CompletableFuture<String> first = new CompletableFuture<>();
        entering(scripted, process(0), first);
        awaitBegin();
        scripted.interruptBegins();
        assertThat(first)
                .failsWithin(50, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(ZoidException.class);
        scripted.awaitNone(LONG);
        assertThat(folder.resolve("ran")).hasContent("begin 1\nbegin 0\nend 0\n");
        assertThat(log)
                .containsExactly(
                        "The user script was ended: its launcher has gone, or the server closes.");
    }
}
