package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.os.FileSystemKind;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What needs no disk is answered while all workers wait for one. */
@Timeout(60)
class AtOnceTest extends ServerFeature {
    private static final int SIZE_BYTES = 100_000;

    private final CountDownLatch atDisk = new CountDownLatch(1);
    private final CountDownLatch free = new CountDownLatch(1);
    private final SystemCalls calls = SystemCalls.bind();
    private TestServer server;
    private Client client;
    private CompletableFuture<?> waiting;
    private FileSystemKind kind;

    @BeforeEach
    void start() throws IOException {
        int descriptor = open(folder);
        kind = calls.atOnce().kind(descriptor);
        calls.close(descriptor);
        TestDisk disk = TestDisk.of().whenMade(this::hold);
        server = TestServer.on(disk.calls(), folder, limits(4 << 20, 1));
        client = Client.of(server, ClientOptions.DEFAULT.withTimeoutMs(10_000));
    }

    @AfterEach
    void stop() {
        free.countDown();
        client.close();
        server.close();
    }

    private int open(Path path) {
        String name =
                new String(
                        path.toString().getBytes(StandardCharsets.UTF_8),
                        StandardCharsets.ISO_8859_1);
        return calls.open(SystemCalls.CURRENT_FOLDER, name, SystemCalls.O_RDONLY, 0);
    }

    private void hold(String name) {
        if (name.equals("held")) {
            atDisk.countDown();
            try {
                free.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException("Nobody interrupts a worker", e);
            }
        }
    }

    /** The only worker waits from here on. */
    private void holdWorker() throws InterruptedException {
        waiting =
                client.zoidfs().submit(() -> client.zoidfs().create(FileSpec.path("/held"), PLAIN));
        atDisk.await();
    }

    private FileHandle file() throws IOException {
        FileHandle file = client.zoidfs().create(FileSpec.path("/f"), PLAIN).handle();
        client.zoidfs().write(file, random(SIZE_BYTES, 1), 0);
        return file;
    }

    private void assertReads(FileHandle file, int offset, int size) throws IOException {
        byte[] back = new byte[size];
        long read = client.zoidfs().read(file, MemorySegment.ofArray(back), offset);
        assertThat(read).isEqualTo(Math.min(size, SIZE_BYTES - offset));
        assertThat(MemorySegment.ofArray(back).asSlice(0, read))
                .matches(
                        found -> found.mismatch(random(SIZE_BYTES, 1).asSlice(offset, read)) == -1);
    }

    private boolean readTimeIsNew() {
        try {
            Path file = folder.resolve("f");
            FileTime read = (FileTime) Files.getAttribute(file, "lastAccessTime");
            return read.compareTo((FileTime) Files.getAttribute(file, "unix:ctime")) > 0
                    && read.compareTo(Files.getLastModifiedTime(file)) > 0;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Reads by the worker, until a further read changes no time on the disk. */
    private void warm(FileHandle file) {
        Await.until(
                "a read that changes nothing",
                () -> {
                    try {
                        byte[] all = new byte[SIZE_BYTES];
                        client.zoidfs().read(file, MemorySegment.ofArray(all), 0);
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                    return kind == FileSystemKind.LOCAL_NOATIME || readTimeIsNew();
                });
    }

    @Test
    void attributesOfAnOpenFileAreToldWhileTheWorkerWaits() throws Exception {
        assumeTrue(kind != FileSystemKind.REMOTE_OR_UNKNOWN, "a local file system is needed");
        FileHandle file = file();
        holdWorker();
        assertThat(client.zoidfs().getAttributes(file).size()).isEqualTo(SIZE_BYTES);
        Files.write(folder.resolve("f"), new byte[5]);
        assertThat(client.zoidfs().getAttributes(file).size()).isEqualTo(5);
        assertThat(waiting).isNotDone();
    }

    @Test
    void whatIsInMemoryIsReadWhileTheWorkerWaits() throws Exception {
        assumeTrue(
                kind == FileSystemKind.LOCAL_RELATIME || kind == FileSystemKind.LOCAL_NOATIME,
                "a local file system is needed on which not each read changes a time");
        FileHandle file = file();
        warm(file);
        assumeTrue(readsAtOnce(), "the file system does not read without waiting");
        holdWorker();
        assertReads(file, 0, 4_096);
        byte[] end = new byte[4_096];
        assertThat(client.zoidfs().read(file, MemorySegment.ofArray(end), SIZE_BYTES - 10))
                .isEqualTo(10);
        assertThat(client.zoidfs().read(file, MemorySegment.ofArray(end), SIZE_BYTES)).isZero();
        assertThat(waiting).isNotDone();
    }

    @Test
    void aLongReadOfWhatIsInMemoryIsDoneWhileTheWorkerWaits() throws Exception {
        assumeTrue(
                kind == FileSystemKind.LOCAL_RELATIME || kind == FileSystemKind.LOCAL_NOATIME,
                "a local file system is needed on which not each read changes a time");
        FileHandle file = file();
        int size = 1 << 20;
        client.zoidfs().write(file, random(size, 2), 0);
        warm(file);
        assumeTrue(readsAtOnce(), "the file system does not read without waiting");
        holdWorker();
        byte[] back = new byte[size];
        assertThat(client.zoidfs().read(file, MemorySegment.ofArray(back), 0)).isEqualTo(size);
        assertThat(MemorySegment.ofArray(back).mismatch(random(size, 2))).isEqualTo(-1);
        assertThat(waiting).isNotDone();
    }

    private boolean readsAtOnce() {
        int descriptor = open(folder.resolve("f"));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment[] list = {arena.allocate(10)};
            return calls.atOnce().read(descriptor, list, 1, 0) == 10;
        } finally {
            calls.close(descriptor);
        }
    }

    @Test
    void whatIsNotInMemoryIsReadByTheWorker() throws Exception {
        FileHandle file = file();
        warm(file);
        client.zoidfs().commit(file);
        Process forgetting =
                new ProcessBuilder(
                                "dd",
                                "of=" + folder.resolve("f"),
                                "oflag=nocache",
                                "conv=notrunc,fdatasync",
                                "count=0")
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        assumeTrue(forgetting.waitFor() == 0, "there is no dd that lets the system forget a file");
        assertReads(file, 0, 50_000);
        assertReads(file, 0, SIZE_BYTES + 1);
    }

    @Test
    void whatWasMovedOutWithItsFolderIsStale() throws Exception {
        Path inside = Files.createDirectories(folder.resolve("export/d"));
        Path outside = Files.createDirectory(folder.resolve("outside"));
        Files.write(inside.resolve("f"), new byte[10]);
        try (TestServer own = TestServer.of(folder.resolve("export"));
                Client other = Client.of(own, ClientOptions.DEFAULT)) {
            FileHandle file = other.zoidfs().lookup(FileSpec.path("/d/f"));
            // So often that the server need not look any more where it is.
            for (int i = 0; i < 200; i++) {
                assertThat(other.zoidfs().getAttributes(file).size()).isEqualTo(10);
            }
            Files.move(inside, outside.resolve("d"));
            assertStatus(Status.STALE, () -> other.zoidfs().getAttributes(file));
            assertStatus(
                    Status.STALE,
                    () -> other.zoidfs().read(file, MemorySegment.ofArray(new byte[10]), 0));
            // A folder whose name only begins like that of the export.
            Files.move(
                    outside.resolve("d"),
                    Files.createDirectory(folder.resolve("export2")).resolve("d"));
            assertStatus(Status.STALE, () -> other.zoidfs().getAttributes(file));
            Files.move(folder.resolve("export2/d"), folder.resolve("export/back"));
            assertThat(other.zoidfs().getAttributes(file).size()).isEqualTo(10);
        }
    }

    @Test
    void manyReadsAtATimeOfOneClientAreAllRight() throws Exception {
        FileHandle file = file();
        warm(file);
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            int thread = t;
            all.add(
                    client.zoidfs()
                            .submit(
                                    () -> {
                                        for (int i = 0; i < 100; i++) {
                                            int offset = (thread * 7_919 + i * 911) % 90_000;
                                            byte[] back = new byte[4_096];
                                            client.zoidfs()
                                                    .read(
                                                            file,
                                                            MemorySegment.ofArray(back),
                                                            offset);
                                            assertThat(MemorySegment.ofArray(back))
                                                    .matches(
                                                            part ->
                                                                    part.mismatch(part(offset))
                                                                            == -1);
                                        }
                                        return true;
                                    }));
        }
        for (CompletableFuture<?> each : all) {
            each.get();
        }
    }

    private static MemorySegment part(int offset) {
        return random(SIZE_BYTES, 1).asSlice(offset, 4_096);
    }

    /** Replies to other calls show that the server is there, but not that it still has this one. */
    @Test
    void aCallThatIsNotAnsweredEndsBesideOthersThatAre() throws Exception {
        ClientOptions hasty = ClientOptions.DEFAULT.withTimeoutMs(2_000);
        try (Client other = Client.of(server, hasty)) {
            ZoidfsClient zoidfs = other.zoidfs();
            waiting = zoidfs.submit(() -> zoidfs.create(FileSpec.path("/held"), PLAIN));
            while (!waiting.isDone()) {
                zoidfs.ping();
            }
            assertThatThrownBy(waiting::get)
                    .cause()
                    .isInstanceOfSatisfying(
                            ZoidfsException.class,
                            e -> assertThat(e.status()).isEqualTo(Status.TIMEOUT));
        }
    }

    /** A call that is never answered must not lend its time to messages that come later. */
    @Test
    void callsThatAreNotAnsweredEndBesideOthersThatAreSlow() throws Exception {
        int calls = 12;
        long timeoutMs = 1_500;
        try (Client other = Client.of(server, ClientOptions.DEFAULT.withTimeoutMs(timeoutMs))) {
            ZoidfsClient zoidfs = other.zoidfs();
            List<CompletableFuture<Long>> stuck = new ArrayList<>();
            for (int i = 0; i < calls; i++) {
                stuck.add(zoidfs.submit(() -> timeoutMs(zoidfs)));
            }
            long nextNs = System.nanoTime();
            while (!stuck.stream().allMatch(CompletableFuture::isDone)) {
                nextNs += TimeUnit.MILLISECONDS.toNanos(timeoutMs * 4 / 5);
                while (System.nanoTime() - nextNs < 0) {
                    LockSupport.parkNanos(nextNs - System.nanoTime());
                }
                zoidfs.ping();
            }
            for (CompletableFuture<Long> each : stuck) {
                assertThat(each.get()).isBetween(timeoutMs, 5 * timeoutMs);
            }
        }
    }

    /** How long a call takes that is not answered. */
    private static long timeoutMs(ZoidfsClient zoidfs) {
        long beginNs = System.nanoTime();
        assertStatus(Status.TIMEOUT, () -> zoidfs.create(FileSpec.path("/held"), PLAIN));
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beginNs);
    }
}
