package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.PeerAddress;
import org.jbmi.PostOptions;
import org.jbmi.UnexpectedMessages;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
import org.jbmi.zoidfs.protocol.AttributeMask;
import org.jbmi.zoidfs.protocol.Attributes;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.DirectoryEntry;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.FileType;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.LongList;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Reply;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.Timestamp;
import org.jbmi.zoidfs.protocol.Transfer;
import org.jbmi.zoidfs.protocol.XdrException;
import org.jbmi.zoidfs.protocol.XdrReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Stream;

/** A server whose replies say more, or less, than can be. */
@Timeout(60)
class WrongSizesTest {
    private static final int BYTES = 10;
    private static final long WAIT_MS = 20_000;

    private final LoopbackHub hub = new LoopbackHub();
    private final MemorySegment memory = MemorySegment.ofArray(new byte[BYTES]);
    private Bmi server;
    private Bmi own;
    private CompletionContext context;
    private ZoidfsClient client;

    /** How much shorter a message of data is than it must be. */
    private int missing;

    @BeforeEach
    void start() {
        server = Bmi.builder().attach(LoopbackHub.class, hub).listen("loopback://files").open();
        context = server.openContext();
        own = Bmi.builder().attach(LoopbackHub.class, hub).open();
        client = ZoidfsClient.connect(own, "loopback://files", ClientOptions.DEFAULT);
    }

    @AfterEach
    void stop() {
        client.close();
        own.close();
        server.close();
    }

    /** Moves the data of one request, and answers it with these sizes. */
    private void answer(long... sizes) throws XdrException {
        answer(Dialect.MAIN, Reply.sizes(LongList.of(sizes), Hints.NONE));
    }

    private void answer(Dialect dialect, Reply reply) throws XdrException {
        while (!answersOne(dialect, request -> reply)) {
            Thread.onSpinWait();
        }
    }

    /** Waits a moment for a request, and answers it. */
    private boolean answersOne(Dialect dialect, Function<Request, Reply> how) throws XdrException {
        UnexpectedMessages messages = UnexpectedMessages.ofCapacity(1);
        if (server.testUnexpected(messages, 100) == 0) {
            return false;
        }
        PeerAddress peer = messages.peer(0);
        int tag = messages.tag(0);
        Request request = Request.read(new XdrReader(messages.payload(0)));
        server.unexpectedFree(messages.payload(0));
        Transfer transfer = request.transfer();
        for (int i = 0; transfer != null && i < transfer.messages(); i++) {
            int bytes = (int) transfer.messageBytes(i) - missing;
            MemorySegment data = MemorySegment.ofArray(new byte[bytes]);
            boolean writing = request.operation() == Operation.WRITE;
            long moved =
                    writing
                            ? context.postReceive(peer, data, tag, null, PostOptions.NONE)
                            : context.postSend(peer, data, tag, null, PostOptions.NONE);
            context.await(moved, WAIT_MS);
        }
        byte[] reply = how.apply(request).toByteArray(request.operation(), dialect);
        MemorySegment text = MemorySegment.ofArray(reply);
        context.await(context.postSend(peer, text, tag, null, PostOptions.NONE), WAIT_MS);
        return true;
    }

    private long read() throws Exception {
        return client.read(FileHandle.NONE, memory, 0);
    }

    private long append() throws Exception {
        return client.append(FileHandle.NONE, memory, 0);
    }

    private LongList moveTwo() throws Exception {
        return client.moveList(
                false, FileHandle.NONE, List.of(memory), LongList.of(0, 100), LongList.of(4, 6));
    }

    private void assertRefused(int status, Callable<?> asked, long... sizes) throws XdrException {
        CompletableFuture<?> future = client.submit(asked);
        answer(sizes);
        assertFails(status, future);
    }

    private static void assertFails(int status, CompletableFuture<?> future) {
        assertThatThrownBy(future::get)
                .isInstanceOfSatisfying(
                        ExecutionException.class,
                        e ->
                                assertThat(e.getCause())
                                        .isInstanceOfSatisfying(
                                                ZoidfsException.class,
                                                found ->
                                                        assertThat(found.status())
                                                                .isEqualTo(status)));
    }

    static Stream<long[]> impossible() {
        return Stream.of(
                new long[] {1L << 40}, new long[] {BYTES + 1}, new long[0], new long[] {-1});
    }

    @ParameterizedTest
    @MethodSource("impossible")
    void sizesThatCannotBeAreRefused(long[] sizes) throws Exception {
        assertRefused(Status.XDR, this::read, sizes);
        assertRefused(Status.XDR, () -> client.write(FileHandle.NONE, memory, 0), sizes);
        assertRefused(Status.XDR, this::append, sizes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "99999999999999999999"})
    void anAppendIsDoneWhateverTheServerSaysOfItsPlace(String place) throws Exception {
        ClientOptions options = ClientOptions.DEFAULT.withDialect(Dialect.SFP);
        try (Bmi other = Bmi.builder().attach(LoopbackHub.class, hub).open();
                ZoidfsClient hinted = ZoidfsClient.connect(other, "loopback://files", options)) {
            CompletableFuture<Long> appended =
                    hinted.submit(() -> hinted.append(FileHandle.NONE, memory, 0));
            Hints hints = Hints.of(Hints.ATOMIC_APPEND_OFFSET, place);
            answer(Dialect.SFP, Reply.sizes(LongList.of(BYTES), hints));
            assertThat(appended.get()).isEqualTo(-1);
        }
    }

    @Test
    void aSharedPointerThatIsNoNumberIsRefused() throws Exception {
        ClientOptions options = ClientOptions.DEFAULT.withDialect(Dialect.SFP);
        try (Bmi other = Bmi.builder().attach(LoopbackHub.class, hub).open();
                ZoidfsClient sharing = ZoidfsClient.connect(other, "loopback://files", options)) {
            CompletableFuture<Long> told =
                    sharing.submit(() -> sharing.sharedPointer(FileHandle.NONE, "GET", "p", 0));
            Hints hints = Hints.of(Hints.POINTER_VALUE, "x");
            answer(Dialect.SFP, Reply.attributes(Attributes.asking(0), hints));
            assertFails(Status.XDR, told);
        }
    }

    /** Each part of the list has one entry, and the last part leads back to the second. */
    private static Reply listing(Request request, int parts, String name) {
        long next = request.number() == parts ? 2 : request.number() + 1;
        DirectoryEntry entry = new DirectoryEntry(name, FileHandle.NONE, Attributes.ZERO, next);
        return switch (request.operation()) {
            case LOOKUP -> Reply.handle(FileHandle.NONE, false);
            case GET_ATTR -> Reply.attributes(attributes(FileType.DIRECTORY, 0), Hints.NONE);
            default -> Reply.entries(List.of(entry));
        };
    }

    private static Attributes attributes(int type, long size) {
        Timestamp time = Timestamp.ZERO;
        return new Attributes(type, 0, 0644, 1, 0, 0, size, 4096, 1, 7, time, time, time);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 100})
    void aListThatGoesRoundEnds(int parts) throws Exception {
        URI address = URI.create("zoidfs:loopback://files/");
        for (String name : List.of(".", "a")) {
            try (FileSystem files = FileSystems.newFileSystem(address, Map.of("bmi", own))) {
                CompletableFuture<Long> counted =
                        client.submit(
                                () -> {
                                    try (Stream<Path> all = Files.list(files.getPath("/"))) {
                                        return all.count();
                                    }
                                });
                for (int asked = 0; !counted.isDone() && asked < 20 * parts; asked++) {
                    answersOne(Dialect.MAIN, request -> listing(request, parts, name));
                }
                assertThat(counted)
                        .failsWithin(Duration.ofMillis(WAIT_MS))
                        .withThrowableOfType(ExecutionException.class)
                        .withRootCauseInstanceOf(XdrException.class);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "../../etc/passwd", "/abs", "a/", "a\0b"})
    void aNameThatNoFileHasIsRefused(String name) throws Exception {
        DirectoryEntry entry = new DirectoryEntry(name, FileHandle.NONE, Attributes.ZERO, 1);
        CompletableFuture<?> part = client.submit(() -> list(0));
        answer(Dialect.MAIN, Reply.entries(List.of(entry)));
        assertFails(Status.XDR, part);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x\0y"})
    void aTextThatNoLinkHasIsRefused(String text) throws Exception {
        CompletableFuture<?> told = client.submit(() -> client.readLink(FileHandle.NONE));
        answer(Dialect.MAIN, Reply.text(text));
        assertFails(Status.XDR, told);
    }

    @Test
    void aFileOfLessThanNoBytesIsRefused() throws Exception {
        Attributes wrong = attributes(FileType.REGULAR, -5);
        CompletableFuture<?> told = client.submit(() -> client.getAttributes(FileHandle.NONE));
        answer(Dialect.MAIN, Reply.attributes(wrong, Hints.NONE));
        assertFails(Status.XDR, told);
        DirectoryEntry entry = new DirectoryEntry("f", FileHandle.NONE, wrong, 1);
        CompletableFuture<?> part = client.submit(() -> list(AttributeMask.SIZE));
        answer(Dialect.MAIN, Reply.entries(List.of(entry)));
        assertFails(Status.XDR, part);
        // A C server sends old bytes of its memory where nothing is asked for.
        CompletableFuture<List<DirectoryEntry>> names = client.submit(() -> list(0));
        answer(Dialect.MAIN, Reply.entries(List.of(entry)));
        assertThat(names.get()).hasSize(1);
    }

    private List<DirectoryEntry> list(int flags) throws Exception {
        return client.readDirectory(FileHandle.NONE, 0, 10, flags);
    }

    /** The rest of the memory has old bytes. */
    @Test
    void aMessageThatIsTooShortIsRefusedUnlessTheReadFails() throws Exception {
        missing = 5;
        assertRefused(Status.XDR, this::read, BYTES);
        CompletableFuture<Long> failed = client.submit(this::read);
        answer(Dialect.MAIN, Reply.status(Status.INVAL));
        assertFails(Status.INVAL, failed);
    }

    @Test
    void aPartOfADirectoryHasNoLessThanNoEntries() {
        assertThatThrownBy(() -> client.readDirectory(FileHandle.NONE, 0, -1, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** The file has 10 bytes, of which the server writes 3. */
    private static Reply writingAPart(Request request) {
        FileSpec first = request.first();
        Transfer transfer = request.transfer();
        boolean isTarget = first != null && first.text().equals("/target");
        return switch (request.operation()) {
            case LOOKUP ->
                    isTarget ? Reply.status(Status.NOENT) : Reply.handle(FileHandle.NONE, false);
            case CREATE -> Reply.handle(FileHandle.NONE, true);
            case GET_ATTR -> Reply.attributes(attributes(FileType.REGULAR, BYTES), Hints.NONE);
            case WRITE -> Reply.sizes(LongList.of(3), Hints.NONE);
            case READ -> {
                boolean isFirst = transfer != null && transfer.fileStarts().get(0) == 0;
                yield Reply.sizes(LongList.of(isFirst ? BYTES : 0), Hints.NONE);
            }
            default -> Reply.status(Status.OK);
        };
    }

    @Test
    void aCopyOfAPartIsAFailure() throws Exception {
        URI address = URI.create("zoidfs:loopback://files/");
        Map<String, Object> settings = Map.of("bmi", own, "chunkBytes", 60_000);
        try (FileSystem files = FileSystems.newFileSystem(address, settings)) {
            CompletableFuture<Path> copied =
                    client.submit(() -> Files.copy(files.getPath("/f"), files.getPath("/target")));
            while (!copied.isDone()) {
                answersOne(Dialect.MAIN, WrongSizesTest::writingAPart);
            }
            assertThat(copied)
                    .failsWithin(Duration.ofMillis(WAIT_MS))
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(FileSystemException.class);
        }
    }

    @Test
    void eachRegionHasItsBound() throws Exception {
        assertRefused(Status.XDR, this::moveTwo, 5, 5);
        assertRefused(Status.XDR, this::moveTwo, 4);
        CompletableFuture<LongList> moved = client.submit(this::moveTwo);
        answer(4, 1);
        assertThat(moved.get()).isEqualTo(LongList.of(4, 1));
    }

    @Test
    void eachRegionHasOneOffset() {
        assertThatThrownBy(
                        () ->
                                client.moveList(
                                        true,
                                        FileHandle.NONE,
                                        List.of(memory),
                                        LongList.of(0, 4, 8),
                                        LongList.of(4, 6)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("3 offsets of 2 regions");
    }

    @Test
    void aReadMayBeShortAndAnAppendMayNot() throws Exception {
        assertRefused(Status.IO, this::append, BYTES - 1);
        CompletableFuture<Long> read = client.submit(this::read);
        answer(BYTES - 1);
        assertThat(read.get()).isEqualTo(BYTES - 1);
    }
}
