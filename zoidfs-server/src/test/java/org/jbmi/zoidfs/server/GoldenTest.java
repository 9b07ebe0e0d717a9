package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.DirectoryEntry;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.LongList;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.XdrException;
import org.jbmi.zoidfs.protocol.XdrReader;
import org.jbmi.zoidfs.server.config.Limits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Plays what C clients sent, byte by byte over tcp, with the server's own handles and cookies put
 * in, and holds the answers against what those clients got.
 */
class GoldenTest {
    /** Calls that the old servers answer wrongly, with what is right. */
    private static final String SECOND_APPEND =
            "write 7 bytes with hint ZOIDFS_ATOMIC_APPEND, second";

    private static final String SHORT_CHUNKED_READ =
            "chunked read past the end: 150 asked, 100 there";

    @TempDir private Path folder;

    @ParameterizedTest
    @CsvSource({
        "c-client-all-operations.txt, MAIN, 54",
        "c-client-hints-to-main.txt, MAIN, 9",
        "c-client-hints-to-sfp.txt, SFP, 11"
    })
    void everyRecordedRequestIsAnswered(String name, Dialect dialect, int count)
            throws IOException, XdrException {
        Recording recording = Recording.read(name);
        assertThat(recording.calls()).hasSize(count);
        Files.createDirectory(folder.resolve("tmp"));
        if (!name.contains("all")) {
            Files.createDirectory(folder.resolve("tmp/g"));
        }
        try (TestServer server = TestServer.of(folder, dialect, s -> s, Limits.DEFAULT);
                RawClient client = new RawClient(server.port())) {
            Player player = new Player(client, dialect);
            for (Recording.Call call : recording.calls()) {
                player.play(call);
            }
            assertThat(client.isQuiet()).isTrue();
        }
        assertThat(folder.resolve("tmp")).isDirectory();
        try (var left = Files.walk(folder.resolve("tmp"))) {
            assertThat(left.filter(Files::isRegularFile)).isEmpty();
        }
    }

    /** What our codecs read they write again, to the byte. */
    @ParameterizedTest
    @CsvSource({
        "c-client-all-operations.txt, MAIN",
        "c-client-hints-to-main.txt, MAIN",
        "c-client-hints-to-sfp.txt, SFP"
    })
    void codecsGiveBackWhatTheyRead(String name, Dialect dialect) throws IOException, XdrException {
        for (Recording.Call call : Recording.read(name).calls()) {
            byte[] bytes = call.request();
            Request request = request(bytes);
            byte[] written = request.toByteArray();
            // The C client's buffer is larger by bytes that mean nothing.
            assertThat(written.length).as(call.label()).isBetween(bytes.length - 8, bytes.length);
            assertThat(written).as(call.label()).isEqualTo(Arrays.copyOf(bytes, written.length));
            Reply reply = reply(call.reply(), request, dialect);
            byte[] again = reply.toByteArray(request.operation(), dialect);
            if (request.operation() != Operation.READDIR) {
                assertThat(again).as(call.label()).isEqualTo(call.reply());
            }
            assertSizesArePossible(call, request, reply);
            assertThat((long) call.reply().length)
                    .isLessThanOrEqualTo(Reply.maximumBytes(request, dialect));
        }
    }

    /** Our client refuses others: C servers send one size for each region of the file. */
    private static void assertSizesArePossible(Recording.Call call, Request request, Reply reply) {
        LongList sizes = reply.sizes();
        if (sizes == null) {
            return;
        }
        LongList asked = request.transfer().fileSizes();
        assertThat(sizes.size()).as(call.label()).isEqualTo(asked.size());
        for (int i = 0; i < asked.size(); i++) {
            assertThat(sizes.get(i)).as(call.label()).isBetween(0L, asked.get(i));
        }
    }

    @Test
    void shorterMessagesThanAnyRequestAreMalformed() throws IOException {
        for (Recording.Call call : Recording.read("c-client-all-operations.txt").calls()) {
            byte[] whole = call.request();
            // Data follows a read or write whatever its hints are, so it may end before them.
            int end = whole.length - (movesData(whole) ? 8 : 4);
            for (int length = 0; length < end; length++) {
                byte[] cut = Arrays.copyOf(whole, length);
                assertThat(isMalformed(cut)).as(call.label() + " cut at " + length).isTrue();
            }
        }
    }

    private static boolean movesData(byte[] request) {
        Operation operation = Operation.of(ByteBuffer.wrap(request).getInt());
        return operation == Operation.READ || operation == Operation.WRITE;
    }

    private static boolean isMalformed(byte[] bytes) {
        try {
            request(bytes);
            return false;
        } catch (XdrException e) {
            return true;
        }
    }

    private static Request request(byte[] bytes) throws XdrException {
        return Request.read(new XdrReader(MemorySegment.ofArray(bytes)));
    }

    private static Reply reply(byte[] bytes, Request request, Dialect dialect) throws XdrException {
        return Reply.read(new XdrReader(MemorySegment.ofArray(bytes)), request, dialect);
    }

    /** Plays calls in order and remembers what the server named otherwise. */
    private static final class Player {
        private final RawClient client;
        private final Dialect dialect;
        private final Map<FileHandle, FileHandle> handles = new HashMap<>();
        private final Map<String, Integer> seenNames = new HashMap<>();
        private final Set<String> listed = new HashSet<>();
        private long cookie;

        Player(RawClient client, Dialect dialect) {
            this.client = client;
            this.dialect = dialect;
        }

        void play(Recording.Call call) throws IOException, XdrException {
            Request recorded = request(call.request());
            byte[] sent = substituted(call.request(), recorded);
            int tag = call.messages().get(0).tag();
            client.sendUnexpected(tag, sent);
            List<Recording.Message> rest = call.messages().subList(1, call.messages().size());
            for (Recording.Message message : rest) {
                if (message.fromClient()) {
                    client.sendExpected(tag, message.bytes());
                } else if (message.bytes() == call.reply()) {
                    check(call, recorded, client.receive(tag));
                } else {
                    checkData(call, message.bytes(), client.receive(tag));
                }
            }
        }

        /** Puts the server's handles and cookies in place of the recorded ones. */
        private byte[] substituted(byte[] bytes, Request recorded) {
            byte[] sent = bytes.clone();
            for (Map.Entry<FileHandle, FileHandle> entry : handles.entrySet()) {
                byte[] from = entry.getKey().toByteArray();
                for (int at = 0; at + from.length <= sent.length; at += 4) {
                    if (Arrays.equals(sent, at, at + from.length, from, 0, from.length)) {
                        System.arraycopy(entry.getValue().toByteArray(), 0, sent, at, from.length);
                    }
                }
            }
            if (recorded.operation() == Operation.READDIR && recorded.number() != 0) {
                ByteBuffer.wrap(sent).putLong(36, cookie);
            }
            return sent;
        }

        private void checkData(Recording.Call call, byte[] expected, byte[] found)
                throws XdrException {
            assertThat(found).as(call.label()).hasSameSizeAs(expected);
            Request request = request(call.request());
            Reply reply = reply(call.reply(), request, dialect);
            if (reply.status() != Status.OK) {
                assertThat(found).as(call.label()).containsOnly(0);
            } else if (reply.sizes().sum() == request.transfer().totalBytes()
                    && !call.label().equals(SHORT_CHUNKED_READ)) {
                assertThat(found).as(call.label()).isEqualTo(expected);
            }
        }

        private void check(Recording.Call call, Request request, byte[] bytes) throws XdrException {
            Reply expected = reply(call.reply(), request, dialect);
            Reply found = reply(bytes, request, dialect);
            assertThat(found.status()).as(call.label()).isEqualTo(expected.status());
            // What a client expects is a message of exactly this length.
            if (request.operation() != Operation.READDIR) {
                assertThat(bytes).as(call.label()).hasSameSizeAs(call.reply());
            }
            if (expected.status() != Status.OK) {
                return;
            }
            assertThat(found.created()).as(call.label()).isEqualTo(expected.created());
            assertThat(found.text()).as(call.label()).isEqualTo(expected.text());
            if (expected.handle() != null) {
                handles.put(expected.handle(), found.handle());
                assertThat(Arrays.copyOf(found.handle().toByteArray(), 4)).containsOnly(0);
            }
            if (expected.attributes() != null) {
                checkAttributes(call, expected.attributes(), found.attributes());
            }
            if (expected.sizes() != null && !call.label().equals(SHORT_CHUNKED_READ)) {
                assertThat(found.sizes()).as(call.label()).isEqualTo(expected.sizes());
            }
            if (!call.label().equals(SECOND_APPEND)) {
                assertThat(found.hints()).as(call.label()).isEqualTo(expected.hints());
            }
            if (request.operation() == Operation.READDIR) {
                checkEntries(call, request, expected, found);
            }
        }

        private static void checkAttributes(
                Recording.Call call, Attributes expected, Attributes found) {
            assertThat(found.type()).as(call.label()).isEqualTo(expected.type());
            assertThat(found.mask()).as(call.label()).isEqualTo(expected.mask());
            assertThat(found.mode()).as(call.label()).isEqualTo(expected.mode());
            assertThat(found.nlink()).as(call.label()).isEqualTo(expected.nlink());
            assertThat(found.size()).as(call.label()).isEqualTo(expected.size());
        }

        private void checkEntries(
                Recording.Call call, Request request, Reply expected, Reply found) {
            if (request.number() == 0) {
                listed.clear();
                seenNames.clear();
            }
            assertThat(found.entries()).as(call.label()).hasSameSizeAs(expected.entries());
            for (DirectoryEntry entry : found.entries()) {
                assertThat(listed.add(entry.name())).as(entry.name()).isTrue();
                assertThat(entry.handle()).isEqualTo(FileHandle.NONE);
                assertThat(entry.attributes()).isEqualTo(Attributes.ZERO);
                cookie = entry.cookie();
            }
            expected.entries().forEach(entry -> seenNames.put(entry.name(), 1));
            if (expected.entries().isEmpty()) {
                assertThat(listed).containsExactlyInAnyOrderElementsOf(seenNames.keySet());
            }
        }
    }
}
