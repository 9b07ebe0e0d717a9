package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.Transfer;
import org.jbmi.zoidfs.server.config.Limits;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Appends, and pointers that clients share. */
class AppendsTest extends ServerFeature {
    @Test
    void appendsGetPlacesOfTheirOwn() throws Exception {
        ClientOptions options = ClientOptions.DEFAULT.withDialect(Dialect.SFP);
        try (TestServer server = TestServer.of(folder, Dialect.SFP, s -> s, limits(4 << 20, 3));
                Client client = Client.of(server, options)) {
            FileHandle file = client.zoidfs().create(FileSpec.path("/log"), PLAIN).handle();
            client.zoidfs().write(file, random(100, 1), 0);
            List<CompletableFuture<Long>> appends = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                byte[] record = new byte[64];
                Arrays.fill(record, (byte) i);
                appends.add(
                        client.zoidfs()
                                .submit(
                                        () ->
                                                client.zoidfs()
                                                        .append(
                                                                file,
                                                                MemorySegment.ofArray(record),
                                                                0)));
            }
            Set<Long> offsets = new HashSet<>();
            for (CompletableFuture<Long> append : appends) {
                offsets.add(append.get());
            }
            assertThat(offsets).hasSize(200).allMatch(o -> o >= 100 && (o - 100) % 64 == 0);
            byte[] content = Files.readAllBytes(folder.resolve("log"));
            assertThat(content).hasSize(100 + 200 * 64);
            for (int i = 0; i < 200; i++) {
                int at = Math.toIntExact(appends.get(i).get());
                assertThat(Arrays.copyOfRange(content, at, at + 64)).containsOnly((byte) i);
            }
            client.zoidfs().resize(file, 10);
            assertThat(client.zoidfs().append(file, random(5, 2), 0)).isEqualTo(10);
            client.zoidfs().remove(FileSpec.path("/log"));
            FileHandle again = client.zoidfs().create(FileSpec.path("/log"), PLAIN).handle();
            assertThat(client.zoidfs().append(again, random(5, 3), 0)).isZero();
            assertThat(client.zoidfs().append(again, random(5, 4), 0)).isEqualTo(5);
        }
    }

    @Test
    void anAppendAfterAShrinkGoesToTheNewEndThoughOthersAreUnderWay() throws Exception {
        ClientOptions options = ClientOptions.DEFAULT.withDialect(Dialect.SFP);
        try (TestServer server = TestServer.of(folder, Dialect.SFP, s -> s, limits(4 << 20, 3));
                Client client = Client.of(server, options);
                RawClient slow = new RawClient(server.port())) {
            FileHandle file = client.zoidfs().create(FileSpec.path("/log"), PLAIN).handle();
            // Its second half does not come for now, so the server remembers where the end is.
            Hints append = Hints.of(Hints.ATOMIC_APPEND, "1");
            Request half = Request.moving(Operation.WRITE, file, Transfer.of(0, 100, 50), append);
            slow.sendUnexpected(2, half.toByteArray());
            slow.sendExpected(2, new byte[50]);
            // Nobody else writes, so its place is 0; an append of nothing tells when it has it.
            Await.until(
                    "the place of an append",
                    () -> {
                        try {
                            return client.zoidfs().append(file, random(0, 1), 0) == 100;
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
            client.zoidfs().resize(file, 0);
            assertThat(client.zoidfs().append(file, random(1_000, 1), 0)).isEqualTo(100);
            client.zoidfs().resize(file, 10);
            assertThat(client.zoidfs().append(file, random(5, 2), 0)).isEqualTo(100);
            slow.sendExpected(2, new byte[50]);
            assertThat(slow.receive(2)).hasSizeGreaterThan(4);
            assertThat(client.zoidfs().getAttributes(file).size()).isEqualTo(105);
            client.zoidfs().resize(file, 10);
            assertThat(client.zoidfs().append(file, random(5, 2), 0)).isEqualTo(10);
        }
    }

    @Test
    void sharedPointersCountForAll() throws Exception {
        ClientOptions options = ClientOptions.DEFAULT.withDialect(Dialect.SFP);
        try (TestServer server = TestServer.of(folder, Dialect.SFP, s -> s, limits(4 << 20, 3));
                Client client = Client.of(server, options)) {
            ZoidfsClient zoidfs = client.zoidfs();
            FileHandle file = zoidfs.create(FileSpec.path("/f"), PLAIN).handle();
            assertStatus(Status.NOENT, () -> zoidfs.sharedPointer(file, "GET", "p", 0));
            assertThat(zoidfs.sharedPointer(file, "CREATE", "p", 5)).isEqualTo(5);
            assertStatus(Status.EXIST, () -> zoidfs.sharedPointer(file, "CREATE", "p", 5));
            List<CompletableFuture<Long>> olds = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                olds.add(zoidfs.submit(() -> zoidfs.sharedPointer(file, "FETCH_AND_ADD", "p", 3)));
            }
            Set<Long> seen = new HashSet<>();
            for (CompletableFuture<Long> old : olds) {
                seen.add(old.get());
            }
            assertThat(seen).hasSize(64);
            assertThat(zoidfs.sharedPointer(file, "GET", "p", 0)).isEqualTo(5 + 64 * 3);
            zoidfs.sharedPointer(file, "REMOVE", "p", 0);
            assertStatus(Status.NOENT, () -> zoidfs.sharedPointer(file, "GET", "p", 0));
        }
    }

    @Test
    void oneClientWithManyPointersLeavesSomeForOthersAndTheOthersKeepTheirs() throws Exception {
        ClientOptions options = ClientOptions.DEFAULT.withDialect(Dialect.SFP);
        try (TestServer server = TestServer.of(folder, Dialect.SFP, s -> s, limits(4 << 20, 3));
                Client greedy = Client.of(server, options);
                Client modest = Client.of(server, options)) {
            FileHandle file = greedy.zoidfs().create(FileSpec.path("/f"), PLAIN).handle();
            int made = fill(greedy.zoidfs(), file, "greedy");
            assertThat(made).isEqualTo(50);
            assertThat(modest.zoidfs().sharedPointer(file, "CREATE", "p", 5)).isEqualTo(5);
            // Clients that come and go take the rest, and then their own.
            for (int i = 0; i < 10; i++) {
                try (Client next = Client.of(server, options)) {
                    assertThat(fill(next.zoidfs(), file, "next" + i)).isPositive();
                }
            }
            assertThat(modest.zoidfs().sharedPointer(file, "FETCH_AND_ADD", "p", 3)).isEqualTo(5);
            assertThat(modest.zoidfs().sharedPointer(file, "GET", "p", 0)).isEqualTo(8);
            // A pointer counts for the client that made it, whoever removes it.
            greedy.zoidfs().sharedPointer(file, "REMOVE", "p", 0);
            assertThat(modest.zoidfs().sharedPointer(file, "CREATE", "p", 1)).isEqualTo(1);
        }
    }

    @Test
    void aClientGetsAPointerThoughClientsBeforeLeftOneEach() throws Exception {
        ClientOptions options = ClientOptions.DEFAULT.withDialect(Dialect.SFP);
        Limits two = new Limits(256, 4 << 20, 1 << 20, 3, 20_000, 2, 128 << 20);
        try (TestServer server = TestServer.of(folder, Dialect.SFP, s -> s, two);
                Client last = Client.of(server, options)) {
            FileHandle file = last.zoidfs().create(FileSpec.path("/f"), PLAIN).handle();
            for (String id : List.of("first", "second")) {
                try (Client client = Client.of(server, options)) {
                    client.zoidfs().sharedPointer(file, "CREATE", id, 7);
                }
            }
            assertThat(last.zoidfs().sharedPointer(file, "CREATE", "last", 1)).isEqualTo(1);
            assertThat(last.zoidfs().sharedPointer(file, "GET", "second", 0)).isEqualTo(7);
            assertStatus(Status.NOENT, () -> last.zoidfs().sharedPointer(file, "GET", "first", 0));
        }
    }

    /** Makes pointers until the server refuses; returns how many. */
    private static int fill(ZoidfsClient zoidfs, FileHandle file, String name) throws Exception {
        for (int i = 0; i < 200; i++) {
            String id = name + i;
            try {
                zoidfs.sharedPointer(file, "CREATE", id, 0);
            } catch (ZoidfsException e) {
                assertThat(e.status()).isEqualTo(Status.NOSPC);
                return i;
            }
        }
        return 200;
    }
}
