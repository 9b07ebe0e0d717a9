package org.jbmi.zoidfs.server;

import org.jbmi.Bmi;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.Dialect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Random programs of several clients on the server and on a tree in memory: files, folders, links
 * of both kinds, modes, regions, lists, handles that are kept. Meanwhile the test kills the server,
 * starts it again on the same folder, and kills a client in the middle of a step.
 *
 * <p>Afterwards both trees are equal, and each append is at a place of its own. For a step that was
 * under way the test looks up whether it happened. Of such a write each byte is old or new.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KillsTest {
    private static final boolean LONG = Boolean.getBoolean("jbmi.long");
    private static final int PLAYERS = 2;
    private static final int KILLS = LONG ? 40 : 2;
    private static final int STEPS_BETWEEN = 100;
    private static final int OWN_STEPS_BETWEEN = 20;

    /** So that most writes are several messages. */
    private static final long CHUNK_BYTES = 7_000;

    private static final ClientOptions OPTIONS =
            ClientOptions.DEFAULT.withDialect(Dialect.SFP).withChunkBytes(CHUNK_BYTES);

    @TempDir private Path folder;

    private final AtomicLong steps = new AtomicLong();

    /** Held for reading during a step, and for writing by who needs a server at rest. */
    private final ReadWriteLock stepping = new ReentrantReadWriteLock(true);

    private final Player.Log log = new Player.Log();
    private volatile boolean ended;

    @Test
    void whatWasAnsweredOutlivesKillsOfServerAndClient() throws Exception {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Path export = Files.createDirectory(folder.resolve("export"));
        Path key = folder.resolve("state/key");
        Files.createFile(export.resolve("log"));
        ServerProcess server = ServerProcess.start(export, key, Dialect.SFP);
        try (Link link = new Link(server.port());
                ExecutorService threads = Executors.newFixedThreadPool(PLAYERS)) {
            StepsProcess victim = StepsProcess.start(link.address(), CHUNK_BYTES);
            try (Bmi bmi = Bmi.open();
                    ZoidfsClient watcher = ZoidfsClient.connect(bmi, link.address(), OPTIONS)) {
                List<Player> players = new ArrayList<>();
                List<Future<?>> playing = new ArrayList<>();
                for (int i = 0; i < PLAYERS; i++) {
                    Player player = player(export.resolve("client" + i), new Random(seed + i));
                    players.add(player);
                    playing.add(
                            threads.submit(
                                    () -> {
                                        play(player, link.address());
                                        return null;
                                    }));
                }
                Player own = player(export.resolve("victim"), new Random(seed + PLAYERS));
                players.add(own);
                for (int i = 0; i < KILLS; i++) {
                    for (int s = 0; s < OWN_STEPS_BETWEEN; s++) {
                        victim.begin(own.choose());
                        own.settle(victim.await());
                    }
                    awaitSteps(playing);
                    victim.begin(own.choose());
                    if (i % 2 == 0) {
                        server.kill();
                        server = ServerProcess.start(export, key, Dialect.SFP);
                        link.leadTo(server.port());
                        settle(own, victim.await(), watcher);
                    } else {
                        victim.kill();
                        settle(own, victim.await(), watcher);
                        victim = StepsProcess.start(link.address(), CHUNK_BYTES);
                    }
                }
                awaitSteps(playing);
                ended = true;
                for (Future<?> each : playing) {
                    each.get();
                }
                for (Player player : players) {
                    player.assertIsFound();
                }
                log.assertIsIn(export.resolve("log"));
            } finally {
                // Before the threads are waited for, whatever has failed.
                ended = true;
                victim.kill();
            }
        } finally {
            server.kill();
        }
    }

    private Player player(Path directory, Random random) throws IOException {
        Files.createDirectory(directory);
        return new Player(directory, "/log", log, random);
    }

    private void play(Player player, String address) throws IOException {
        try (Bmi bmi = Bmi.open();
                ZoidfsClient client = ZoidfsClient.connect(bmi, address, OPTIONS)) {
            Stepper stepper = new Stepper(client);
            while (!ended) {
                stepping.readLock().lock();
                boolean answered;
                try {
                    Step.Taken taken = stepper.take(player.choose());
                    // Without an answer the server is gone, and does nothing any more.
                    player.settle(taken);
                    answered = taken.answered();
                } finally {
                    stepping.readLock().unlock();
                }
                steps.incrementAndGet();
                if (!answered) {
                    Await.answer(client);
                }
            }
        }
    }

    /** Of a step without an answer something may be under way in the server. */
    private void settle(Player own, Step.Taken taken, ZoidfsClient watcher) throws IOException {
        if (taken.answered()) {
            own.settle(taken);
            return;
        }
        stepping.writeLock().lock();
        try {
            Await.answer(watcher);
            Await.until("a server at rest", () -> isAtRest(watcher));
            own.settle(taken);
        } finally {
            stepping.writeLock().unlock();
        }
    }

    private static boolean isAtRest(ZoidfsClient watcher) {
        try {
            // The question is under way itself.
            return watcher.serverReport().lines().anyMatch("zoidfs_calls_under_way 1"::equals);
        } catch (IOException e) {
            throw new AssertionError("The server does not tell what is under way", e);
        }
    }

    private void awaitSteps(List<Future<?>> playing) {
        long goal = steps.get() + STEPS_BETWEEN;
        Await.until(
                "some steps of the players",
                () -> steps.get() >= goal || playing.stream().anyMatch(Future::isDone));
    }
}
