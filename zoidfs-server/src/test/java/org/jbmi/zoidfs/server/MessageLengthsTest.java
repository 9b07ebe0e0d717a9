package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;

/** Clients whose messages of data could be longer than those that the server takes. */
@Timeout(60)
class MessageLengthsTest extends ServerFeature {
    private static final int LONGEST_BYTES = 100_000;
    private static final int TOO_LONG_BYTES = 150_000;
    private static final int TAG = 2;
    private static final int MARK = 0x6a626d69;

    private TestServer server;
    private Client client;

    @BeforeEach
    void start() throws IOException {
        server =
                TestServer.withKnob(
                        folder, "tcp.maxExpectedBytes", Integer.toString(LONGEST_BYTES));
        client = Client.of(server, ClientOptions.DEFAULT);
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private FileHandle file(MemorySegment content) throws IOException {
        FileHandle file = client.zoidfs().create(FileSpec.path("/f"), PLAIN).handle();
        assertThat(client.zoidfs().write(file, content, 0)).isEqualTo(content.byteSize());
        return file;
    }

    @Test
    void aClientSendsAndTakesMessagesThatTheServerHas() throws Exception {
        MemorySegment content = random((1 << 20) + 17, 1);
        FileHandle file = file(content);
        MemorySegment back = MemorySegment.ofArray(new byte[(1 << 20) + 17]);
        assertThat(client.zoidfs().read(file, back, 0)).isEqualTo(back.byteSize());
        assertThat(back.mismatch(content)).isEqualTo(-1);
    }

    @Test
    void theLengthIsToldToWhoAsksAndToNobodyElse() throws Exception {
        try (RawClient raw = new RawClient(server.port())) {
            ByteBuffer told =
                    ByteBuffer.wrap(
                            raw.call(TAG, ByteBuffer.allocate(8).putInt(0).putInt(MARK).array()));
            assertThat(told.getInt()).isZero();
            assertThat(told.getLong()).isEqualTo(LONGEST_BYTES);
            assertThat(told.hasRemaining()).isFalse();
            assertThat(raw.call(TAG, new byte[4])).hasSize(4);
            assertThat(raw.call(TAG, new byte[8])).hasSize(4);
        }
    }

    @Test
    void aListIsCutToWhatAMessageCanBe() throws Exception {
        // More than such a message holds, whatever it is asked with.
        String longName = "x".repeat(200);
        int files = LONGEST_BYTES / 300;
        for (int i = 0; i < files; i++) {
            Files.createFile(folder.resolve(longName + i));
        }
        FileHandle root = client.zoidfs().lookup(FileSpec.path("/"));
        try (RawClient raw = new RawClient(server.port())) {
            long cookie = 0;
            int seen = 0;
            int count;
            do {
                byte[] list = Request.readdir(root, cookie, 43_690, 0, Hints.NONE).toByteArray();
                ByteBuffer reply = ByteBuffer.wrap(raw.call(TAG, list));
                assertThat(reply.limit()).isLessThanOrEqualTo(LONGEST_BYTES);
                assertThat(reply.getInt()).isZero();
                count = reply.getInt();
                seen += count;
                // The cookie of the last entry lies before the cache hint.
                cookie = count == 0 ? 0 : reply.getLong(reply.limit() - 44 - Long.BYTES);
            } while (count > 0);
            assertThat(seen).isEqualTo(files + 2);
        }
    }

    @Test
    void aReaderOfTooLongMessagesStaysInStep() throws Exception {
        FileHandle file = file(random(2 * TOO_LONG_BYTES, 1));
        try (RawClient raw = new RawClient(server.port())) {
            Transfer transfer = Transfer.of(0, 2 * TOO_LONG_BYTES, TOO_LONG_BYTES);
            raw.sendUnexpected(
                    TAG, Request.moving(Operation.READ, file, transfer, Hints.NONE).toByteArray());
            assertThat(raw.receive(TAG)).hasSize(LONGEST_BYTES).containsOnly((byte) 0);
            assertThat(raw.receive(TAG)).hasSize(LONGEST_BYTES).containsOnly((byte) 0);
            assertThat(raw.receive(TAG)).isEqualTo(new byte[] {0, 0, 0, Status.INVAL});
            Transfer huge = Transfer.of(0, 1L << 40, 0);
            raw.sendUnexpected(
                    TAG, Request.moving(Operation.READ, file, huge, Hints.NONE).toByteArray());
            assertThat(raw.receive(TAG)).hasSize(LONGEST_BYTES).containsOnly((byte) 0);
            assertThat(raw.receive(TAG)).isEqualTo(new byte[] {0, 0, 0, Status.INVAL});
            assertThat(raw.call(TAG, new byte[4])).isEqualTo(new byte[4]);
        }
    }

    @Test
    void aWriterOfTooLongMessagesIsLetGo() throws Exception {
        FileHandle file = file(random(10, 1));
        try (RawClient raw = new RawClient(server.port())) {
            Transfer transfer = Transfer.of(0, TOO_LONG_BYTES, 0);
            byte[] request =
                    Request.moving(Operation.WRITE, file, transfer, Hints.NONE).toByteArray();
            assertThatThrownBy(
                            () -> {
                                raw.sendUnexpected(TAG, request);
                                raw.sendExpected(TAG, new byte[TOO_LONG_BYTES]);
                                raw.receive(TAG);
                            })
                    .isInstanceOf(IOException.class);
        }
        Await.until("all calls are over", () -> server.server().calls() == 0);
        assertThat(client.zoidfs().getAttributes(file).size()).isEqualTo(10);
        assertThat(server.server().counters().abandonedCalls()).isEqualTo(1);
    }
}
