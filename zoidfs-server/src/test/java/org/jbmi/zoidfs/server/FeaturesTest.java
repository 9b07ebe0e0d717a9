package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jbmi.Bmi;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.DirectoryEntry;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.LongList;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.config.Limits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/** What the server does beyond single calls, tried with the Java client over tcp. */
class FeaturesTest extends ServerFeature {
    private static final boolean LONG = Boolean.getBoolean("jbmi.long");

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 300})
    void longTransfersInManyRegionsArriveWhole(int regions) throws Exception {
        int size = LONG ? 100 << 20 : 9 << 20;
        byte[] bytes = random(size, regions).toArray(ValueLayout.JAVA_BYTE);
        ClientOptions options = ClientOptions.DEFAULT.withChunkBytes(LONG ? 8 << 20 : 1_000_003);
        try (TestServer server = TestServer.of(folder, Dialect.MAIN, s -> s, limits(8 << 20, 3));
                Client client = Client.of(server, options)) {
            FileHandle file = client.zoidfs().create(FileSpec.path("/f"), PLAIN).handle();
            List<MemorySegment> parts = new ArrayList<>();
            long[] offsets = new long[regions];
            long[] sizes = new long[regions];
            for (int i = 0; i < regions; i++) {
                int from = (int) ((long) size * i / regions);
                int to = (int) ((long) size * (i + 1) / regions);
                parts.add(MemorySegment.ofArray(bytes).asSlice(from, to - from));
                offsets[i] = from;
                sizes[i] = to - from;
            }
            LongList starts = LongList.of(offsets);
            LongList lengths = LongList.of(sizes);
            assertThat(client.zoidfs().moveList(true, file, parts, starts, lengths))
                    .isEqualTo(lengths);
            assertThat(Files.readAllBytes(folder.resolve("f"))).isEqualTo(bytes);
            byte[] back = new byte[size];
            MemorySegment whole = MemorySegment.ofArray(back);
            assertThat(client.zoidfs().moveList(false, file, List.of(whole), starts, lengths))
                    .isEqualTo(lengths);
            assertThat(back).isEqualTo(bytes);
            // One byte more than there is: the sizes tell what was read.
            assertThat(client.zoidfs().read(file, MemorySegment.ofArray(new byte[size + 1]), 0))
                    .isEqualTo(size);
        }
    }

    @Test
    void moreRegionsThanFitIntoARequestAreRefusedByTheClient() throws Exception {
        try (TestServer server = TestServer.of(folder, Dialect.MAIN, s -> s, limits(8 << 20, 2));
                Client client = Client.of(server, ClientOptions.DEFAULT)) {
            FileHandle file = client.zoidfs().create(FileSpec.path("/f"), PLAIN).handle();
            List<MemorySegment> parts = new ArrayList<>();
            long[] offsets = new long[700];
            long[] sizes = new long[700];
            for (int i = 0; i < offsets.length; i++) {
                parts.add(random(1, i));
                offsets[i] = i;
                sizes[i] = 1;
            }
            LongList starts = LongList.of(offsets);
            LongList lengths = LongList.of(sizes);
            assertThatThrownBy(() -> client.zoidfs().moveList(true, file, parts, starts, lengths))
                    .isInstanceOf(ZoidfsException.class)
                    .hasMessageContaining("more regions");
            assertThat(server.server().counters().malformed()).isZero();
            client.zoidfs().ping();
            assertThat(Files.size(folder.resolve("f"))).isZero();
        }
    }

    @Test
    void anErrorOfAWriteThatWasAnsweredIsToldByTheNextCommitOnce() throws Exception {
        Files.createFile(folder.resolve("f"));
        try (TestServer server =
                        TestServer.of(
                                folder,
                                Dialect.MAIN,
                                s -> s.withReadOnly(true),
                                limits(4 << 20, 2));
                Client client = Client.of(server, ClientOptions.DEFAULT)) {
            FileHandle file = client.zoidfs().lookup(FileSpec.path("/f"));
            assertThat(client.zoidfs().writeBehind(file, random(1_000, 1), 0)).isEqualTo(1_000);
            assertStatus(Status.ROFS, () -> client.zoidfs().commit(file));
            client.zoidfs().commit(file);
            // Without room to write behind the error comes at once.
            int tooMuch = 2 << 20;
            assertStatus(
                    Status.ROFS, () -> client.zoidfs().writeBehind(file, random(tooMuch, 2), 0));
            client.zoidfs().commit(file);
        }
    }

    @Test
    void writesThatWereAnsweredAreSeenByEverythingAfterThem() throws Exception {
        try (TestServer server = TestServer.of(folder, Dialect.MAIN, s -> s, limits(4 << 20, 4));
                Client client = Client.of(server, ClientOptions.DEFAULT)) {
            FileHandle file = client.zoidfs().create(FileSpec.path("/f"), PLAIN).handle();
            for (int i = 0; i < 200; i++) {
                client.zoidfs().writeBehind(file, random(1_000, i), i * 1_000L);
                byte[] back = new byte[1_000];
                client.zoidfs().read(file, MemorySegment.ofArray(back), i * 1_000L);
                assertThat(MemorySegment.ofArray(back).mismatch(random(1_000, i))).isEqualTo(-1);
                assertThat(client.zoidfs().getAttributes(file).size()).isEqualTo((i + 1) * 1_000L);
            }
            client.zoidfs().commit(file);
        }
    }

    /** What lies before it is zeros from then on, and no longer behind the end of the file. */
    @Test
    void aReadSeesTheEndThatAnAnsweredWriteMakes() throws Exception {
        CountDownLatch atDisk = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean holds = new AtomicBoolean();
        TestDisk disk =
                TestDisk.of()
                        .whenWritten(
                                size -> {
                                    if (holds.get()) {
                                        atDisk.countDown();
                                        goOn.await();
                                    }
                                    return 0;
                                });
        try (TestServer server = TestServer.on(disk.calls(), folder, limits(4 << 20, 4));
                Client client = Client.of(server, ClientOptions.DEFAULT)) {
            ZoidfsClient zoidfs = client.zoidfs();
            FileHandle file = zoidfs.create(FileSpec.path("/f"), PLAIN).handle();
            // So that the file is open for reading, and its beginning is in memory.
            zoidfs.write(file, random(10, 1), 0);
            zoidfs.read(file, MemorySegment.ofArray(new byte[10]), 0);
            holds.set(true);
            zoidfs.writeBehind(file, random(10, 2), 10_000);
            atDisk.await();
            byte[] back = new byte[5_000];
            CompletableFuture<Long> read =
                    zoidfs.submit(() -> zoidfs.read(file, MemorySegment.ofArray(back), 1_000));
            Await.until("the read is taken", () -> server.server().calls() == 2);
            for (int i = 0; i < 10; i++) {
                zoidfs.ping(); // which is answered behind it
            }
            assertThat(read).isNotDone();
            goOn.countDown();
            assertThat(read.get()).isEqualTo(5_000);
            assertThat(back).containsOnly(0);
        } finally {
            goOn.countDown();
        }
    }

    @Test
    void smallWritesOfSeveralClientsAreMergedAndRight() throws Exception {
        try (TestServer server = TestServer.of(folder, Dialect.MAIN, s -> s, limits(8 << 20, 1));
                Client one = Client.of(server, ClientOptions.DEFAULT);
                Client two = Client.of(server, ClientOptions.DEFAULT)) {
            FileHandle file = one.zoidfs().create(FileSpec.path("/f"), PLAIN).handle();
            byte[] bytes = new byte[64 * 1_000];
            while (server.server().counters().mergedPieces() == 0) {
                new Random(1).nextBytes(bytes);
                List<CompletableFuture<Long>> writes = new ArrayList<>();
                for (int i = 0; i < 64; i++) {
                    ZoidfsClient client = (i % 2 == 0 ? one : two).zoidfs();
                    MemorySegment part = MemorySegment.ofArray(bytes).asSlice(i * 1_000L, 1_000);
                    long offset = i * 1_000L;
                    writes.add(client.submit(() -> client.write(file, part, offset)));
                }
                for (CompletableFuture<Long> write : writes) {
                    assertThat(write.get()).isEqualTo(1_000);
                }
                assertThat(Files.readAllBytes(folder.resolve("f"))).isEqualTo(bytes);
            }
        }
    }

    @Test
    void littleMemoryIsSharedByManyClients() throws Exception {
        ClientOptions options = ClientOptions.DEFAULT.withChunkBytes(256 << 10);
        List<Client> clients = new ArrayList<>();
        try (TestServer server = TestServer.of(folder, Dialect.MAIN, s -> s, limits(1 << 20, 2))) {
            List<CompletableFuture<Long>> writes = new ArrayList<>();
            for (int c = 0; c < 6; c++) {
                Client client = Client.of(server, options);
                clients.add(client);
                FileHandle file = client.zoidfs().create(FileSpec.path("/f" + c), PLAIN).handle();
                for (int i = 0; i < 3; i++) {
                    long offset = i * (1L << 20);
                    long seed = c * 10L + i;
                    writes.add(
                            client.zoidfs()
                                    .submit(
                                            () ->
                                                    client.zoidfs()
                                                            .write(
                                                                    file,
                                                                    random(1 << 20, seed),
                                                                    offset)));
                }
            }
            for (CompletableFuture<Long> write : writes) {
                assertThat(write.get()).isEqualTo(1 << 20);
            }
            for (int c = 0; c < 6; c++) {
                MemorySegment content =
                        MemorySegment.ofArray(Files.readAllBytes(folder.resolve("f" + c)));
                for (int i = 0; i < 3; i++) {
                    assertThat(
                                    content.asSlice((long) i << 20, 1 << 20)
                                            .mismatch(random(1 << 20, c * 10L + i)))
                            .isEqualTo(-1);
                }
            }
        } finally {
            clients.forEach(Client::close);
        }
    }

    @Test
    void handlesOutliveARestart() throws Exception {
        ExportKey key = ExportKey.inFile(folder.resolve("state/key"));
        UnaryOperator<ExportSettings> withKey =
                settings -> ExportSettings.of(settings.folder(), key);
        Files.createDirectory(folder.resolve("e"));
        FileHandle file;
        try (TestServer server =
                        TestServer.of(folder.resolve("e"), Dialect.MAIN, withKey, Limits.DEFAULT);
                Client client = Client.of(server, ClientOptions.DEFAULT)) {
            assumeTrue(server.server().handlesOutliveRestart(), "the file system has no handles");
            file = client.zoidfs().create(FileSpec.path("/f"), PLAIN).handle();
            client.zoidfs().rename(FileSpec.path("/f"), FileSpec.path("/g"));
        }
        // The folder is only read: it may be full, or read-only.
        FileTime old = FileTime.from(Instant.ofEpochSecond(1_000));
        Files.setLastModifiedTime(folder.resolve("state"), old);
        ExportKey same = ExportKey.inFile(folder.resolve("state/key"));
        assertThat(Files.getLastModifiedTime(folder.resolve("state"))).isEqualTo(old);
        try (TestServer server =
                        TestServer.of(
                                folder.resolve("e"),
                                Dialect.MAIN,
                                s -> ExportSettings.of(s.folder(), same),
                                Limits.DEFAULT);
                Client client = Client.of(server, ClientOptions.DEFAULT)) {
            assertThat(client.zoidfs().write(file, random(10, 1), 0)).isEqualTo(10);
            assertThat(client.zoidfs().lookup(FileSpec.path("/g"))).isEqualTo(file);
            client.zoidfs().remove(FileSpec.path("/g"));
            assertStatus(Status.STALE, () -> client.zoidfs().getAttributes(file));
        }
    }

    @Test
    void aNumberedHandleOfAnEarlierServerIsStaleAndOpensNoOtherFile() throws Exception {
        ExportKey key = ExportKey.random();
        UnaryOperator<ExportSettings> numbered =
                settings -> ExportSettings.of(settings.folder(), key).withoutFileSystemHandles();
        List<FileHandle> old = new ArrayList<>();
        try (TestServer server = TestServer.of(folder, Dialect.MAIN, numbered, Limits.DEFAULT);
                Client client = Client.of(server, ClientOptions.DEFAULT)) {
            for (String name : List.of("/a", "/b", "/c")) {
                old.add(client.zoidfs().create(FileSpec.path(name), PLAIN).handle());
            }
        }
        try (TestServer server = TestServer.of(folder, Dialect.MAIN, numbered, Limits.DEFAULT);
                Client client = Client.of(server, ClientOptions.DEFAULT)) {
            for (String name : List.of("/c", "/b", "/a")) {
                client.zoidfs().lookup(FileSpec.path(name));
            }
            for (FileHandle handle : old) {
                assertStatus(Status.STALE, () -> client.zoidfs().getAttributes(handle));
                assertStatus(Status.STALE, () -> client.zoidfs().write(handle, random(9, 1), 0));
            }
        }
        for (String name : List.of("a", "b", "c")) {
            assertThat(folder.resolve(name)).isEmptyFile();
        }
    }

    @Test
    void handlesWithoutTheFileSystemsHelpOutliveTheFewFilesThatStayOpen() throws Exception {
        UnaryOperator<ExportSettings> few =
                settings -> settings.withMaxOpenFiles(4).withoutFileSystemHandles();
        try (TestServer server = TestServer.of(folder, Dialect.MAIN, few, Limits.DEFAULT);
                Client client = Client.of(server, ClientOptions.DEFAULT)) {
            List<FileHandle> handles = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                handles.add(client.zoidfs().create(FileSpec.path("/f" + i), PLAIN).handle());
            }
            client.zoidfs().rename(FileSpec.path("/f0"), FileSpec.path("/renamed"));
            for (int i = 0; i < 50; i++) {
                client.zoidfs().write(handles.get(i), random(i + 1, i), 0);
                assertThat(server.server().openFiles()).isLessThanOrEqualTo(5);
            }
            for (int i = 0; i < 50; i++) {
                assertThat(client.zoidfs().getAttributes(handles.get(i)).size()).isEqualTo(i + 1);
            }
            Files.delete(folder.resolve("f7"));
            Files.createFile(folder.resolve("f7"));
            assertStatus(Status.STALE, () -> client.zoidfs().getAttributes(handles.get(7)));
        }
    }

    @Test
    void aNumberedHandleOfAFileWithSeveralNamesLastsAsLongAsOneOfThem() throws Exception {
        UnaryOperator<ExportSettings> few =
                settings -> settings.withMaxOpenFiles(1).withoutFileSystemHandles();
        try (TestServer server = TestServer.of(folder, Dialect.MAIN, few, Limits.DEFAULT);
                Client client = Client.of(server, ClientOptions.DEFAULT)) {
            ZoidfsClient zoidfs = client.zoidfs();
            FileHandle file = zoidfs.create(FileSpec.path("/f"), PLAIN).handle();
            zoidfs.write(file, random(7, 1), 0);
            zoidfs.makeDirectory(FileSpec.path("/d"), SettableAttributes.ofMode(0755));
            zoidfs.link(FileSpec.path("/f"), FileSpec.path("/d/g"));
            zoidfs.remove(FileSpec.path("/f"));
            closeAllButOne(zoidfs, "/other");
            assertThat(zoidfs.getAttributes(file).size()).isEqualTo(7);
            zoidfs.link(FileSpec.path("/d/g"), FileSpec.path("/h"));
            assertThat(zoidfs.lookup(FileSpec.path("/h"))).isEqualTo(file);
            zoidfs.remove(FileSpec.path("/h"));
            closeAllButOne(zoidfs, "/another");
            assertThat(zoidfs.getAttributes(file).nlink()).isEqualTo(1);
            // Another file that takes the name of the first is not found by its handle.
            zoidfs.remove(FileSpec.path("/d/g"));
            zoidfs.create(FileSpec.path("/d/g"), PLAIN);
            closeAllButOne(zoidfs, "/third");
            assertStatus(Status.STALE, () -> zoidfs.getAttributes(file));
        }
    }

    @Test
    void aNumberedHandleIsValidAfterItsFolderHasMoved() throws Exception {
        UnaryOperator<ExportSettings> few =
                settings -> settings.withMaxOpenFiles(1).withoutFileSystemHandles();
        try (TestServer server = TestServer.of(folder, Dialect.MAIN, few, Limits.DEFAULT);
                Client client = Client.of(server, ClientOptions.DEFAULT)) {
            ZoidfsClient zoidfs = client.zoidfs();
            zoidfs.makeDirectory(FileSpec.path("/d"), SettableAttributes.ofMode(0755));
            zoidfs.makeDirectory(FileSpec.path("/d/e"), SettableAttributes.ofMode(0755));
            FileHandle file = zoidfs.create(FileSpec.path("/d/e/f"), PLAIN).handle();
            FileHandle beside = zoidfs.create(FileSpec.path("/d2"), PLAIN).handle();
            closeAllButOne(zoidfs, "/other");
            zoidfs.rename(FileSpec.path("/d"), FileSpec.path("/moved"));
            closeAllButOne(zoidfs, "/another");
            assertThat(zoidfs.write(file, random(7, 1), 0)).isEqualTo(7);
            assertThat(folder.resolve("moved/e/f")).hasSize(7);
            assertThat(zoidfs.getAttributes(beside).size()).isZero();
        }
    }

    /** The export keeps one file open that nobody uses: that of the name. */
    private static void closeAllButOne(ZoidfsClient zoidfs, String name) throws Exception {
        zoidfs.getAttributes(zoidfs.create(FileSpec.path(name), PLAIN).handle());
    }

    @Test
    void directoriesAreListedWithWhatIsAskedFor() throws Exception {
        try (TestServer server = TestServer.of(folder);
                Client client = Client.of(server, ClientOptions.DEFAULT)) {
            Set<String> names = new HashSet<>(Set.of(".", ".."));
            for (int i = 0; i < 300; i++) {
                String name = "file-" + "x".repeat(i % 200) + i;
                names.add(name);
                client.zoidfs().create(FileSpec.path("/" + name), PLAIN);
            }
            FileHandle root = client.zoidfs().lookup(FileSpec.path("/"));
            Set<String> seen = new HashSet<>();
            long cookie = 0;
            while (true) {
                List<DirectoryEntry> part = client.zoidfs().readDirectory(root, cookie, 7, 0x107ff);
                if (part.isEmpty()) {
                    break;
                }
                for (DirectoryEntry entry : part) {
                    assertThat(seen.add(entry.name())).isTrue();
                    assertThat(entry.attributes())
                            .isEqualTo(client.zoidfs().getAttributes(entry.handle()));
                    cookie = entry.cookie();
                }
            }
            assertThat(seen).isEqualTo(names);
        }
    }

    @Test
    void aServerThatEndsUnderLoadLeavesNobodyWaiting() throws Exception {
        ClientOptions options = ClientOptions.DEFAULT.withTimeoutMs(5_000);
        TestServer server = TestServer.of(folder, Dialect.MAIN, s -> s, limits(4 << 20, 2));
        try (Client client = Client.of(server, options)) {
            FileHandle file = client.zoidfs().create(FileSpec.path("/f"), PLAIN).handle();
            List<CompletableFuture<Long>> writes = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                writes.add(
                        client.zoidfs()
                                .submit(() -> client.zoidfs().write(file, random(100_000, 1), 0)));
            }
            writes.get(3).get();
            server.close();
            int failed = 0;
            for (CompletableFuture<Long> write : writes) {
                try {
                    assertThat(write.get()).isEqualTo(100_000);
                } catch (ExecutionException e) {
                    assertThat(e.getCause()).isInstanceOf(ZoidfsException.class);
                    failed++;
                }
            }
            System.out.println(failed + " of 64 writes failed");
        } finally {
            server.close();
        }
    }

    @Test
    void oneServerServesSeveralMethods() throws IOException {
        LoopbackHub hub = new LoopbackHub();
        try (Bmi bmi =
                        Bmi.builder()
                                .attach(LoopbackHub.class, hub)
                                .automaticReferences(true)
                                .listen("loopback://files")
                                .listen("tcp://127.0.0.1:0")
                                .open();
                ZoidfsServer server =
                        ZoidfsServer.serve(
                                bmi,
                                ExportSettings.of(folder, ExportKey.random()),
                                Dialect.MAIN,
                                Limits.DEFAULT);
                Bmi near = Bmi.builder().attach(LoopbackHub.class, hub).open();
                Bmi far = Bmi.open();
                ZoidfsClient one =
                        ZoidfsClient.connect(near, "loopback://files", ClientOptions.DEFAULT);
                ZoidfsClient two =
                        ZoidfsClient.connect(
                                far,
                                "tcp://127.0.0.1:" + bmi.getOption(TcpOptions.PORT),
                                ClientOptions.DEFAULT)) {
            assertThat(server.calls()).isZero();
            FileHandle file = one.create(FileSpec.path("/f"), PLAIN).handle();
            one.write(file, random(3 << 20, 1), 0);
            byte[] back = new byte[3 << 20];
            assertThat(two.read(file, MemorySegment.ofArray(back), 0)).isEqualTo(3 << 20);
            assertThat(MemorySegment.ofArray(back).mismatch(random(3 << 20, 1))).isEqualTo(-1);
        }
    }
}
