package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jbmi.Bmi;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.Transfer;
import org.jbmi.zoidfs.server.config.Limits;
import org.jbmi.zoidfs.server.os.Errno;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A disk that is full, fails or waits: errors arrive where they belong, and others go on. */
@Timeout(90)
class BrokenDiskTest {
    private static final Limits LIMITS =
            new Limits(64, 16 << 20, 4 << 20, 3, 60_000, 10, 128 << 20);

    private static final int SLOW_BYTES = 5_000;

    @TempDir private Path folder;

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

    @Test
    void aFailingDiskFailsWhatItFailsOnAndNothingElse() throws Exception {
        AtomicBoolean failing = new AtomicBoolean();
        TestDisk disk = TestDisk.of().whenWritten(size -> failing.get() ? -Errno.EIO : 0);
        try (TestServer server = TestServer.on(disk.calls(), folder, LIMITS);
                Bmi bmi = Bmi.open();
                ZoidfsClient client =
                        ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT)) {
            FileHandle file = create(client, "/f");
            client.write(file, bytes(100_000, 1), 0);
            failing.set(true);
            assertThat(status(() -> client.write(file, bytes(3 << 20, 2), 0))).isEqualTo(Status.IO);
            assertThat(client.writeBehind(file, bytes(1_000, 3), 0)).isEqualTo(1_000);
            byte[] back = new byte[100_000];
            assertThat(client.read(file, MemorySegment.ofArray(back), 0)).isEqualTo(100_000);
            assertThat(MemorySegment.ofArray(back).mismatch(bytes(100_000, 1))).isEqualTo(-1);
            assertThat(status(() -> client.commit(file))).isEqualTo(Status.IO);
            failing.set(false);
            assertThat(status(() -> client.commit(file))).isEqualTo(Status.OK);
            assertThat(client.write(file, bytes(3 << 20, 2), 0)).isEqualTo(3 << 20);
            assertThat(MemorySegment.ofArray(Files.readAllBytes(folder.resolve("f"))))
                    .matches(found -> found.mismatch(bytes(3 << 20, 2)) == -1);
        }
    }

    /** Another process moves the file out of the export and back. */
    @Test
    void aCommitReportsAWriteThatFailedWhileItsFileWasAway(@TempDir Path elsewhere)
            throws Exception {
        try (TestServer server = TestServer.on(TestDisk.of().calls(), folder, LIMITS);
                Bmi bmi = Bmi.open();
                ZoidfsClient client =
                        ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT)) {
            FileHandle file = create(client, "/f");
            Files.move(folder.resolve("f"), elsewhere.resolve("f"));
            assertThat(client.writeBehind(file, bytes(1_000, 1), 0)).isEqualTo(1_000);
            // This comes behind the write.
            assertThat(status(() -> client.getAttributes(file))).isEqualTo(Status.STALE);
            Files.move(elsewhere.resolve("f"), folder.resolve("f"));
            assertThat(status(() -> client.commit(file))).isEqualTo(Status.STALE);
            assertThat(status(() -> client.commit(file))).isEqualTo(Status.OK);
        }
    }

    /** Files that nobody uses make room, also for the content of a file that is open already. */
    @Test
    void aCallFindsADescriptorThoughFilesThatNobodyUsesHaveAll() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        TestDisk disk =
                TestDisk.of()
                        .whenOpening(
                                path ->
                                        (path.startsWith("/proc/self/fd/") || path.equals("."))
                                                        && failures.getAndDecrement() > 0
                                                ? -Errno.EMFILE
                                                : 0);
        Files.writeString(folder.resolve("f"), "text");
        Files.createDirectory(folder.resolve("d"));
        try (TestServer server = TestServer.on(disk.calls(), folder, LIMITS);
                Bmi bmi = Bmi.open();
                ZoidfsClient client =
                        ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT)) {
            FileHandle file = client.lookup(FileSpec.path("/f"));
            FileHandle directory = client.lookup(FileSpec.path("/d"));
            client.getAttributes(file);
            client.getAttributes(directory);
            assertThat(server.server().openFiles()).isEqualTo(2);
            failures.set(1);
            byte[] back = new byte[4];
            assertThat(client.read(file, MemorySegment.ofArray(back), 0)).isEqualTo(4);
            assertThat(server.server().openFiles()).isEqualTo(1);
            assertThat(failures).hasNonPositiveValue();
            failures.set(1);
            assertThat(status(() -> client.commit(directory))).isEqualTo(Status.OK);
            assertThat(failures).hasNonPositiveValue();
        }
    }

    @Test
    void aDiskThatWaitsOnOneFileKeepsNobodyFromOthers() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        TestDisk disk =
                TestDisk.of()
                        .whenWritten(
                                size -> {
                                    if (size == SLOW_BYTES) {
                                        reached.countDown();
                                        goOn.await();
                                    }
                                    return 0;
                                });
        try (TestServer server = TestServer.on(disk.calls(), folder, LIMITS);
                Bmi bmi = Bmi.open();
                Bmi other = Bmi.open();
                ZoidfsClient slow =
                        ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT);
                ZoidfsClient quick =
                        ZoidfsClient.connect(other, server.address(), ClientOptions.DEFAULT)) {
            FileHandle waiting = create(slow, "/slow");
            FileHandle file = create(quick, "/quick");
            // As many as there are workers, apart from each other.
            List<CompletableFuture<Long>> writes = new ArrayList<>();
            for (int i = 0; i < LIMITS.workers(); i++) {
                long offset = 2L * i * SLOW_BYTES;
                writes.add(
                        slow.submit(() -> slow.write(waiting, bytes(SLOW_BYTES, offset), offset)));
            }
            reached.await();
            Await.until("all are taken", () -> server.server().calls() == LIMITS.workers());
            for (int i = 0; i < 20; i++) {
                assertThat(quick.write(file, bytes(50_000, i), 50_000L * i)).isEqualTo(50_000);
                byte[] back = new byte[50_000];
                quick.read(file, MemorySegment.ofArray(back), 50_000L * i);
                assertThat(MemorySegment.ofArray(back).mismatch(bytes(50_000, i))).isEqualTo(-1);
                assertThat(quick.getAttributes(file).size()).isEqualTo(50_000L * (i + 1));
            }
            assertThat(writes).noneMatch(CompletableFuture::isDone);
            goOn.countDown();
            for (CompletableFuture<Long> write : writes) {
                assertThat(write.get()).isEqualTo(SLOW_BYTES);
            }
        }
    }

    /** A file without reads and writes under way, too. */
    @Test
    void manyCommitsOfOneFileKeepNobodyFromOthers() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        TestDisk disk =
                TestDisk.of()
                        .whenSynced(
                                () -> {
                                    reached.countDown();
                                    goOn.await();
                                    return 0;
                                });
        try (TestServer server = TestServer.on(disk.calls(), folder, LIMITS);
                Bmi bmi = Bmi.open();
                Bmi other = Bmi.open();
                ZoidfsClient slow =
                        ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT);
                ZoidfsClient quick =
                        ZoidfsClient.connect(
                                other,
                                server.address(),
                                ClientOptions.DEFAULT.withTimeoutMs(20_000))) {
            FileHandle waiting = create(slow, "/slow");
            List<CompletableFuture<Boolean>> commits = new ArrayList<>();
            for (int i = 0; i < LIMITS.workers(); i++) {
                commits.add(
                        slow.submit(
                                () -> {
                                    slow.commit(waiting);
                                    return true;
                                }));
            }
            reached.await();
            Await.until("all are taken", () -> server.server().calls() == LIMITS.workers());
            try {
                FileHandle file = create(quick, "/quick");
                assertThat(quick.write(file, bytes(50_000, 1), 0)).isEqualTo(50_000);
                assertThat(commits).noneMatch(CompletableFuture::isDone);
            } finally {
                goOn.countDown();
            }
            for (CompletableFuture<Boolean> commit : commits) {
                assertThat(commit.get()).isTrue();
            }
        }
    }

    /** Else a client could write and get OK, and then lose its bytes to the resize. */
    @Test
    void aWriteDoesNotOvertakeAResizeThatCameBefore() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        TestDisk disk =
                TestDisk.of()
                        .whenTruncated(
                                () -> {
                                    reached.countDown();
                                    goOn.await();
                                    return 0;
                                });
        Limits oneLeft = new Limits(64, 16 << 20, 4 << 20, 2, 60_000, 10, 128 << 20);
        byte[] text = "text".getBytes(StandardCharsets.UTF_8);
        Transfer transfer = Transfer.of(0, text.length, 0);
        try (TestServer server = TestServer.on(disk.calls(), folder, oneLeft);
                Bmi bmi = Bmi.open();
                ZoidfsClient client =
                        ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT);
                RawClient writer = new RawClient(server.port())) {
            FileHandle file = create(client, "/f");
            FileHandle other = create(client, "/other");
            CompletableFuture<Boolean> resize =
                    client.submit(
                            () -> {
                                client.resize(file, 0);
                                return true;
                            });
            reached.await();
            int tag = 2;
            try {
                for (FileHandle each : List.of(file, other)) {
                    Request write = Request.moving(Operation.WRITE, each, transfer, Hints.NONE);
                    writer.sendUnexpected(tag, write.toByteArray());
                    writer.sendExpected(tag, text);
                    tag++;
                }
                // The worker that is left takes them in their order, but for those that must wait.
                assertThat(writer.receive(3)).startsWith(0, 0, 0, 0);
            } finally {
                goOn.countDown();
            }
            assertThat(writer.receive(2)).startsWith(0, 0, 0, 0);
            assertThat(resize.get()).isTrue();
            assertThat(folder.resolve("f")).hasContent("text");
        }
    }

    @Test
    void aFullDiskIsSaidAndWhatFitsIsThere() throws Exception {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/unshare")) && canMount(),
                "a small file system can be mounted only by who may");
        Path small = Files.createDirectory(folder.resolve("small"));
        String script = "mount -t tmpfs -o size=2m none \"$0\" && exec \"$@\"";
        List<String> command =
                new ArrayList<>(
                        List.of("/usr/bin/unshare", "-m", "sh", "-c", script, small.toString()));
        command.addAll(
                ServerProcess.command(
                        ServerProcess.class,
                        small.toString(),
                        folder.resolve("state/key").toString()));
        try (ServerProcess server = ServerProcess.start(command);
                Bmi bmi = Bmi.open();
                ZoidfsClient client =
                        ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT)) {
            FileHandle first = create(client, "/first");
            assertThat(client.write(first, bytes(1 << 20, 1), 0)).isEqualTo(1 << 20);
            FileHandle second = create(client, "/second");
            assertThat(status(() -> client.write(second, bytes(4 << 20, 2), 0)))
                    .isEqualTo(Status.NOSPC);
            assertThat(client.writeBehind(second, bytes(1 << 20, 3), 2 << 20)).isEqualTo(1 << 20);
            assertThat(status(() -> client.commit(second))).isEqualTo(Status.NOSPC);
            byte[] back = new byte[1 << 20];
            assertThat(client.read(first, MemorySegment.ofArray(back), 0)).isEqualTo(1 << 20);
            assertThat(MemorySegment.ofArray(back).mismatch(bytes(1 << 20, 1))).isEqualTo(-1);
            // A removed file makes room at once, also one that is still open in the server.
            client.remove(FileSpec.path("/second"));
            FileHandle third = create(client, "/third");
            assertThat(client.write(third, bytes(900_000, 4), 0)).isEqualTo(900_000);
        }
    }

    private static boolean canMount() throws IOException, InterruptedException {
        return new ProcessBuilder("/usr/bin/unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt")
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }
}
