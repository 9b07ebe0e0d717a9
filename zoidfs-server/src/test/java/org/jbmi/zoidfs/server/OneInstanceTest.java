package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import org.jbmi.Bmi;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.net.URI;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;

/** Several clients of one server on one instance of BMI, and so on one connection. */
@Timeout(60)
class OneInstanceTest extends ServerFeature {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Test
    void aCallOfOneClientIsNotWaitedForByAnother() throws Exception {
        CountDownLatch atDisk = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        TestDisk disk =
                TestDisk.of()
                        .whenWritten(
                                size -> {
                                    atDisk.countDown();
                                    free.await();
                                    return 0;
                                });
        ClientOptions patient = ClientOptions.DEFAULT.withTimeoutMs(20_000);
        try (TestServer server = TestServer.on(disk.calls(), folder, limits(4 << 20, 3));
                Bmi bmi = Bmi.open();
                ZoidfsClient one = ZoidfsClient.connect(bmi, server.address(), patient);
                ZoidfsClient two = ZoidfsClient.connect(bmi, server.address(), patient)) {
            FileHandle file = one.create(FileSpec.path("/f"), PLAIN).handle();
            CompletableFuture<Long> held = one.submit(() -> one.write(file, random(100, 1), 0));
            try {
                atDisk.await();
                // With the tag of the write it would wait behind it, and take its reply.
                assertThat(two.create(FileSpec.path("/g"), PLAIN).isNew()).isTrue();
                assertThat(held).isNotDone();
            } finally {
                free.countDown();
            }
            assertThat(held.get()).isEqualTo(100);
        }
    }

    @Test
    void eachClientGetsItsOwnReplies() throws Exception {
        int clients = 4;
        try (TestServer server = TestServer.of(folder);
                Bmi bmi = Bmi.open()) {
            List<ZoidfsClient> open = new ArrayList<>();
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                ZoidfsClient client =
                        ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT);
                open.add(client);
                int size = 1_000 + i;
                FileSpec spec = FileSpec.path("/file" + i);
                for (int thread = 0; thread < 2; thread++) {
                    all.add(
                            client.submit(
                                    () -> {
                                        FileHandle file = client.create(spec, PLAIN).handle();
                                        client.write(file, random(size, size), 0);
                                        for (int round = 0; round < 50; round++) {
                                            assertThat(client.getAttributes(file).size())
                                                    .isEqualTo(size);
                                        }
                                        return null;
                                    }));
                }
            }
            for (CompletableFuture<Void> each : all) {
                each.get();
            }
            open.forEach(ZoidfsClient::close);
        }
    }

    /** Its only thread is busy when the client closes, so the work behind never has one. */
    @Test
    void theFutureOfWorkThatHasNotBegunFailsWithTheClient() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        ClientOptions d = ClientOptions.DEFAULT;
        ClientOptions options = new ClientOptions(d.dialect(), d.timeoutMs(), d.chunkBytes(), 1);
        FileSpec file = FileSpec.path("/f");
        try (TestServer server = TestServer.of(folder);
                Bmi bmi = Bmi.open()) {
            ZoidfsClient client = ZoidfsClient.connect(bmi, server.address(), options);
            CompletableFuture<Void> first =
                    client.submit(
                            () -> {
                                busy.countDown();
                                never.await();
                                return null;
                            });
            busy.await();
            CompletableFuture<?> waits = client.submit(() -> client.lookup(file));
            client.close();
            CompletableFuture<?> late = client.submit(() -> client.lookup(file));
            assertThat(first).failsWithin(PATIENCE);
            for (CompletableFuture<?> each : List.of(waits, late)) {
                assertThat(each)
                        .failsWithin(PATIENCE)
                        .withThrowableOfType(ExecutionException.class)
                        .withCauseInstanceOf(ZoidfsException.class)
                        .withMessageContaining("closed");
            }
        }
    }

    /** The disk stands still, so both operations are under way when their clients close. */
    @Test
    void anOperationUnderWayFailsWithTheClient() throws Exception {
        CountDownLatch reached = new CountDownLatch(2);
        CountDownLatch goOn = new CountDownLatch(1);
        TestDisk disk =
                TestDisk.of()
                        .whenSynced(
                                () -> {
                                    reached.countDown();
                                    goOn.await();
                                    return 0;
                                });
        try (TestServer server = TestServer.on(disk.calls(), folder, limits(4 << 20, 4));
                Bmi bmi = Bmi.open()) {
            ZoidfsClient client =
                    ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT);
            FileHandle file = client.create(FileSpec.path("/f"), PLAIN).handle();
            CompletableFuture<Integer> status =
                    client.submit(
                            () -> {
                                try {
                                    client.commit(file);
                                    return Status.OK;
                                } catch (ZoidfsException e) {
                                    // The close interrupts the client's threads.
                                    assertThat(Thread.interrupted()).isTrue();
                                    return e.status();
                                }
                            });
            URI uri = URI.create("zoidfs://127.0.0.1:" + server.port() + "/");
            FileSystem files = FileSystems.newFileSystem(uri, Map.of());
            FileChannel channel =
                    FileChannel.open(
                            files.getPath("/g"),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE);
            CompletableFuture<Throwable> failure =
                    CompletableFuture.supplyAsync(() -> catchThrowable(() -> channel.force(true)));
            reached.await();
            client.close();
            files.close();
            assertThat(status).succeedsWithin(PATIENCE).isEqualTo(Status.OTHER);
            assertThat(failure).succeedsWithin(PATIENCE).isInstanceOf(ClosedChannelException.class);
            goOn.countDown();
        }
    }
}
