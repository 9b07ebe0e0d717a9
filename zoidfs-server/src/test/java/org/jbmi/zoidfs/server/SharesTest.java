package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/** What one client may take of what all share, and what becomes of one that falls silent. */
@Timeout(60)
class SharesTest {
    private static final int TAG = 2;
    private static final byte[] NOTHING = Request.nothing().toByteArray();

    @TempDir private Path folder;

    private TestServer server(int calls, long clientIdleMs) throws IOException {
        Limits limits = new Limits(calls, 64L << 20, 1 << 20, 2, clientIdleMs, 100, 128 << 20);
        return TestServer.of(folder, Dialect.MAIN, settings -> settings, limits);
    }

    private static FileHandle file(RawClient client) throws IOException {
        Request create =
                Request.onNames(
                        Operation.CREATE,
                        FileSpec.path("/f"),
                        null,
                        SettableAttributes.ofMode(0644),
                        Hints.NONE);
        byte[] reply = client.call(TAG, create.toByteArray());
        assertThat(ByteBuffer.wrap(reply).getInt()).isZero();
        return FileHandle.of(Arrays.copyOfRange(reply, 4, 36));
    }

    private static byte[] moving(Operation operation, FileHandle file, Transfer transfer) {
        return Request.moving(operation, file, transfer, Hints.NONE).toByteArray();
    }

    @Test
    void aClientWithManyCallsLeavesSomeToOthers() throws IOException {
        int many = 50;
        try (TestServer server = server(8, 300_000);
                RawClient greedy = new RawClient(server.port());
                RawClient modest = new RawClient(server.port())) {
            FileHandle file = file(greedy);
            // All calls of this thread of the client wait behind data that does not come.
            greedy.sendUnexpected(TAG, moving(Operation.WRITE, file, Transfer.of(0, 3, 0)));
            for (int i = 0; i < many; i++) {
                greedy.sendUnexpected(TAG, NOTHING);
            }
            for (int i = 0; i < many; i++) {
                assertThat(modest.call(TAG, NOTHING)).containsOnly(0);
                // Its other threads have a share too, but for what waits.
                assertThat(server.server().calls()).isLessThan(8);
            }
            greedy.sendExpected(TAG, new byte[3]);
            assertThat(greedy.receive(TAG)).hasSizeGreaterThan(4);
            for (int i = 0; i < many; i++) {
                assertThat(greedy.receive(TAG)).hasSize(4).containsOnly(0);
            }
        }
    }

    @Test
    void aClientThatSendsNoneOfItsDataIsLetGo() throws IOException {
        try (TestServer server = server(64, 300);
                RawClient silent = new RawClient(server.port());
                RawClient other = new RawClient(server.port())) {
            FileHandle file = file(silent);
            byte[] half = moving(Operation.WRITE, file, Transfer.of(0, 2_000, 1_000));
            byte[] none = moving(Operation.WRITE, file, Transfer.of(0, 5, 0));
            silent.sendBytes( // in one write: the server may let it go between two
                    RawClient.unexpected(TAG, half),
                    RawClient.expected(TAG, new byte[1_000]),
                    RawClient.unexpected(TAG + 1, none));
            assertEnds(silent);
            assertThat(other.call(TAG, NOTHING)).containsOnly(0);
            awaitNoCalls(server);
            assertThat(server.server().counters().silentClients()).isPositive();
        }
    }

    @Test
    void aClientThatTakesNoneOfItsDataIsLetGo() throws IOException {
        try (TestServer server = server(64, 300);
                RawClient silent = new RawClient(server.port());
                RawClient other = new RawClient(server.port())) {
            FileHandle file = file(silent);
            // More than the sockets of both sides hold.
            Transfer transfer = Transfer.of(0, 256 << 20, 8 << 20);
            silent.sendUnexpected(TAG, moving(Operation.READ, file, transfer));
            awaitSilent(server);
            assertThat(other.call(TAG, NOTHING)).containsOnly(0);
            awaitNoCalls(server);
            assertThatThrownBy(
                            () -> {
                                for (int i = 0; i < 33; i++) {
                                    silent.receive(TAG);
                                }
                            })
                    .isInstanceOfAny(EOFException.class, SocketException.class);
        }
    }

    private static void assertEnds(RawClient client) {
        assertThatThrownBy(() -> client.receive(TAG))
                .isInstanceOfAny(EOFException.class, SocketException.class);
    }

    private static void awaitSilent(TestServer server) {
        Await.until("a silent client", () -> server.server().counters().silentClients() > 0);
    }

    private static void awaitNoCalls(TestServer server) {
        Await.until("the end of all calls", () -> server.server().calls() == 0);
    }
}
