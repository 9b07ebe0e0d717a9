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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * Real disks that fail, stand still and end: a file system on a block device whose own store has
 * too little room, one that is frozen, and a bound on the length of files. The export has a good
 * disk beside the bad one.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BlockDeviceTest {
    private static final int PART_BYTES = 1 << 20;

    @TempDir private Path folder;

    @BeforeEach
    void makeFolders() throws IOException {
        for (String name : List.of("store", "export", "export/bad", "export/good")) {
            Files.createDirectory(folder.resolve(name));
        }
    }

    /** A device of 48 MiB, whose store holds as much as is said, and a good disk beside it. */
    private String disks(String storeSize) {
        return """
        folder=%s
        mount -t tmpfs -o size=%s none $folder/store
        truncate -s 48m $folder/store/device
        mkfs.ext4 -q -F -O ^has_journal $folder/store/device
        mount -o loop $folder/store/device $folder/export/bad
        mount -t tmpfs -o size=16m none $folder/export/good
        """
                .formatted(folder, storeSize);
    }

    private ServerProcess server(String script) throws IOException {
        List<String> server =
                ServerProcess.command(
                        ServerProcess.class,
                        folder.resolve("export").toString(),
                        folder.resolve("state/key").toString());
        return ServerProcess.start(Namespaces.withMounts(script, server));
    }

    private static MemorySegment bytes(int size, long seed) {
        byte[] bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        return MemorySegment.ofArray(bytes);
    }

    private static FileHandle create(ZoidfsClient client, String name) throws IOException {
        return client.create(FileSpec.path(name), SettableAttributes.ofMode(0644)).handle();
    }

    private interface Failing {
        void run() throws IOException;
    }

    private static int status(Failing failing) throws IOException {
        try {
            failing.run();
            return Status.OK;
        } catch (ZoidfsException e) {
            return e.status();
        }
    }

    private static void assertGood(ZoidfsClient client, String name) throws IOException {
        FileHandle file = create(client, name);
        assertThat(client.write(file, bytes(PART_BYTES, 5), 0)).isEqualTo(PART_BYTES);
        client.commit(file);
        byte[] back = new byte[PART_BYTES];
        assertThat(client.read(file, MemorySegment.ofArray(back), 0)).isEqualTo(PART_BYTES);
        assertThat(MemorySegment.ofArray(back).mismatch(bytes(PART_BYTES, 5))).isEqualTo(-1);
    }

    @Test
    void aDeviceThatFailsIsToldByCommitAndTheOtherOneWorks() throws Exception {
        Namespaces.assumeMountsWork("a file system on a block device", disks("12m"));
        try (ServerProcess server = server(disks("12m"));
                Bmi bmi = Bmi.open();
                ZoidfsClient client =
                        ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT)) {
            FileHandle bad = create(client, "/bad/f");
            // Memory takes what the device will not. Kernels differ in the number they tell.
            List<Integer> told = new ArrayList<>();
            for (int i = 0; i < 24; i++) {
                long offset = (long) i * PART_BYTES;
                told.add(status(() -> client.write(bad, bytes(PART_BYTES, offset), offset)));
            }
            told.add(status(() -> client.commit(bad)));
            assertThat(told).containsAnyOf(Status.IO, Status.NOSPC);
            assertThat(told).isSubsetOf(Status.OK, Status.IO, Status.NOSPC);
            assertGood(client, "/good/f");
            assertThat(client.getAttributes(bad).size()).isPositive();
        }
    }

    @Test
    void aDeviceThatStandsStillKeepsNobodyFromTheOtherOne() throws Exception {
        Namespaces.assumeMountsWork("a file system on a block device", disks("64m"));
        try (ServerProcess server = server(disks("64m"));
                Bmi bmi = Bmi.open();
                ZoidfsClient client =
                        ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT)) {
            FileHandle bad = create(client, "/bad/f");
            client.write(bad, bytes(PART_BYTES, 1), 0);
            List<CompletableFuture<Long>> waiting = new ArrayList<>();
            try (Frozen frozen = Frozen.of(server, folder.resolve("export/bad"))) {
                // More than any file may have with the workers at a time.
                for (int i = 0; i < 6; i++) {
                    long offset = 2L * i * PART_BYTES;
                    waiting.add(
                            client.submit(
                                    () -> client.write(bad, bytes(PART_BYTES, offset), offset)));
                }
                for (int i = 0; i < 10; i++) {
                    assertGood(client, "/good/f" + i);
                    assertThat(client.getAttributes(bad).size()).isPositive();
                }
                assertThat(waiting).noneMatch(CompletableFuture::isDone);
                assertThat(frozen.isHolding()).isTrue();
            }
            for (CompletableFuture<Long> write : waiting) {
                assertThat(write.get()).isEqualTo(PART_BYTES);
            }
            client.commit(bad);
            for (int i = 0; i < waiting.size(); i++) {
                long offset = 2L * i * PART_BYTES;
                byte[] back = new byte[PART_BYTES];
                client.read(bad, MemorySegment.ofArray(back), offset);
                assertThat(MemorySegment.ofArray(back).mismatch(bytes(PART_BYTES, offset)))
                        .isEqualTo(-1);
            }
        }
    }

    /** A file system on which writers wait until this is closed, or the test is no more. */
    private record Frozen(Process holder) implements AutoCloseable {
        static Frozen of(ServerProcess server, Path mounted) throws IOException {
            String script = "fsfreeze -f \"$0\"; echo frozen; read -r end; fsfreeze -u \"$0\"";
            Process holder =
                    new ProcessBuilder(
                                    "nsenter",
                                    "-m",
                                    "-t",
                                    Long.toString(server.pid()),
                                    "sh",
                                    "-c",
                                    script,
                                    mounted.toString())
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            Frozen frozen = new Frozen(holder);
            String line = holder.inputReader().readLine();
            if (!"frozen".equals(line)) {
                frozen.close();
                throw new IOException("The file system was not frozen: " + line);
            }
            return frozen;
        }

        boolean isHolding() {
            return holder.isAlive();
        }

        /** The script goes on when its input ends. */
        @Override
        public void close() throws IOException {
            holder.getOutputStream().close();
            holder.onExit().join();
        }
    }

    @Test
    void aFileThatMayNotGrowIsToldAndOthersAreWritten() throws Exception {
        // In units of 512 bytes: 2 MiB.
        List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -f 4096; exec \"$@\""));
        command.add("sh");
        command.addAll(
                ServerProcess.command(
                        ServerProcess.class,
                        folder.resolve("export").toString(),
                        folder.resolve("state/key").toString()));
        try (ServerProcess server = ServerProcess.start(command);
                Bmi bmi = Bmi.open();
                ZoidfsClient client =
                        ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT)) {
            FileHandle file = create(client, "/f");
            assertThat(status(() -> client.write(file, bytes(3 * PART_BYTES, 1), 0)))
                    .isEqualTo(Status.FBIG);
            assertThat(status(() -> client.resize(file, 3L * PART_BYTES))).isEqualTo(Status.FBIG);
            assertThat(client.write(file, bytes(PART_BYTES, 2), PART_BYTES)).isEqualTo(PART_BYTES);
            assertGood(client, "/good/f");
        }
    }
}
