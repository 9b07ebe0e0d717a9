package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.LongList;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.SettableAttributes;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.Transfer;
import org.jbmi.zoidfs.protocol.XdrWriter;
import org.jbmi.zoidfs.server.config.Limits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Requests as no C client sends them: each is answered, and the server lives. */
class HostileClientTest {
    private static final int TAG = 2;

    @TempDir private Path folder;
    private TestServer server;
    private RawClient client;

    @BeforeEach
    void start() throws IOException {
        Files.createDirectory(folder.resolve("export"));
        Files.writeString(folder.resolve("secret"), "nobody may read this");
        server = TestServer.of(folder.resolve("export"));
        client = new RawClient(server.port());
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        server.close();
    }

    private int status(byte[] request) throws IOException {
        byte[] reply = client.call(TAG, request);
        int status = ByteBuffer.wrap(reply).getInt();
        if (status != Status.OK) {
            assertThat(reply).hasSize(4);
        }
        return status;
    }

    private static byte[] onPath(Operation operation, String path) {
        return Request.onNames(operation, FileSpec.path(path), null, null, Hints.NONE)
                .toByteArray();
    }

    private static byte[] create(String path) {
        return Request.onNames(
                        Operation.CREATE,
                        FileSpec.path(path),
                        null,
                        SettableAttributes.ofMode(0644),
                        Hints.NONE)
                .toByteArray();
    }

    private FileHandle handle(byte[] request) throws IOException {
        byte[] reply = client.call(TAG, request);
        assertThat(ByteBuffer.wrap(reply).getInt()).isZero();
        return FileHandle.of(Arrays.copyOfRange(reply, 4, 36));
    }

    private void assertAlive() throws IOException {
        assertThat(status(Request.nothing().toByteArray())).isZero();
        assertThat(client.isQuiet()).isTrue();
    }

    @Test
    void operationsThatDoNotExistAreNotImplemented() throws IOException {
        for (int number : new int[] {16, 17, 255, -1, Integer.MIN_VALUE}) {
            byte[] request = new XdrWriter().writeInt(number).toByteArray();
            assertThat(status(request)).isEqualTo(Status.NOTIMPL);
        }
        assertAlive();
    }

    @Test
    void messagesTooShortForAnOperationAreMalformed() throws IOException {
        for (int length = 0; length < 4; length++) {
            assertThat(status(new byte[length])).isEqualTo(Status.XDR);
        }
        assertAlive();
    }

    @Test
    void truncatedRequestsAreMalformed() throws IOException {
        byte[] whole = onPath(Operation.LOOKUP, "/some/path");
        for (int length = 4; length < whole.length; length++) {
            assertThat(status(Arrays.copyOf(whole, length))).isEqualTo(Status.XDR);
        }
        assertAlive();
    }

    @Test
    void randomBytesAreAnswered() throws IOException {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            byte[] bytes = new byte[4 + random.nextInt(200)];
            random.nextBytes(bytes);
            // Reads and writes that could be understood would be followed by data.
            int operation = random.nextInt(13);
            ByteBuffer.wrap(bytes).putInt(0, operation);
            client.call(TAG, bytes);
        }
        assertAlive();
    }

    @Test
    void longNamesAndPathsAreRefusedInWords() throws IOException {
        for (int length : new int[] {4_095, 4_096, 4_097}) {
            String path = "/" + "a/".repeat((length - 1) / 2) + (length % 2 == 0 ? "a" : "");
            assertThat(path).hasSize(length);
            int expected = length < 4_096 ? Status.NOENT : Status.NAMETOOLONG;
            assertThat(status(onPath(Operation.LOOKUP, path))).isEqualTo(expected);
        }
        FileHandle root = handle(onPath(Operation.LOOKUP, "/"));
        for (int length : new int[] {256, 257}) {
            Request request =
                    Request.onNames(
                            Operation.LOOKUP,
                            FileSpec.child(root, "n".repeat(length)),
                            null,
                            null,
                            Hints.NONE);
            assertThat(status(request.toByteArray())).isEqualTo(Status.NAMETOOLONG);
        }
        assertAlive();
    }

    @Test
    void pathsWithoutASlashAndWithANulAreErrors() throws IOException {
        assertThat(status(onPath(Operation.LOOKUP, "relative"))).isEqualTo(Status.OTHER);
        assertThat(status(onPath(Operation.LOOKUP, "/a\0b"))).isEqualTo(Status.INVAL);
        assertThat(status(onPath(Operation.LOOKUP, ""))).isEqualTo(Status.STALE);
        assertAlive();
    }

    @Test
    void nothingLeadsOutOfTheExport() throws IOException {
        Path export = folder.resolve("export");
        Files.createDirectory(export.resolve("d"));
        Files.createSymbolicLink(export.resolve("up"), Path.of(".."));
        Files.createSymbolicLink(export.resolve("absolute"), folder);
        FileHandle directory = handle(onPath(Operation.LOOKUP, "/d"));
        FileHandle root = handle(onPath(Operation.LOOKUP, "/"));
        for (String path :
                new String[] {
                    "/../secret",
                    "/d/../../secret",
                    "/up/secret",
                    "/up/../secret",
                    "/absolute/secret",
                    "/../../../../../../../etc/passwd"
                }) {
            assertThat(status(onPath(Operation.LOOKUP, path))).as(path).isEqualTo(Status.NOENT);
            assertThat(status(onPath(Operation.REMOVE, path))).as(path).isEqualTo(Status.NOENT);
        }
        for (String name : new String[] {"../../secret", "../up/secret", "../absolute/secret"}) {
            Request request =
                    Request.onNames(
                            Operation.LOOKUP,
                            FileSpec.child(directory, name),
                            null,
                            null,
                            Hints.NONE);
            assertThat(status(request.toByteArray())).as(name).isEqualTo(Status.NOENT);
        }
        Request above =
                Request.onNames(
                        Operation.LOOKUP, FileSpec.child(root, ".."), null, null, Hints.NONE);
        assertThat(handle(above.toByteArray())).isEqualTo(root);
        assertThat(folder.resolve("secret")).exists();
        assertAlive();
    }

    @Test
    void aFileThatIsMovedOutOfTheExportIsStale() throws IOException {
        FileHandle file = handle(create("/f"));
        Files.createDirectory(folder.resolve("export/d"));
        FileHandle directory = handle(onPath(Operation.LOOKUP, "/d"));
        Files.move(folder.resolve("export/f"), folder.resolve("f"));
        Files.move(folder.resolve("export/d"), folder.resolve("d"));
        byte[] ask = Request.getAttr(file, Attributes.asking(0x7ff), Hints.NONE).toByteArray();
        assertThat(status(ask)).isEqualTo(Status.STALE);
        Request make =
                Request.onNames(
                        Operation.CREATE,
                        FileSpec.child(directory, "new"),
                        null,
                        SettableAttributes.ofMode(0644),
                        Hints.NONE);
        assertThat(status(make.toByteArray())).isEqualTo(Status.STALE);
        assertThat(folder.resolve("d/new")).doesNotExist();
    }

    @Test
    void forgedHandlesAreStale() throws IOException {
        byte[] good = handle(create("/f")).toByteArray();
        for (int at = 4; at < good.length; at++) {
            byte[] forged = good.clone();
            forged[at] ^= 1;
            byte[] ask =
                    Request.getAttr(FileHandle.of(forged), Attributes.asking(0), Hints.NONE)
                            .toByteArray();
            assertThat(status(ask)).as("byte " + at).isEqualTo(Status.STALE);
        }
        byte[] routed = good.clone();
        routed[0] = 7;
        byte[] ask =
                Request.getAttr(FileHandle.of(routed), Attributes.asking(0), Hints.NONE)
                        .toByteArray();
        assertThat(status(ask)).isZero();
    }

    @Test
    void dataOfUnequalSumsMovesAndIsThenRefused() throws IOException {
        FileHandle file = handle(create("/f"));
        Transfer transfer = new Transfer(LongList.of(10, 10), LongList.of(0), LongList.of(5), 0);
        client.sendUnexpected(
                TAG, Request.moving(Operation.WRITE, file, transfer, Hints.NONE).toByteArray());
        client.sendExpected(TAG, new byte[20]);
        assertThat(ByteBuffer.wrap(client.receive(TAG)).getInt()).isEqualTo(Status.INVAL);
        client.sendUnexpected(
                TAG, Request.moving(Operation.READ, file, transfer, Hints.NONE).toByteArray());
        assertThat(client.receive(TAG)).hasSize(20).containsOnly(0);
        assertThat(ByteBuffer.wrap(client.receive(TAG)).getInt()).isEqualTo(Status.INVAL);
        assertAlive();
    }

    /** Its data would be taken for that of the next call. */
    @Test
    void aReadOrWriteWithCountsThatContradictEndsTheConnection() throws IOException {
        FileHandle file = handle(create("/f"));
        LongList four = LongList.of(4, 4);
        Transfer wrong = new Transfer(LongList.of(8), LongList.of(0, 4, 8), four, 0);
        byte[] good =
                Request.moving(Operation.WRITE, file, Transfer.of(0, 8, 0), Hints.NONE)
                        .toByteArray();
        for (Operation operation : new Operation[] {Operation.WRITE, Operation.READ}) {
            try (RawClient other = new RawClient(server.port())) {
                other.sendUnexpected(
                        TAG, Request.moving(operation, file, wrong, Hints.NONE).toByteArray());
                assertThatThrownBy(
                                () -> {
                                    other.sendExpected(TAG, "OLD OLD!".getBytes(UTF_8));
                                    other.receive(TAG);
                                    other.sendUnexpected(TAG, good);
                                    other.sendExpected(TAG, "new data".getBytes(UTF_8));
                                    other.receive(TAG);
                                })
                        .isInstanceOf(IOException.class);
            }
            assertThat(folder.resolve("export/f")).isEmptyFile();
        }
        assertAlive();
    }

    @Test
    void sizesBeyondAnyMeasureAreRefusedWithoutData() throws IOException {
        FileHandle file = handle(create("/f"));
        LongList huge = LongList.of(Long.MAX_VALUE, Long.MAX_VALUE);
        for (Operation operation : new Operation[] {Operation.READ, Operation.WRITE}) {
            Transfer overflow = new Transfer(huge, LongList.of(0, 0), huge, 0);
            assertThat(status(Request.moving(operation, file, overflow, Hints.NONE).toByteArray()))
                    .isEqualTo(Status.INVAL);
        }
        assertAlive();
    }

    @Test
    void offsetsBeyondAnyFileAreErrorsOfTheFile() throws IOException {
        FileHandle file = handle(create("/f"));
        Transfer far = Transfer.of(-8, 4, 0);
        client.sendUnexpected(
                TAG, Request.moving(Operation.WRITE, file, far, Hints.NONE).toByteArray());
        client.sendExpected(TAG, new byte[4]);
        assertThat(ByteBuffer.wrap(client.receive(TAG)).getInt()).isEqualTo(Status.FBIG);
        client.sendUnexpected(
                TAG, Request.moving(Operation.READ, file, far, Hints.NONE).toByteArray());
        assertThat(client.receive(TAG)).hasSize(4).containsOnly(0);
        assertThat(ByteBuffer.wrap(client.receive(TAG)).getInt()).isEqualTo(Status.OK);
        assertAlive();
    }

    @Test
    void aClientThatVanishesInTheMiddleLeavesWholeChunksAndNothingElse() throws Exception {
        FileHandle file = handle(create("/f"));
        try (RawClient other = new RawClient(server.port())) {
            other.sendUnexpected(
                    TAG,
                    Request.moving(
                                    Operation.WRITE,
                                    file,
                                    Transfer.of(0, 4 * 1_000, 1_000),
                                    Hints.NONE)
                            .toByteArray());
            other.sendExpected(TAG, new byte[1_000]);
        }
        // The server may not even have seen the request yet, so no call need be under way.
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while ((server.server().counters().abandonedCalls() == 0 || server.server().calls() > 0)
                && System.nanoTime() < deadlineNs) {
            Thread.onSpinWait();
        }
        assertThat(server.server().calls()).isZero();
        assertThat(Files.size(folder.resolve("export/f"))).isIn(0L, 1_000L);
        assertThat(server.server().counters().abandonedCalls()).isEqualTo(1);
        assertAlive();
    }

    private static Hints hints(int count) {
        Hints hints = Hints.NONE;
        for (int i = 0; i < count; i++) {
            hints = hints.with("key" + i, "value");
        }
        return hints;
    }

    @Test
    void hintsBeyondTheLimitsAreIgnoredAndLeaveTheDataInStep() throws IOException {
        FileHandle file = handle(create("/f"));
        String longText = "x".repeat(257);
        List<Hints> all =
                List.of(
                        hints(129),
                        hints(250),
                        Hints.of(longText, "value"),
                        Hints.of("key", longText),
                        Hints.of(longText, longText).with("key", "value"));
        for (int i = 0; i < all.size(); i++) {
            Hints hints = all.get(i);
            byte[] bytes = new byte[8];
            Arrays.fill(bytes, (byte) (i + 1));
            Transfer transfer = Transfer.of(0, bytes.length, 0);
            client.sendUnexpected(
                    TAG, Request.moving(Operation.WRITE, file, transfer, hints).toByteArray());
            client.sendExpected(TAG, bytes);
            assertThat(ByteBuffer.wrap(client.receive(TAG)).getInt()).isEqualTo(Status.OK);
            client.sendUnexpected(
                    TAG, Request.moving(Operation.READ, file, transfer, hints).toByteArray());
            assertThat(client.receive(TAG)).isEqualTo(bytes);
            assertThat(ByteBuffer.wrap(client.receive(TAG)).getInt()).isEqualTo(Status.OK);
            byte[] ask = Request.getAttr(file, Attributes.asking(0), hints).toByteArray();
            assertThat(status(ask)).isEqualTo(Status.OK);
        }
        assertAlive();
    }

    @Test
    void dataMovesBehindHintsThatEndTooEarly() throws IOException {
        FileHandle file = handle(create("/f"));
        Transfer transfer = Transfer.of(0, 8, 0);
        byte[] whole = Request.moving(Operation.WRITE, file, transfer, hints(3)).toByteArray();
        byte[] none = Request.moving(Operation.WRITE, file, transfer, Hints.NONE).toByteArray();
        // Eight bytes less than a request without hints: the hints and what is behind them.
        for (int length = none.length - 8; length < whole.length; length++) {
            client.sendUnexpected(TAG, Arrays.copyOf(whole, length));
            client.sendExpected(TAG, new byte[8]);
            assertThat(ByteBuffer.wrap(client.receive(TAG)).getInt()).isEqualTo(Status.OK);
        }
        assertAlive();
    }

    @Test
    void aChunkOfAnyLengthIsAnUnsignedNumber() throws IOException {
        FileHandle file = handle(create("/f"));
        byte[] bytes = {1, 2, 3, 4, 5, 6, 7, 8};
        for (long chunkBytes : new long[] {8, 9, Long.MAX_VALUE, Long.MIN_VALUE, -1}) {
            Transfer transfer = Transfer.of(0, bytes.length, chunkBytes);
            client.sendUnexpected(
                    TAG, Request.moving(Operation.WRITE, file, transfer, Hints.NONE).toByteArray());
            client.sendExpected(TAG, bytes);
            assertThat(ByteBuffer.wrap(client.receive(TAG)).getInt()).isEqualTo(Status.OK);
            client.sendUnexpected(
                    TAG, Request.moving(Operation.READ, file, transfer, Hints.NONE).toByteArray());
            assertThat(client.receive(TAG)).isEqualTo(bytes);
            assertThat(ByteBuffer.wrap(client.receive(TAG)).getInt()).isEqualTo(Status.OK);
        }
        assertAlive();
    }

    @Test
    void manyRequestsBehindOneThatWaitsAreAnsweredInOrder() throws IOException {
        int many = 30_000;
        Limits limits = new Limits(2 * many, 128L << 20, 32L << 20, 8, 300_000, 100, 128 << 20);
        try (TestServer wide =
                        TestServer.of(
                                folder.resolve("export"),
                                Dialect.MAIN,
                                settings -> settings,
                                limits);
                RawClient other = new RawClient(wide.port())) {
            client.close();
            client = other;
            FileHandle file = handle(create("/f"));
            Transfer transfer = Transfer.of(0, 3, 0);
            client.sendUnexpected(
                    TAG, Request.moving(Operation.WRITE, file, transfer, Hints.NONE).toByteArray());
            byte[] nothing = Request.nothing().toByteArray();
            for (int i = 0; i < many; i++) {
                client.sendUnexpected(TAG, nothing);
            }
            client.sendExpected(TAG, new byte[3]);
            assertThat(client.receive(TAG)).hasSizeGreaterThan(4);
            for (int i = 0; i < many; i++) {
                assertThat(client.receive(TAG)).hasSize(4).containsOnly(0);
            }
            assertAlive();
        }
    }

    @Test
    void aSecondRequestOfOneThreadIsAnsweredInOrder() throws IOException {
        for (int i = 0; i < 50; i++) {
            client.sendUnexpected(TAG, create("/file" + i));
            client.sendUnexpected(TAG, onPath(Operation.REMOVE, "/file" + i));
        }
        for (int i = 0; i < 50; i++) {
            byte[] made = client.receive(TAG);
            assertThat(made).hasSize(40);
            assertThat(ByteBuffer.wrap(made).getInt(36)).isEqualTo(1);
            assertThat(client.receive(TAG)).hasSize(48);
        }
    }

    @Test
    void tagsOfTheWholeRangeAreAnswered() throws IOException {
        for (int tag : new int[] {0, 1, 65_535, 65_536, 70_000, -1}) {
            assertThat(client.call(tag, Request.nothing().toByteArray())).containsOnly(0);
        }
    }

    @Test
    void aReadOnlyExportRefusesChanges() throws IOException {
        Files.writeString(folder.resolve("export/there"), "as it is");
        try (TestServer readOnly =
                        TestServer.of(
                                folder.resolve("export"),
                                Dialect.MAIN,
                                settings -> settings.withReadOnly(true),
                                Limits.DEFAULT);
                RawClient other = new RawClient(readOnly.port())) {
            client.close();
            client = other;
            FileHandle file = handle(create("/there"));
            assertThat(status(create("/new"))).isEqualTo(Status.ROFS);
            assertThat(status(onPath(Operation.REMOVE, "/there"))).isEqualTo(Status.ROFS);
            byte[] resize = Request.onHandle(Operation.RESIZE, file, 0, Hints.NONE).toByteArray();
            assertThat(status(resize)).isEqualTo(Status.ROFS);
            client.sendUnexpected(
                    TAG,
                    Request.moving(Operation.WRITE, file, Transfer.of(0, 3, 0), Hints.NONE)
                            .toByteArray());
            client.sendExpected(TAG, new byte[3]);
            assertThat(ByteBuffer.wrap(client.receive(TAG)).getInt()).isEqualTo(Status.ROFS);
            assertThat(
                            status(
                                    Request.onHandle(Operation.COMMIT, file, 0, Hints.NONE)
                                            .toByteArray()))
                    .isZero();
        }
        assertThat(folder.resolve("export/there")).hasContent("as it is");
    }
}
