package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.protocol.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Servers and clients that are killed. Several clients go on over the deaths of the server; what
 * was answered is there afterwards, and what was under way happened or did not.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KillsTest {
    private static final boolean LONG = Boolean.getBoolean("jbmi.long");
    private static final int CLIENTS = 3;
    private static final int KILLS = LONG ? 30 : 2;
    private static final int STEPS_BETWEEN = 150;
    private static final int NAMES = 6;
    private static final int MAX_BYTES = 60_000;

    @TempDir private Path folder;

    @Test
    void aServerThatIsKilledLosesNothingThatItAnswered() throws Exception {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Path export = Files.createDirectory(folder.resolve("export"));
        Path key = folder.resolve("state/key");
        AtomicLong steps = new AtomicLong();
        AtomicBoolean ended = new AtomicBoolean();
        ServerProcess server = ServerProcess.start(export, key);
        try (Link link = new Link(server.port());
                ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            try {
                List<Future<Map<String, byte[]>>> trees = new ArrayList<>();
                for (int i = 0; i < CLIENTS; i++) {
                    Path own = Files.createDirectory(export.resolve("client" + i));
                    Player player = new Player(link.address(), own, new Random(seed + i), steps);
                    trees.add(threads.submit(() -> player.play(ended)));
                }
                for (int i = 0; i < KILLS; i++) {
                    awaitSteps(steps, trees);
                    server.kill();
                    server = ServerProcess.start(export, key);
                    link.leadTo(server.port());
                }
                awaitSteps(steps, trees);
                ended.set(true);
                for (int i = 0; i < CLIENTS; i++) {
                    Map<String, byte[]> expected = trees.get(i).get();
                    assertSame(Player.found(export.resolve("client" + i)), expected);
                }
            } finally {
                // Before the threads are waited for, whatever has failed.
                ended.set(true);
            }
        } finally {
            server.kill();
        }
    }

    private static void awaitSteps(AtomicLong steps, List<Future<Map<String, byte[]>>> players) {
        long goal = steps.get() + STEPS_BETWEEN;
        Await.until(
                "some steps of the players",
                () -> steps.get() >= goal || players.stream().anyMatch(Future::isDone));
    }

    private static void assertSame(Map<String, byte[]> found, Map<String, byte[]> expected) {
        assertThat(found.keySet()).isEqualTo(expected.keySet());
        expected.forEach((name, bytes) -> assertThat(found.get(name)).as(name).isEqualTo(bytes));
    }

    /** One client, and what must be in its directory. */
    private static final class Player {
        private final String address;
        private final Path directory;
        private final Random random;
        private final AtomicLong steps;
        private Map<String, byte[]> model = new TreeMap<>();

        Player(String address, Path directory, Random random, AtomicLong steps) {
            this.address = address;
            this.directory = directory;
            this.random = random;
            this.steps = steps;
        }

        static Map<String, byte[]> found(Path directory) throws IOException {
            Map<String, byte[]> files = new TreeMap<>();
            try (var each = Files.list(directory)) {
                for (Path file : each.toList()) {
                    files.put(file.getFileName().toString(), Files.readAllBytes(file));
                }
            }
            return files;
        }

        Map<String, byte[]> play(AtomicBoolean ended) throws Exception {
            ClientOptions options = ClientOptions.DEFAULT.withChunkBytes(7_000);
            try (Bmi bmi = Bmi.open();
                    ZoidfsClient client = ZoidfsClient.connect(bmi, address, options)) {
                while (!ended.get()) {
                    step(client);
                    steps.incrementAndGet();
                }
            }
            return model;
        }

        private FileSpec spec(String name) {
            return FileSpec.path("/" + directory.getFileName() + "/" + name);
        }

        /** Something to be done with the server. */
        private interface Doing {
            void with(ZoidfsClient client) throws IOException;
        }

        private void step(ZoidfsClient client) throws IOException {
            String name = "n" + random.nextInt(NAMES);
            String other = "n" + random.nextInt(NAMES);
            byte[] old = model.get(name);
            Map<String, byte[]> after = new TreeMap<>(model);
            switch (old == null ? 0 : 1 + random.nextInt(6)) {
                case 0 -> {
                    after.put(name, new byte[0]);
                    attempt(
                            client,
                            after,
                            c -> c.create(spec(name), SettableAttributes.ofMode(0644)));
                }
                case 1 -> {
                    int size = random.nextInt(MAX_BYTES);
                    after.put(name, Arrays.copyOf(old, size));
                    attempt(client, after, c -> c.resize(c.lookup(spec(name)), size));
                }
                case 2 -> {
                    after.remove(name);
                    attempt(client, after, c -> c.remove(spec(name)));
                }
                case 3 -> {
                    after.remove(name);
                    after.put(other, old);
                    attempt(client, after, c -> c.rename(spec(name), spec(other)));
                }
                default -> write(client, name, old);
            }
        }

        /** Does something that happens whole or not at all. */
        private void attempt(ZoidfsClient client, Map<String, byte[]> after, Doing doing)
                throws IOException {
            if (run(client, doing)) {
                model = after;
                return;
            }
            Map<String, byte[]> found = found(directory);
            model = isSame(found, after) ? after : model;
            assertSame(found, model);
            awaitServer(client);
        }

        private static boolean isSame(Map<String, byte[]> one, Map<String, byte[]> other) {
            return one.keySet().equals(other.keySet())
                    && one.entrySet().stream()
                            .allMatch(e -> Arrays.equals(e.getValue(), other.get(e.getKey())));
        }

        /** Whether it was answered; another failure than no answer is a fault. */
        private static boolean run(ZoidfsClient client, Doing doing) throws IOException {
            try {
                doing.with(client);
                return true;
            } catch (ZoidfsException e) {
                if (e.getCause() == null) {
                    throw e;
                }
                assertThat(e.status()).isIn(Status.OTHER, Status.TIMEOUT);
                return false;
            }
        }

        private void write(ZoidfsClient client, String name, byte[] old) throws IOException {
            byte[] bytes = new byte[1 + random.nextInt(MAX_BYTES / 2)];
            random.nextBytes(bytes);
            int offset = random.nextInt(MAX_BYTES / 2);
            byte[] after = Arrays.copyOf(old, Math.max(old.length, offset + bytes.length));
            System.arraycopy(bytes, 0, after, offset, bytes.length);
            boolean behind = random.nextBoolean();
            MemorySegment memory = MemorySegment.ofArray(bytes);
            boolean done =
                    run(
                            client,
                            c -> {
                                FileHandle handle = c.lookup(spec(name));
                                if (behind) {
                                    c.writeBehind(handle, memory, offset);
                                    // Only now it counts.
                                    c.commit(handle);
                                } else {
                                    c.write(handle, memory, offset);
                                }
                            });
            if (done) {
                model.put(name, after);
                return;
            }
            Map<String, byte[]> found = found(directory);
            byte[] now = found.get(name);
            assertIsBetween(now, old, after);
            model.put(name, now);
            assertSame(found, model);
            awaitServer(client);
        }

        /** Each byte is the old one or the new one; where none was there may be a hole. */
        private static void assertIsBetween(byte @Nullable [] now, byte[] old, byte[] after) {
            assertThat(now).isNotNull();
            assertThat(now.length).isBetween(old.length, after.length);
            for (int i = 0; i < now.length; i++) {
                byte before = i < old.length ? old[i] : 0;
                if (now[i] != before && now[i] != after[i]) {
                    throw new AssertionError("The byte at " + i + " is neither old nor new");
                }
            }
        }

        private static void awaitServer(ZoidfsClient client) {
            Await.until(
                    "a server again",
                    () -> {
                        try {
                            client.ping();
                            return true;
                        } catch (IOException e) {
                            return false;
                        }
                    });
        }
    }

    private static final int CHUNK_BYTES = 50_000;
    private static final int CHUNKS = 20;

    @Test
    void aClientThatIsKilledLeavesWholeChunksAndGivesItsMemoryBack() throws Exception {
        try (TestServer server = TestServer.of(folder)) {
            List<String> command = ServerProcess.command(WritingClient.class, server.address());
            Process writer =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            try (BufferedReader out = writer.inputReader()) {
                for (int i = 0; i < 3; i++) {
                    assertThat(out.readLine()).isEqualTo("round " + i);
                }
                writer.destroyForcibly().waitFor();
            } finally {
                writer.destroyForcibly();
            }
            Await.until("all calls are over", () -> server.server().calls() == 0);
            byte[] found = Files.readAllBytes(folder.resolve("f"));
            assertThat(found).hasSize(CHUNKS * CHUNK_BYTES);
            for (int i = 0; i < CHUNKS; i++) {
                byte[] chunk = Arrays.copyOfRange(found, i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES);
                assertThat(chunk).as("chunk " + i).containsOnly(chunk[0]);
            }
        }
    }

    /** Writes a file again and again, each time with another byte. */
    static final class WritingClient {
        private WritingClient() {}

        public static void main(String[] arguments) throws IOException {
            ClientOptions options = ClientOptions.DEFAULT.withChunkBytes(CHUNK_BYTES);
            try (Bmi bmi = Bmi.open();
                    ZoidfsClient client = ZoidfsClient.connect(bmi, arguments[0], options)) {
                FileHandle file =
                        client.create(FileSpec.path("/f"), SettableAttributes.ofMode(0644))
                                .handle();
                byte[] bytes = new byte[CHUNKS * CHUNK_BYTES];
                // Until nobody listens any more.
                for (int round = 0; !System.out.checkError(); round++) {
                    Arrays.fill(bytes, (byte) (round + 1));
                    client.write(file, MemorySegment.ofArray(bytes), 0);
                    System.out.println("round " + round);
                }
            }
        }
    }
}
