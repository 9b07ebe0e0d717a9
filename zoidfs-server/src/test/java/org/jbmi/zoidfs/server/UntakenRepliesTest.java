package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.server.config.Limits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.file.Files;

/** A client that asks for more than it takes. */
@Timeout(120)
class UntakenRepliesTest extends ServerFeature {
    private static final int FILES = 500;
    private static final int LISTS = 120;
    private static final long ROOM_BYTES = 8 << 20;

    @Test
    void listsThatNobodyTakesAreBoundedAndOthersGetTheirs() throws Exception {
        String longName = "x".repeat(200);
        for (int i = 0; i < FILES; i++) {
            Files.createFile(folder.resolve(longName + i));
        }
        Limits limits = new Limits(4_096, 128L << 20, 32L << 20, 8, 300_000, 65_536, ROOM_BYTES);
        try (TestServer server = TestServer.of(folder, Dialect.MAIN, settings -> settings, limits);
                RawClient greedy = new RawClient(server.port());
                Client other = Client.of(server, ClientOptions.DEFAULT)) {
            FileHandle root = other.zoidfs().lookup(FileSpec.path("/"));
            byte[] list = Request.readdir(root, 0, 43_690, 0, Hints.NONE).toByteArray();
            for (int tag = 2; tag < 2 + LISTS; tag++) {
                greedy.sendUnexpected(tag, list);
            }
            Await.until(
                    "all lists are told",
                    () -> server.server().counters().calls(Operation.READDIR) == LISTS);
            // All of them would be 20 MB; some have gone into the buffers of the connection.
            assertThat(replyBytes(server)).isLessThanOrEqualTo(ROOM_BYTES + (LISTS << 12));
            assertThat(other.zoidfs().readDirectory(root, 0, 43_690, 0)).isNotEmpty();
        }
    }

    @Test
    void whatWasTakenIsFree() throws Exception {
        Files.createFile(folder.resolve("f"));
        try (TestServer server = TestServer.of(folder);
                Client client = Client.of(server, ClientOptions.DEFAULT)) {
            FileHandle root = client.zoidfs().lookup(FileSpec.path("/"));
            for (int i = 0; i < 10; i++) {
                assertThat(client.zoidfs().readDirectory(root, 0, 100, 0)).hasSize(3);
            }
            Await.until("all calls are over", () -> server.server().calls() == 0);
            assertThat(replyBytes(server)).isZero();
        }
    }

    private static long replyBytes(TestServer server) {
        return server.server()
                .toPrometheus()
                .lines()
                .filter(line -> line.startsWith("zoidfs_reply_bytes "))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
                .findFirst()
                .orElseThrow();
    }
}
