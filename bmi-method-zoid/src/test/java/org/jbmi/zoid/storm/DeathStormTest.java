package org.jbmi.zoid.storm;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zbmi.host.PendingOperations;
import org.jbmi.zbmi.link.RuntimeDirectory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Clients, a server and a daemon under load, each a process, of which one is killed or stopped at a
 * random moment, round after round. The others go on, and their data is right; who was killed comes
 * back; in the end every block of the pool, every operation, every file and every process is
 * accounted for. The long form has a thousand rounds: {@code -Djbmi.long=true}, and {@code
 * -Djbmi.storm.seed} plays one again.
 */
@EnabledOnOs(OS.LINUX)
class DeathStormTest {
    private static final int CLIENTS = 2;
    private static final int QUICK_ROUNDS = 24;
    private static final int LONG_ROUNDS = 1000;
    private static final long MOST_DELAY_US = 30_000;
    private static final long MOST_STOP_MS = 120;

    private final Path directory = makeDirectory();
    private final List<StormProcess> clients = new ArrayList<>();
    private final Map<Fate, Integer> fates = new EnumMap<>(Fate.class);
    private StormProcess daemon;
    private StormProcess server;
    private Random random = new Random();

    /** What happens in a round. */
    private enum Fate {
        CLIENT_KILLED,
        CLIENT_KILLED_AGAIN,
        SERVER_KILLED,
        DAEMON_KILLED,
        CLIENT_STOPPED,
        CLIENT_STOPPED_AND_KILLED,
        SERVER_STOPPED,
        DAEMON_STOPPED
    }

    // The path of a socket must be short.
    private static Path makeDirectory() {
        try {
            return Files.createTempDirectory("st");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @BeforeEach
    void start() throws IOException {
        long seed = Long.getLong("jbmi.storm.seed", System.nanoTime());
        System.out.println("DeathStormTest -Djbmi.storm.seed=" + seed);
        random = new Random(seed);
        daemon = started("daemon");
        server = started("server");
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(started("client"));
        }
    }

    @AfterEach
    void end() throws Exception {
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

    private StormProcess started(String role) throws IOException {
        StormProcess process = new StormProcess(role, directory, random.nextLong());
        process.awaitWord("ready");
        return process;
    }

    @Test
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void killedAtRandomMomentsUnderLoad() throws Exception {
        int rounds = Boolean.getBoolean("jbmi.long") ? LONG_ROUNDS : QUICK_ROUNDS;
        long startNs = System.nanoTime();
        for (int round = 0; round < rounds; round++) {
            Fate fate = fate(round);
            fates.merge(fate, 1, Integer::sum);
            try {
                awaitProgress();
                TimeUnit.MICROSECONDS.sleep(random.nextLong(MOST_DELAY_US));
                play(fate);
            } catch (AssertionError e) {
                throw new AssertionError("round " + round + ", " + fate + ": " + e.getMessage(), e);
            }
            if (round % 100 == 99 || round == rounds - 1) {
                settle();
                System.out.printf(
                        "%d rounds in %d s: %s%n",
                        round + 1,
                        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs),
                        fates);
            }
        }
        everybodyEnds();
    }

    // Each kind is in the quick form too.
    private Fate fate(int round) {
        Fate[] all = Fate.values();
        return round < all.length ? all[round] : all[random.nextInt(all.length)];
    }

    private void play(Fate fate) throws Exception {
        int which = random.nextInt(CLIENTS);
        StormProcess client = clients.get(which);
        switch (fate) {
            case CLIENT_KILLED, CLIENT_KILLED_AGAIN -> {
                client.kill();
                clients.set(which, started("client"));
            }
            case CLIENT_STOPPED_AND_KILLED -> {
                client.signal("STOP");
                awaitProgressOf(clients.get(CLIENTS - 1 - which));
                client.kill();
                clients.set(which, started("client"));
            }
            case SERVER_KILLED -> {
                server.kill();
                server = started("server");
            }
            case DAEMON_KILLED -> {
                daemon.kill();
                daemon = started("daemon");
                server.say("reopen");
                server.awaitWord("reopened");
            }
            case CLIENT_STOPPED -> {
                client.signal("STOP");
                awaitProgressOf(clients.get(CLIENTS - 1 - which));
                client.signal("CONT");
            }
            case SERVER_STOPPED -> pause(server);
            case DAEMON_STOPPED -> pause(daemon);
            default -> throw new AssertionError(fate);
        }
    }

    private void pause(StormProcess process) throws Exception {
        process.signal("STOP");
        TimeUnit.MILLISECONDS.sleep(random.nextLong(MOST_STOP_MS));
        process.signal("CONT");
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

    /** Nothing is under way any more, and nothing is missing. */
    private void settle() {
        for (StormProcess client : clients) {
            client.say("pause");
            client.awaitWord("paused");
        }
        server.say("blocks");
        server.awaitWord("clean");
        RuntimeDirectory runtime = new RuntimeDirectory(directory.resolve("run"));
        assertThat(PendingOperations.forEach(runtime, System.out::println)).isZero();
        clients.forEach(client -> client.say("on"));
    }

    private void everybodyEnds() throws Exception {
        for (StormProcess process : all()) {
            assertThat(process.end()).as(process.transcript()).isZero();
            assertThat(process.wrong()).isNull();
        }
        assertThat(names(directory)).containsExactly("run");
        assertThat(names(directory.resolve("run"))).containsExactly("daemon.lock");
    }

    private static List<String> names(Path where) throws IOException {
        try (Stream<Path> files = Files.list(where)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
