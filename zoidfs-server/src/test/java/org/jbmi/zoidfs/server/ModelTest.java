package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.config.Limits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Random operations by several clients at once, each in a directory of its own, on the server and
 * on a tree in memory; afterwards both are equal.
 */
class ModelTest {
    private static final int CLIENTS = 4;
    private static final boolean LONG = Boolean.getBoolean("jbmi.long");
    private static final int STEPS = LONG ? 20_000 : 300;
    private static final int NAMES = 8;
    private static final int MAX_BYTES = 30_000;

    @TempDir private Path folder;

    @Test
    void theServerDoesWhatATreeInMemoryDoes() throws Exception {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        try (TestServer server =
                        TestServer.of(
                                folder,
                                Dialect.MAIN,
                                settings -> settings.withMaxOpenFiles(6),
                                Limits.DEFAULT);
                ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<Map<String, byte[]>>> trees = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                String directory = "/client" + i;
                Random random = new Random(seed + i);
                Callable<Map<String, byte[]>> work =
                        () -> new Player(server.address(), directory, random).play();
                trees.add(threads.submit(work));
            }
            for (int i = 0; i < CLIENTS; i++) {
                Map<String, byte[]> expected = trees.get(i).get();
                Map<String, byte[]> found = found(folder.resolve("client" + i));
                assertThat(found.keySet()).isEqualTo(expected.keySet());
                expected.forEach(
                        (name, bytes) -> assertThat(found.get(name)).as(name).isEqualTo(bytes));
            }
        }
    }

    private static Map<String, byte[]> found(Path directory) throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        try (var each = Files.list(directory)) {
            for (Path file : each.toList()) {
                files.put(file.getFileName().toString(), Files.readAllBytes(file));
            }
        }
        return files;
    }

    /** One client with its model: names, each with a content that other names may share. */
    private static final class Player {
        private final String address;
        private final String directory;
        private final Random random;
        private final Map<String, byte[][]> model = new TreeMap<>();
        private final Map<String, FileHandle> handles = new TreeMap<>();

        Player(String address, String directory, Random random) {
            this.address = address;
            this.directory = directory;
            this.random = random;
        }

        Map<String, byte[]> play() throws IOException {
            ClientOptions options = ClientOptions.DEFAULT.withChunkBytes(7_000);
            try (Bmi bmi = Bmi.open();
                    ZoidfsClient client = ZoidfsClient.connect(bmi, address, options)) {
                client.makeDirectory(FileSpec.path(directory), SettableAttributes.ofMode(0755));
                for (int i = 0; i < STEPS; i++) {
                    step(client);
                }
                for (FileHandle handle : handles.values()) {
                    client.commit(handle);
                }
            }
            Map<String, byte[]> contents = new TreeMap<>();
            model.forEach((name, cell) -> contents.put(name, cell[0]));
            return contents;
        }

        private String name() {
            return "n" + random.nextInt(NAMES);
        }

        private FileSpec spec(String name) {
            return FileSpec.path(directory + "/" + name);
        }

        private void step(ZoidfsClient client) throws IOException {
            String name = name();
            String other = name();
            byte[][] cell = model.get(name);
            FileHandle handle = handles.get(name);
            switch (random.nextInt(8)) {
                case 0 -> {
                    var created = client.create(spec(name), SettableAttributes.ofMode(0644));
                    assertThat(created.isNew()).isEqualTo(cell == null);
                    if (cell != null) {
                        assertThat(created.handle()).isEqualTo(handle);
                    }
                    model.putIfAbsent(name, new byte[][] {new byte[0]});
                    handles.put(name, created.handle());
                }
                case 1, 2 -> {
                    if (cell != null) {
                        write(client, handle, cell);
                    }
                }
                case 3 -> {
                    if (cell != null) {
                        int size = random.nextInt(MAX_BYTES);
                        client.resize(handle, size);
                        cell[0] = Arrays.copyOf(cell[0], size);
                    }
                }
                case 4 -> rename(client, name, other);
                case 5 -> {
                    expect(cell == null, () -> client.remove(spec(name)));
                    model.remove(name);
                    handles.remove(name);
                }
                case 6 -> link(client, name, other);
                default -> {
                    if (cell != null) {
                        byte[] back = new byte[MAX_BYTES + 10];
                        Arrays.fill(back, (byte) 77);
                        long read = client.read(handle, MemorySegment.ofArray(back), 0);
                        byte[] found = Arrays.copyOf(back, (int) read);
                        assertThat(found)
                                .as(
                                        "%d bytes read of %d, other ones from %d on",
                                        read, cell[0].length, Arrays.mismatch(found, cell[0]))
                                .isEqualTo(cell[0]);
                    }
                }
            }
        }

        private void write(ZoidfsClient client, FileHandle handle, byte[][] cell)
                throws IOException {
            byte[] bytes = new byte[1 + random.nextInt(MAX_BYTES / 2)];
            random.nextBytes(bytes);
            int offset = random.nextInt(MAX_BYTES / 2);
            if (random.nextBoolean()) {
                client.write(handle, MemorySegment.ofArray(bytes), offset);
            } else {
                client.writeBehind(handle, MemorySegment.ofArray(bytes), offset);
            }
            byte[] content =
                    Arrays.copyOf(cell[0], Math.max(cell[0].length, offset + bytes.length));
            System.arraycopy(bytes, 0, content, offset, bytes.length);
            cell[0] = content;
        }

        private void rename(ZoidfsClient client, String name, String other) throws IOException {
            byte[][] cell = model.get(name);
            expect(cell == null, () -> client.rename(spec(name), spec(other)));
            // Names of one file stay both, as POSIX has it.
            if (cell != null && model.get(other) != cell) {
                model.put(other, cell);
                model.remove(name);
                handles.put(other, handles.remove(name));
            }
        }

        private void link(ZoidfsClient client, String name, String other) throws IOException {
            byte[][] cell = model.get(name);
            boolean taken = model.containsKey(other);
            try {
                client.link(spec(name), spec(other));
                assertThat(cell != null && !taken).isTrue();
                model.put(other, cell);
                handles.put(other, handles.get(name));
            } catch (ZoidfsException e) {
                assertThat(e.status()).isEqualTo(cell == null ? Status.NOENT : Status.EXIST);
                assertThat(cell == null || taken).isTrue();
            }
        }

        /** An operation. */
        private interface Doing {
            void run() throws IOException;
        }

        private static void expect(boolean missing, Doing doing) throws IOException {
            try {
                doing.run();
                assertThat(missing).isFalse();
            } catch (ZoidfsException e) {
                assertThat(e.status()).isEqualTo(Status.NOENT);
                assertThat(missing).isTrue();
            }
        }
    }
}
