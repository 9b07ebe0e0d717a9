package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.protocol.Transfer;
import org.jbmi.zoidfs.server.config.Limits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;

/** A thousand clients at once, and what each of them gets beside one that wants everything. */
@Timeout(120)
class ManyClientsTest {
    private static final int CLIENTS = 1_000;
    private static final int TAG = 2;
    private static final int BYTES = 3_000;

    @TempDir private Path folder;

    private static byte[] create(String path) {
        return Request.onNames(
                        Operation.CREATE,
                        FileSpec.path(path),
                        null,
                        SettableAttributes.ofMode(0644),
                        Hints.NONE)
                .toByteArray();
    }

    private static byte[] moving(Operation operation, FileHandle file, long offset) {
        Transfer transfer = Transfer.of(offset, BYTES, 0);
        return Request.moving(operation, file, transfer, Hints.NONE).toByteArray();
    }

    private static FileHandle made(byte[] reply) {
        assertThat(ByteBuffer.wrap(reply).getInt()).isZero();
        return FileHandle.of(Arrays.copyOfRange(reply, 4, 36));
    }

    private static byte[] bytesOf(int client) {
        byte[] bytes = new byte[BYTES];
        new Random(client).nextBytes(bytes);
        return bytes;
    }

    private static void closeAll(List<RawClient> clients) throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
    }

    @Test
    void aThousandClientsReadAndWriteAtOnce() throws IOException {
        List<RawClient> clients = new ArrayList<>();
        try (TestServer server =
                TestServer.of(folder, Dialect.MAIN, settings -> settings, Limits.DEFAULT)) {
            try {
                for (int i = 0; i < CLIENTS; i++) {
                    clients.add(new RawClient(server.port()));
                    // One after the other, so that none finds the queue of the listener full.
                    assertThat(clients.get(i).call(TAG, Request.nothing().toByteArray()))
                            .containsOnly(0);
                }
                FileHandle file = made(clients.getFirst().call(TAG, create("/f")));
                // All at once from here on: each writes its part, then reads that of another one.
                for (int i = 0; i < CLIENTS; i++) {
                    RawClient client = clients.get(i);
                    client.sendUnexpected(TAG, moving(Operation.WRITE, file, (long) i * BYTES));
                    client.sendExpected(TAG, bytesOf(i));
                }
                for (RawClient client : clients) {
                    assertThat(client.receive(TAG)).hasSize(16);
                }
                for (int i = 0; i < CLIENTS; i++) {
                    long other = (i + 1) % CLIENTS;
                    clients.get(i).sendUnexpected(TAG, moving(Operation.READ, file, other * BYTES));
                }
                for (int i = 0; i < CLIENTS; i++) {
                    assertThat(clients.get(i).receive(TAG)).isEqualTo(bytesOf((i + 1) % CLIENTS));
                    assertThat(clients.get(i).receive(TAG)).hasSize(16);
                }
                byte[] ask =
                        Request.getAttr(file, Attributes.asking(0x7ff), Hints.NONE).toByteArray();
                for (RawClient client : clients) {
                    client.sendUnexpected(TAG, ask);
                }
                for (RawClient client : clients) {
                    byte[] reply = client.receive(TAG);
                    assertThat(ByteBuffer.wrap(reply).getLong(4 + 24))
                            .isEqualTo((long) CLIENTS * BYTES);
                }
            } finally {
                closeAll(clients);
            }
            Await.until("the end of all calls", () -> server.server().calls() == 0);
            assertThat(server.server().counters().abandonedCalls()).isZero();
        }
        byte[] content = Files.readAllBytes(folder.resolve("f"));
        for (int i = 0; i < CLIENTS; i++) {
            assertThat(Arrays.copyOfRange(content, i * BYTES, (i + 1) * BYTES))
                    .isEqualTo(bytesOf(i));
        }
    }

    @Test
    void clientsWithOneCallDoNotWaitBehindAllOfAnother() throws Exception {
        int greedyCalls = 400;
        int modestClients = 50;
        int workers = 1; // one that is held up by the system would let the others go far ahead
        CountDownLatch free = new CountDownLatch(1);
        List<String> made = Collections.synchronizedList(new ArrayList<>());
        TestDisk disk =
                TestDisk.of()
                        .whenMade(
                                name -> {
                                    awaitUninterrupted(free);
                                    made.add(name);
                                });
        Limits limits = new Limits(4_096, 64L << 20, 1 << 20, workers, 300_000, 100, 128 << 20);
        List<RawClient> modest = new ArrayList<>();
        try (TestServer server = TestServer.on(disk.calls(), folder, limits);
                RawClient greedy = new RawClient(server.port())) {
            try {
                for (int i = 0; i < greedyCalls; i++) {
                    greedy.sendUnexpected(TAG + i, create("/greedy" + i));
                }
                Await.until("the greedy one", () -> server.server().calls() == greedyCalls);
                for (int i = 0; i < modestClients; i++) {
                    modest.add(new RawClient(server.port()));
                    modest.get(i).sendUnexpected(TAG, create("/modest" + i));
                }
                Await.until(
                        "all others", () -> server.server().calls() == greedyCalls + modestClients);
                free.countDown();
                for (RawClient client : modest) {
                    made(client.receive(TAG));
                }
                int last = 0;
                for (int i = 0; i < modestClients; i++) {
                    last = Math.max(last, made.indexOf("modest" + i));
                }
                // What was with the workers before, and then clients in turns.
                assertThat(last).isLessThan(4 * workers + 2 * modestClients + workers);
            } finally {
                free.countDown();
                closeAll(modest);
            }
        }
    }

    /**
     * Commits have their files for themselves, and take turns with calls of others all the same.
     */
    @Test
    void aClientWithManyCommitsTakesTurns() throws Exception {
        int commits = 100;
        int workers = 1;
        CountDownLatch free = new CountDownLatch(1);
        List<String> done = Collections.synchronizedList(new ArrayList<>());
        TestDisk disk =
                TestDisk.of()
                        .whenMade(done::add)
                        .whenSynced(
                                () -> {
                                    free.await();
                                    done.add("commit");
                                    return 0;
                                });
        Limits limits = new Limits(4_096, 64L << 20, 1 << 20, workers, 300_000, 100, 128 << 20);
        try (TestServer server = TestServer.on(disk.calls(), folder, limits);
                RawClient greedy = new RawClient(server.port());
                RawClient modest = new RawClient(server.port())) {
            List<FileHandle> files = new ArrayList<>();
            for (int i = 0; i < commits; i++) {
                files.add(made(greedy.call(TAG, create("/greedy" + i))));
            }
            Await.until("the end of all calls", () -> server.server().calls() == 0);
            done.clear();
            try {
                for (int i = 0; i < commits; i++) {
                    byte[] commit =
                            Request.onHandle(Operation.COMMIT, files.get(i), 0, Hints.NONE)
                                    .toByteArray();
                    greedy.sendUnexpected(TAG + i, commit);
                }
                Await.until("the greedy one", () -> server.server().calls() == commits);
                modest.sendUnexpected(TAG, create("/modest"));
                Await.until("the other", () -> server.server().calls() == commits + 1);
            } finally {
                free.countDown();
            }
            made(modest.receive(TAG));
            assertThat(done.indexOf("modest")).isBetween(0, 4 * workers + 2);
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("Nobody interrupts a worker", e);
        }
    }
}
