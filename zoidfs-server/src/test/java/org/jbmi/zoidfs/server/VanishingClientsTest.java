package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.protocol.Transfer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Clients that go in each phase of a read or write, with and without a goodbye. */
@Timeout(60)
class VanishingClientsTest {
    private static final int TAG = 2;
    private static final int CHUNK_BYTES = 1_000;
    private static final int CHUNKS = 3;
    private static final int HEADER_BYTES = RawClient.HEADER_BYTES;

    @TempDir private Path folder;

    private static FileHandle file(TestServer server) throws IOException {
        try (RawClient client = new RawClient(server.port())) {
            Request create =
                    Request.onNames(
                            Operation.CREATE,
                            FileSpec.path("/f"),
                            null,
                            SettableAttributes.ofMode(0644),
                            Hints.NONE);
            return FileHandle.of(Arrays.copyOfRange(client.call(TAG, create.toByteArray()), 4, 36));
        }
    }

    private static byte[] moving(Operation operation, FileHandle file, long total, long chunk) {
        Transfer transfer = Transfer.of(0, total, chunk);
        return Request.moving(operation, file, transfer, Hints.NONE).toByteArray();
    }

    /** Nothing of those that went is left, and others are served. */
    private static void assertAlive(TestServer server) throws IOException {
        try (RawClient other = new RawClient(server.port())) {
            // Before it answers the second time the server has read what those sent.
            for (int i = 0; i < 2; i++) {
                assertThat(other.call(TAG, Request.nothing().toByteArray())).containsOnly(0);
            }
        }
        Await.until("the end of all calls", () -> server.server().calls() == 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void inEachPhaseOfAWriteWholeChunksAreLeft(boolean abruptly) throws IOException {
        try (TestServer server = TestServer.of(folder)) {
            FileHandle file = file(server);
            byte[] request = moving(Operation.WRITE, file, CHUNKS * CHUNK_BYTES, CHUNK_BYTES);
            byte[] chunk = new byte[CHUNK_BYTES];
            Arrays.fill(chunk, (byte) 7);
            ByteBuffer all =
                    ByteBuffer.allocate(
                            HEADER_BYTES + request.length + CHUNKS * (HEADER_BYTES + CHUNK_BYTES));
            all.put(RawClient.unexpected(TAG, request));
            int begin = all.position();
            for (int i = 0; i < CHUNKS; i++) {
                all.put(RawClient.expected(TAG, chunk));
            }
            int frame = HEADER_BYTES + CHUNK_BYTES;
            int[] cuts = {
                1,
                HEADER_BYTES,
                HEADER_BYTES + 10,
                begin,
                begin + 5,
                begin + HEADER_BYTES,
                begin + HEADER_BYTES + 500,
                begin + frame,
                begin + 2 * frame - 1,
                begin + 2 * frame + HEADER_BYTES,
                begin + CHUNKS * frame
            };
            for (int cut : cuts) {
                Files.write(folder.resolve("f"), new byte[0]);
                try (RawClient client = new RawClient(server.port())) {
                    client.sendBytes(Arrays.copyOf(all.array(), cut));
                    if (abruptly) {
                        client.reset();
                    }
                }
                assertAlive(server);
                byte[] found = Files.readAllBytes(folder.resolve("f"));
                assertThat(found.length % CHUNK_BYTES).as("cut at " + cut).isZero();
                assertThat(found).as("cut at " + cut).doesNotContain(0);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void inEachPhaseOfAReadNothingIsLeft(boolean abruptly) throws IOException {
        int large = 1 << 20;
        try (TestServer server = TestServer.of(folder)) {
            FileHandle file = file(server);
            Files.write(folder.resolve("f"), new byte[CHUNKS * large]);
            byte[] request = moving(Operation.READ, file, CHUNKS * large, large);
            for (int taken = 0; taken <= CHUNKS; taken++) {
                try (RawClient client = new RawClient(server.port())) {
                    client.sendUnexpected(TAG, request);
                    for (int i = 0; i < taken; i++) {
                        assertThat(client.receive(TAG)).hasSize(large);
                    }
                    if (abruptly) {
                        client.reset();
                    }
                }
                assertAlive(server);
            }
        }
    }

    @Test
    void withAReplyOnItsWayNothingIsLeft() throws IOException {
        try (TestServer server = TestServer.of(folder)) {
            for (int i = 0; i < 20; i++) {
                try (RawClient client = new RawClient(server.port())) {
                    for (int tag = 0; tag < 50; tag++) {
                        client.sendUnexpected(tag, Request.nothing().toByteArray());
                    }
                    client.reset();
                }
            }
            assertAlive(server);
        }
    }
}
