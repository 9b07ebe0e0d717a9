package org.jbmi.zoid.storm;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.BmiException;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.host.place.PendingOperations;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Clients, a server and a daemon under load, each a process. In each round the test kills or stops
 * one of them at a random moment, wherever the engine runs and however the clients reach it. The
 * others go on, and their data is right; the killed one comes back. After each round no block of
 * the pool, operation, file or process is left over.
 *
 * <p>The long form ({@code -Djbmi.long=true}) has hundreds of rounds for each setup; {@code
 * -Djbmi.storm.rounds} says how many. {@code -Djbmi.storm.setup} and {@code -Djbmi.storm.fate} play
 * one setup and one fate alone, and {@code -Djbmi.storm.seed} plays a run again.
 */
@EnabledOnOs(OS.LINUX)
class DeathStormTest {
    private static final boolean IS_LONG = Boolean.getBoolean("jbmi.long");
    private static final int CLIENTS = 2;

    /** 0: each kind of kill, and one fate more. */
    private static final int ROUNDS = Integer.getInteger("jbmi.storm.rounds", IS_LONG ? 300 : 0);

    private static final String ONLY = System.getProperty("jbmi.storm.fate", "");
    private static final long MOST_DELAY_US = 30_000;
    private static final long MOST_STOP_MS = 120;

    private final Path directory = makeDirectory();
    private final RuntimeDirectory runtime = new RuntimeDirectory(StormSetup.runtime(directory));
    private final List<StormProcess> clients = new ArrayList<>();
    private final Map<Fate, Integer> fates = new EnumMap<>(Fate.class);
    private StormSetup setup = StormSetup.DAEMON;
    private StormProcess daemon;
    private StormProcess server;
    private Random random = new Random();
    private long slowestNs;

    /** What happens in a round. */
    private enum Fate {
        CLIENT_KILLED(false),
        SERVER_KILLED(false),
        DAEMON_KILLED(true),
        CLIENT_STOPPED(false),
        CLIENT_STOPPED_AND_KILLED(false),
        SERVER_STOPPED(false),
        SERVER_STOPPED_AND_KILLED(false),
        DAEMON_STOPPED(true),
        DAEMON_STOPPED_AND_KILLED(true);

        private final boolean needsDaemon;

        Fate(boolean needsDaemon) {
            this.needsDaemon = needsDaemon;
        }
    }

    // The path of a socket must be short.
    private static Path makeDirectory() {
        try {
            return Files.createTempDirectory("st");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void start() throws IOException {
        long seed = Long.getLong("jbmi.storm.seed", System.nanoTime());
        System.out.println("DeathStormTest " + setup + " -Djbmi.storm.seed=" + seed);
        random = new Random(seed);
        if (setup.hasDaemon()) {
            daemon = begun("daemon");
        }
        server = begun("server");
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(begun("client"));
        }
        for (StormProcess process : all()) {
            process.awaitWord("ready");
        }
    }

    @AfterEach
    void end() throws Exception {
        all().forEach(StormProcess::destroy); // all of them, also if the wait is interrupted
        for (StormProcess process : all()) {
            process.kill();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private List<StormProcess> all() {
        List<StormProcess> all = new ArrayList<>(clients);
        Stream.of(server, daemon).filter(Objects::nonNull).forEach(all::add);
        return all;
    }

    private StormProcess begun(String role) throws IOException {
        return new StormProcess(setup, role, directory, random.nextLong());
    }

    private StormProcess started(String role) throws IOException {
        StormProcess process = begun(role);
        process.awaitWord("ready");
        return process;
    }

    @ParameterizedTest
    @EnumSource(StormSetup.class)
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void killedAtRandomMomentsUnderLoad(StormSetup which) throws Exception {
        setup = which;
        String only = System.getProperty("jbmi.storm.setup", "");
        boolean isInRun = only.isEmpty() ? IS_LONG || which.isShort() : only.equals(which.name());
        Assumptions.assumeTrue(isInRun, "this run plays other setups");
        start();
        List<Fate> plan = plan();
        long startNs = System.nanoTime();
        int rounds = rounds();
        for (int round = 0; round < rounds; round++) {
            Fate fate = plan.get(round % plan.size());
            fates.merge(fate, 1, Integer::sum);
            try {
                awaitProgress();
                TimeUnit.MICROSECONDS.sleep(random.nextLong(MOST_DELAY_US));
                long struckNs = System.nanoTime();
                play(fate);
                awaitProgress();
                slowestNs = Math.max(slowestNs, System.nanoTime() - struckNs);
                settle();
            } catch (AssertionError e) {
                explain();
                throw new AssertionError("round " + round + ", " + fate + ": " + e.getMessage(), e);
            }
            if (round % 100 == 99 || round == rounds - 1) {
                System.out.printf(
                        "%s: %d rounds in %d s, back at work after %d ms at the latest: %s%n",
                        setup,
                        round + 1,
                        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs),
                        TimeUnit.NANOSECONDS.toMillis(slowestNs),
                        fates);
            }
        }
        everybodyEnds();
    }

    private int rounds() {
        return ROUNDS > 0 ? ROUNDS : setup.hasDaemon() ? 4 : 3;
    }

    private void explain() {
        all().forEach(process -> System.out.println(process.transcript()));
        try {
            PendingOperations.forEach(runtime, System.out::println);
        } catch (BmiException e) {
            System.out.println("No operations: " + e.getMessage());
        }
    }

    // Each that can be, again and again; deaths first where there is no time for all.
    private List<Fate> plan() {
        List<Fate> possible =
                Stream.of(Fate.values())
                        .filter(fate -> setup.hasDaemon() || !fate.needsDaemon)
                        .filter(fate -> fate.name().startsWith(ONLY))
                        .toList();
        List<Fate> plan = new ArrayList<>();
        List<Fate> deaths =
                List.of(Fate.CLIENT_KILLED, Fate.SERVER_KILLED, Fate.DAEMON_KILLED).stream()
                        .filter(possible::contains)
                        .toList();
        List<Fate> others = new ArrayList<>(possible);
        others.removeAll(deaths);
        if (ROUNDS == 0 && ONLY.isEmpty()) {
            // A process that is killed as well costs another start, and each kill is there already.
            others.removeIf(fate -> fate.name().endsWith("_KILLED"));
        }
        Collections.shuffle(others, random);
        plan.addAll(deaths);
        plan.addAll(others);
        while (IS_LONG && plan.size() < ROUNDS) {
            plan.add(possible.get(random.nextInt(possible.size())));
        }
        return plan;
    }

    private void play(Fate fate) throws Exception {
        int which = random.nextInt(CLIENTS);
        StormProcess client = clients.get(which);
        StormProcess other = clients.get(CLIENTS - 1 - which);
        switch (fate) {
            case CLIENT_KILLED -> {
                client.kill();
                clients.set(which, started("client"));
            }
            case CLIENT_STOPPED_AND_KILLED -> {
                client.signal("STOP");
                awaitProgressOf(other);
                client.kill();
                clients.set(which, started("client"));
            }
            case CLIENT_STOPPED -> {
                client.signal("STOP");
                awaitProgressOf(other);
                client.signal("CONT");
            }
            case SERVER_KILLED -> serverKilled();
            case SERVER_STOPPED_AND_KILLED -> {
                pause(server, false);
                serverKilled();
            }
            case DAEMON_KILLED -> daemonKilled();
            case DAEMON_STOPPED_AND_KILLED -> {
                pause(daemon, false);
                daemonKilled();
            }
            case SERVER_STOPPED -> pause(server, true);
            case DAEMON_STOPPED -> pause(daemon, true);
        }
    }

    private void serverKilled() throws Exception {
        server.kill();
        server = started("server");
    }

    private void daemonKilled() throws Exception {
        daemon.kill();
        daemon = started("daemon");
        server.say("reopen");
        server.awaitWord("reopened");
    }

    private void pause(StormProcess process, boolean goesOn) throws Exception {
        process.signal("STOP");
        TimeUnit.MILLISECONDS.sleep(random.nextLong(MOST_STOP_MS));
        if (goesOn) {
            process.signal("CONT");
        }
    }

    private void awaitProgress() {
        clients.forEach(DeathStormTest::awaitProgressOf);
        for (StormProcess process : all()) {
            assertThat(process.wrong()).isNull();
        }
    }

    private static void awaitProgressOf(StormProcess client) {
        long before = client.progress();
        client.await("exchanges go on", () -> client.progress() > before + 1);
    }

    /** Nothing is under way any more, nothing is missing, and nothing is left of who is gone. */
    private void settle() throws IOException {
        for (StormProcess client : clients) {
            client.say("pause");
            client.awaitWord("paused");
        }
        server.say("blocks");
        server.awaitWord("clean");
        assertThat(PendingOperations.forEach(runtime, System.out::println)).isZero();
        List<String> files = names(directory);
        assertThat(files.stream().filter(name -> name.startsWith("zbmi-")))
                .hasSize(setup.segments());
        assertThat(files.stream().filter(name -> !name.startsWith("zbmi-")))
                .containsExactlyElementsOf(setup.files());
        assertThat(names(runtime.path())).containsExactlyElementsOf(setup.runtimeFiles());
        assertThat(ProcessHandle.current().children().map(ProcessHandle::pid))
                .containsExactlyInAnyOrderElementsOf(
                        all().stream().map(StormProcess::pid).toList());
        clients.forEach(client -> client.say("on"));
    }

    private void everybodyEnds() throws Exception {
        for (StormProcess process : all()) {
            assertThat(process.end()).as(process.transcript()).isZero();
            assertThat(process.wrong()).isNull();
        }
        assertThat(names(directory)).containsExactly("run");
        assertThat(names(runtime.path())).containsExactly("daemon.lock");
    }

    private static List<String> names(Path where) throws IOException {
        try (Stream<Path> files = Files.list(where)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
