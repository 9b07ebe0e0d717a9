package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.shipper.CallFailedException;
import org.jbmi.shipper.ShippedCall;
import org.jbmi.shipper.Shipper;
import org.jbmi.shipper.ShipperServer;
import org.jbmi.zoid.daemon.plugin.Plugins;
import org.jbmi.zoid.forward.JobDescription;
import org.jbmi.zoid.forward.client.Launch;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.forward.client.ZoidError;
import org.jbmi.zoid.forward.wire.Attendance;
import org.jbmi.zoid.forward.wire.Names;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** What launchers are told, and what those are told who are none. */
@Timeout(60)
class JobServiceTest {
    private static final JobWords.Name MINE = new JobWords.Name("job", 7);
    private static final JobWords.Name FORGED = new JobWords.Name("job", 8);

    private static final String LONG = "x".repeat(4097);

    @TempDir Path folder;

    private DaemonSetup setup() {
        return DaemonSetup.of("loopback", folder, ZoidSettings.defaults());
    }

    private static JobWords.In job(String name, String argument) {
        return new JobWords.In(name, MINE.key(), 1, 0, "program", List.of(argument), List.of());
    }

    private static ShippedCall<JobWords.Out> launch(DaemonSetup setup, JobWords.In words) {
        return setup.call(
                Names.JOB,
                JobWords_InCodec.INSTANCE,
                JobWords_OutCodec.INSTANCE,
                JobWords.Out.class,
                words);
    }

    private static JobWords.Answer ask(DaemonSetup setup, String what, JobWords.Name name) {
        return setup.call(
                        what,
                        JobWords_NameCodec.INSTANCE,
                        JobWords_AnswerCodec.INSTANCE,
                        JobWords.Answer.class,
                        name)
                .await(DaemonSetup.SOON);
    }

    private static String fetch(DaemonSetup setup, JobWords.Name name, long taken) {
        StringBuilder text = new StringBuilder();
        setup.call(
                        Names.OUTPUT,
                        JobWords_FetchCodec.INSTANCE,
                        JobWords_PiecesCodec.INSTANCE,
                        JobWords.Pieces.class,
                        new JobWords.Fetch(name.job(), name.key(), taken))
                .await(DaemonSetup.SOON)
                .pieces()
                .forEach(
                        piece ->
                                text.append(piece.stream())
                                        .append(' ')
                                        .append(new String(piece.text(), StandardCharsets.UTF_8)));
        return text.toString();
    }

    @Test
    void outputThatWasNotFetchedBeforeTheEndOfAJobIsStillThere() throws Exception {
        try (DaemonSetup setup = setup()) {
            ShippedCall<JobWords.Out> job = launch(setup, job("job", ""));
            assertThat(ask(setup, Names.JOB_START, MINE).error()).isZero();
            try (Zoid process = setup.client(new Launch(0, 1, "job"))) {
                assertThat(new HeldClient(process).say(1, "out\n")).isZero();
                assertThat(new HeldClient(process).say(2, "err\n")).isZero();
                assertThat(new HeldClient(process).say(3, "none\n")).isEqualTo(-1);
            }
            assertThat(ask(setup, Names.JOB_END, MINE).error()).isZero();
            assertThat(setup.functions.told).containsExactly("fini", "ended job");
            assertThat(fetch(setup, MINE, 0)).isEqualTo("1 out\n2 err\n");
            assertThat(job.isDone()).isFalse();
            assertThat(fetch(setup, MINE, 0)).as("if it was lost").isEqualTo("1 out\n2 err\n");
            assertThat(job.isDone()).isFalse();
            assertThat(fetch(setup, MINE, 1)).isEmpty();
            assertThat(job.await(DaemonSetup.SOON).error()).isZero();
            assertThat(ask(setup, Names.JOB_END, MINE).text()).isEqualTo("There is no such job.");
        }
    }

    @Test
    void aLauncherThatHasGoneHoldsUpNobodyWhoWrites() throws Exception {
        try (DaemonSetup setup = setup()) {
            ShippedCall<JobWords.Out> job = launch(setup, job("job", ""));
            assertThat(ask(setup, Names.JOB_START, MINE).error()).isZero();
            try (Zoid process = setup.client(new Launch(0, 1, "job"))) {
                HeldClient held = new HeldClient(process);
                assertThat(held.say(1, "one")).isZero();
                job.cancel();
                DaemonSetup.await(() -> held.say(1, "two") == -1);
            }
            DaemonSetup.await(() -> setup.functions.told.contains("ended job"));
        }
    }

    /** As many functions as write at a time, or one that writes much. */
    @Test
    void whoWritesMoreThanThereIsRoomForWaitsForTheLauncher() throws Exception {
        String large = "x".repeat((1 << 20) + 1);
        try (DaemonSetup setup = setup()) {
            ShippedCall<JobWords.Out> job = launch(setup, job("job", ""));
            assertThat(ask(setup, Names.JOB_START, MINE).error()).isZero();
            try (Zoid process = setup.client(new Launch(0, 1, "job"))) {
                CompletableFuture<Integer> said = said(process, large);
                assertThat(fetch(setup, MINE, 0)).hasSize(2 + (64 << 10));
                assertThat(said).isNotDone();
                assertThat(fetch(setup, MINE, 1)).hasSize(2 + (64 << 10));
                assertThat(said.get(50, TimeUnit.SECONDS)).isZero();
                CompletableFuture<Integer> waits = said(process, large);
                job.cancel();
                assertThat(waits.get(50, TimeUnit.SECONDS)).isEqualTo(-1);
            }
        }
    }

    /** It does not end the job, and it does not hold it up. */
    @Test
    void aLauncherThatFetchesNoMoreHoldsUpNobodyWhoWrites() throws Exception {
        try (DaemonSetup setup = setup()) {
            ShippedCall<JobWords.Out> job = launch(setup, job("job", ""));
            assertThat(ask(setup, Names.JOB_START, MINE).error()).isZero();
            try (Zoid process = setup.client(new Launch(0, 1, "job"))) {
                CompletableFuture<Integer> waits = said(process, "x".repeat((1 << 20) + 1));
                assertThat(fetch(setup, MINE, JobWords.Fetch.NO_MORE)).isEmpty();
                assertThat(waits.get(50, TimeUnit.SECONDS)).isEqualTo(-1);
            }
            assertThat(job.isDone()).isFalse();
            assertThat(ask(setup, Names.JOB_END, MINE).error()).isZero();
            job.cancel();
        }
    }

    private static CompletableFuture<Integer> said(Zoid process, String text) {
        return CompletableFuture.supplyAsync(
                () -> new HeldClient(process).say(1, text), Thread::startVirtualThread);
    }

    @Test
    void aKeyThatIsNotTheLaunchersOpensNothing() {
        try (DaemonSetup setup = setup()) {
            ShippedCall<JobWords.Out> job = launch(setup, job("job", ""));
            assertThat(ask(setup, Names.JOB_START, MINE).error()).isZero();
            assertThat(ask(setup, Names.JOB_START, FORGED).error()).isEqualTo(2);
            assertThat(ask(setup, Names.JOB_END, FORGED).text()).isEqualTo("There is no such job.");
            assertThat(fetch(setup, FORGED, 0)).isEmpty();
            JobWords.In second =
                    new JobWords.In("job", FORGED.key(), 1, 0, "other", List.of(), List.of());
            assertThat(launch(setup, second).await(DaemonSetup.SOON).error()).isEqualTo(17);
            assertThat(job.isDone()).isFalse();
            try (Zoid process = setup.client(new Launch(0, 1, "job"))) {
                assertThat(new HeldClient(process).say(1, "mine")).isZero();
            }
            assertThat(fetch(setup, MINE, 0)).isEqualTo("1 mine");
            // A job that no launcher has begun has no key that would be right.
            try (Zoid process = setup.client(new Launch(0, 2, "srun"))) {
                assertThat(fetch(setup, new JobWords.Name("srun", 0), 0)).isEmpty();
                assertThat(ask(setup, Names.JOB_END, new JobWords.Name("srun", 0)).error())
                        .isEqualTo(2);
                assertThat(new HeldClient(process).say(1, "nobody")).isEqualTo(-1);
            }
            job.cancel(); // or the server's close waits for its launcher
        }
    }

    /** No variable of a script can hold a NUL: such a job would neither begin nor end. */
    @Test
    void aJobThatScriptsCannotBeToldOfIsRefused() {
        try (DaemonSetup setup = setup()) {
            for (JobWords.In words : List.of(job("a\0b", ""), job("job", "x\0y"), job(LONG, ""))) {
                assertThat(launch(setup, words).await(DaemonSetup.SOON).error()).isEqualTo(22);
            }
            JobWords.In none = new JobWords.In("job", 7, 0, 0, "program", List.of(), List.of());
            assertThat(launch(setup, none).await(DaemonSetup.SOON).error()).isEqualTo(22);
            JobWords.In mode = new JobWords.In("job", 7, 1, 3, "program", List.of(), List.of());
            assertThat(launch(setup, mode).await(DaemonSetup.SOON).error()).isEqualTo(22);
            for (Attendance.In words :
                    List.of(
                            new Attendance.In(1, 0, 1, "a\0b", List.of()),
                            new Attendance.In(2, 0, 1, "job", List.of("x\0")),
                            new Attendance.In(3, 2, 2, "job", List.of()),
                            new Attendance.In(4, 0, 1, LONG, List.of()),
                            new Attendance.In(5, -1, -1, LONG, List.of()))) {
                assertThat(Attendee.attend(setup, words).await(DaemonSetup.SOON).error())
                        .isEqualTo(ZoidError.EINVAL.number());
            }
            assertThat(setup.daemon.processCount()).isZero();
            assertThat(setup.functions.told).isEmpty();
        }
    }

    /** The server keeps it as long as the job or the process lives. */
    @Test
    void whoSaysTooMuchIsRefused() {
        String large = "x".repeat(5 << 20);
        try (DaemonSetup setup = setup()) {
            assertThat(launch(setup, job("job", large)).await(DaemonSetup.SOON).error())
                    .isEqualTo(22);
            JobWords.In words =
                    new JobWords.In(
                            "job",
                            MINE.key(),
                            1,
                            0,
                            "program",
                            List.of(),
                            Collections.nCopies(2 << 20, ""));
            assertThat(launch(setup, words).await(DaemonSetup.SOON).error()).isEqualTo(22);
            List<String> empty = Collections.nCopies(68_000, ""); // two of them are too much
            JobWords.In many = new JobWords.In("job", MINE.key(), 1, 0, "program", empty, empty);
            assertThat(launch(setup, many).await(DaemonSetup.SOON).error()).isEqualTo(22);
            for (int rank : new int[] {-1, 0}) {
                refused(setup, rank, List.of("x", large));
                refused(setup, rank, Collections.nCopies(200_000, "x")); // each costs as an object
            }
            assertThat(setup.daemon.processCount()).isZero();
        }
    }

    /** In the heap they would take many times their bytes. */
    @Test
    void wordsThatAreMuchTooLongAreNotRead() {
        try (DaemonSetup setup = setup()) {
            List<String> empty = Collections.nCopies(5 << 20, "");
            Attendance.In process = new Attendance.In(1, 0, 1, "job", empty);
            JobWords.In job = new JobWords.In("job", MINE.key(), 1, 0, "program", List.of(), empty);
            for (ShippedCall<?> call :
                    List.of(Attendee.attend(setup, process), launch(setup, job))) {
                assertThatThrownBy(() -> call.await(DaemonSetup.SOON))
                        .isInstanceOfSatisfying(
                                CallFailedException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.EMSGSIZE));
            }
        }
    }

    private static void refused(DaemonSetup setup, int rank, List<String> program) {
        Attendance.In process = new Attendance.In(1, rank, 1, "job", program);
        assertThat(Attendee.attend(setup, process).await(DaemonSetup.SOON).error())
                .isEqualTo(ZoidError.EINVAL.number());
    }

    /** What the original gives to INIT: sizes, the program, its arguments, its environment. */
    @Test
    void aPluginLearnsWhatTheJobIsAndHearsOfItsEndOnce() throws Exception {
        try (DaemonSetup setup = setup()) {
            JobWords.In words =
                    new JobWords.In(
                            "job",
                            MINE.key(),
                            3,
                            1,
                            "/bin/program",
                            List.of("-a", "two words", ""),
                            List.of("COLOUR=red", "EMPTY="));
            ShippedCall<JobWords.Out> job = launch(setup, words);
            assertThat(ask(setup, Names.JOB_START, MINE).error()).isZero();
            assertThat(setup.functions.jobs)
                    .containsExactly(
                            new JobDescription(
                                    3,
                                    "/bin/program",
                                    List.of("-a", "two words", ""),
                                    List.of("COLOUR=red", "EMPTY=")));
            // A helper has no rank, is none of the job, and cannot write for it.
            try (Zoid helper = setup.client(Launch.NONE)) {
                assertThat(new HeldClient(helper).say(1, "text")).isEqualTo(-1);
                assertThat(setup.functions.jobs).hasSize(1);
            }
            job.cancel();
            DaemonSetup.await(() -> setup.functions.told.contains("ended job"));
            assertThat(setup.functions.told).containsExactly("fini", "ended job");
        }
    }

    /** Else it would start ranks, which would begin a job of their own. */
    @Test
    void aLauncherHearsThatItsJobCouldNotBegin() {
        LoopbackHub hub = new LoopbackHub();
        Traffic traffic = new Traffic();
        Consumer<String> log =
                _ -> {
                    awaitMessages(traffic, 2); // of the launch, and of who asks for its beginning
                    throw new OutOfMemoryError("planted by the test");
                };
        ZoidSettings settings =
                ZoidSettings.defaults().withUserScript("/no/such", Duration.ofMinutes(1));
        Jobs jobs =
                new Jobs(
                        new JobHooks(settings, log, Map.of()),
                        new Plugins(List.of(), _ -> null, _ -> {}, _ -> {}));
        try (Bmi serverBmi =
                        Bmi.builder()
                                .attach(LoopbackHub.class, hub)
                                .listen("loopback://server")
                                .open();
                ShipperServer server = Shipper.builder(serverBmi).server();
                Bmi clientBmi = Bmi.builder().attach(LoopbackHub.class, hub).open();
                Shipper shipper = Shipper.on(clientBmi)) {
            new JobService(jobs, traffic).register(server);
            server.start();
            PeerAddress address = clientBmi.lookup("loopback://server");
            ShippedCall<JobWords.Out> job =
                    shipper.function(
                                    Names.JOB,
                                    JobWords_InCodec.INSTANCE,
                                    JobWords_OutCodec.INSTANCE,
                                    JobWords.Out.class)
                            .forward(address, job("job", ""));
            JobWords.Answer begun =
                    shipper.function(
                                    Names.JOB_START,
                                    JobWords_NameCodec.INSTANCE,
                                    JobWords_AnswerCodec.INSTANCE,
                                    JobWords.Answer.class)
                            .call(address, MINE, DaemonSetup.SOON);
            assertThat(begun.error()).isNotZero();
            job.cancel();
        }
    }

    private static void awaitMessages(Traffic traffic, int count) {
        try {
            DaemonSetup.await(() -> traffic.internal().part().receivedMessages() == count);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void twoPluginsOfOneNumberAreNotLoaded() {
        HeldFunctions one = new HeldFunctions();
        HeldFunctions other =
                new HeldFunctions() {
                    @Override
                    public String name() {
                        return "other";
                    }
                };
        try (DaemonSetup setup = setup()) {
            assertThatThrownBy(
                            () ->
                                    ZoidDaemon.serve(
                                            setup.clientBmi,
                                            ZoidSettings.defaults()
                                                    .withModules(List.of("held", "other")),
                                            List.of(one, other),
                                            setup.log::add))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("The plug-ins held and held both have the number 200.");
        }
    }

    @Test
    void aSettingThatNoPluginHasIsNamed() {
        ZoidSettings wrong = ZoidSettings.defaults().withPluginSetting("held.colour", "red");
        assertThatThrownBy(() -> DaemonSetup.of("loopback", folder, wrong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("No plug-in has a setting 'held.colour'. There are: ");
    }
}
