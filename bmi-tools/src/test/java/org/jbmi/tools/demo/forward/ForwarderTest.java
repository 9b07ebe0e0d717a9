package org.jbmi.tools.demo.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.Bmi;
import org.jbmi.CompletionContext;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.loopback.LoopbackHub;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

@Timeout(30)
class ForwarderTest {
    private static final int CHUNK = 1000;
    private static final int DEPTH = 3;
    private static final String ADDRESS = "loopback://store";

    @TempDir Path directory;
    private final LoopbackHub hub = new LoopbackHub();
    private final List<String> log = new CopyOnWriteArrayList<>();
    private Path storage;
    private Bmi serverBmi;
    private CompletionContext serverContext;
    private ForwardServer server;
    private Thread serverThread;
    private Bmi bmi;
    private CompletionContext context;

    @BeforeEach
    void open() throws IOException {
        storage = Files.createDirectory(directory.resolve("storage"));
        serverBmi =
                Bmi.builder()
                        .attach(LoopbackHub.class, hub)
                        .knob("loopback.poolBytes", "64k")
                        .listen(ADDRESS)
                        .automaticReferences(true)
                        .open();
        serverContext = serverBmi.openContext();
        server = new ForwardServer(serverBmi, serverContext, storage, DEPTH, log::add);
        serverThread = Thread.ofPlatform().name("forward-server").start(server::run);
        bmi = Bmi.builder().attach(LoopbackHub.class, hub).open();
        context = bmi.openContext();
    }

    @AfterEach
    void close() throws InterruptedException {
        server.stop();
        serverThread.join();
        bmi.close();
        serverBmi.close();
        assertThat(hub.memberCount()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, CHUNK - 1, CHUNK, CHUNK + 1, DEPTH * CHUNK, 20 * CHUNK + 7})
    void shipsAFileThereAndBack(int size) throws Exception {
        byte[] bytes = randomBytes(size);
        List<Long> seen = new ArrayList<>();
        try (ForwardClient client = client(CHUNK)) {
            client.write(7, source(bytes), size, seen::add);
            assertThat(storage.resolve("file-7")).hasBinaryContent(bytes);
            assertThat(readBack(client, 7, size)).isEqualTo(sha256(bytes));
        }
        assertThat(seen).isSorted().last().isEqualTo((long) size);
        assertThat(log).isEmpty();
    }

    @Test
    void writesAFileAnew() throws Exception {
        try (ForwardClient client = client(CHUNK)) {
            client.write(1, source(randomBytes(5000)), 5000, n -> {});
            byte[] shorter = randomBytes(300);
            client.write(1, source(shorter), 300, n -> {});
            assertThat(storage.resolve("file-1")).hasBinaryContent(shorter);
        }
    }

    @Test
    void shipsOnlyTheBeginningOfAFile() throws Exception {
        byte[] bytes = randomBytes(5000);
        try (ForwardClient client = client(CHUNK)) {
            client.write(1, source(bytes), 1234, n -> {});
        }
        byte[] beginning = java.util.Arrays.copyOf(bytes, 1234);
        assertThat(storage.resolve("file-1")).hasBinaryContent(beginning);
    }

    @Test
    void manyClientsShipAtTheSameTime() throws Exception {
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 12; i++) {
            int number = i;
            threads.add(Thread.ofPlatform().start(() -> shipOnOneself(number, 15_000, failures)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        assertThat(log).isEmpty();
    }

    private void shipOnOneself(int number, int size, List<Throwable> failures) {
        try (Bmi own = Bmi.builder().attach(LoopbackHub.class, hub).open();
                CompletionContext ownContext = own.openContext();
                ForwardClient client =
                        new ForwardClient(
                                own, ownContext, own.lookup(ADDRESS), CHUNK, DEPTH, () -> false)) {
            byte[] bytes = randomBytes(size + number);
            client.write(number, source(bytes), bytes.length, n -> {});
            assertThat(readBack(client, number, bytes.length)).isEqualTo(sha256(bytes));
        } catch (Exception | AssertionError e) {
            failures.add(e);
        }
    }

    @Test
    void aFileThatIsNotThereIsRefused() {
        ForwardClient client = client(CHUNK);
        assertThatThrownBy(() -> readBack(client, 5, 10))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("The server could not do it (BMI_EIO)");
        assertThat(log).hasSize(1);
        client.close();
    }

    @Test
    void aFileOfAnotherSizeIsRefused() throws Exception {
        ForwardClient client = client(CHUNK);
        client.write(2, source(randomBytes(5000)), 5000, n -> {});
        assertThatThrownBy(() -> readBack(client, 2, 6000))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("The server could not do it (BMI_EIO)");
        assertThat(readBack(client, 2, 5000)).isNotEmpty();
        client.close();
    }

    @Test
    void aChunkLargerThanThePoolIsRefused() {
        ForwardClient client = client(80_000);
        assertThatThrownBy(() -> client.write(1, source(randomBytes(90_000)), 90_000, n -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("The server could not do it (BMI_ENOMEM)");
        client.close();
    }

    @Test
    void aRequestThatMakesNoSenseIsAnswered() {
        PeerAddress peer = bmi.lookup(ADDRESS);
        MemorySegment answer = peer.allocate(TransferReply.BYTES);
        assertThat(answer).isNotNull();
        long receive = context.postReceive(peer, answer, 4 + ForwardServer.REPLY_TAG_STEP);
        MemorySegment nonsense = MemorySegment.ofArray("hello".getBytes());
        context.await(context.postSendUnexpected(peer, nonsense, 4), 10_000);
        assertThat(context.await(receive, 10_000)).isEqualTo(TransferReply.BYTES);
        assertThat(TransferReply.decode(answer))
                .isEqualTo(new TransferReply(ErrorCode.EINVAL.negativeValue(), 0));
        bmi.free(answer);
    }

    @Test
    void aSourceThatIsShorterThanSaidFailsAndLeavesTheServerInStep() throws Exception {
        ForwardClient client = client(CHUNK);
        assertThatThrownBy(() -> client.write(3, source(randomBytes(100)), 5000, n -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("became shorter");
        byte[] bytes = randomBytes(2500);
        client.write(3, source(bytes), bytes.length, n -> {});
        assertThat(readBack(client, 3, bytes.length)).isEqualTo(sha256(bytes));
        client.close();
    }

    @Test
    void aClientThatVanishesHurtsNobody() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        Bmi victim = Bmi.builder().attach(LoopbackHub.class, hub).open();
        CompletionContext victimContext = victim.openContext();
        ForwardClient dying =
                new ForwardClient(
                        victim, victimContext, victim.lookup(ADDRESS), CHUNK, DEPTH, stop::get);
        byte[] bytes = randomBytes(60_000);
        assertThatThrownBy(
                        () ->
                                dying.write(
                                        9,
                                        source(bytes),
                                        bytes.length,
                                        moved -> {
                                            if (moved > 10_000) {
                                                throw new IllegalStateException("dies");
                                            }
                                        }))
                .isInstanceOf(IllegalStateException.class);
        victim.close();
        try (ForwardClient client = client(CHUNK)) {
            client.write(1, source(bytes), bytes.length, n -> {});
            assertThat(readBack(client, 1, bytes.length)).isEqualTo(sha256(bytes));
        }
        awaitLog();
        assertThat(log).hasSize(1).first().asString().contains("File 9").contains("broke off");
        assertThat(storage.resolve("file-9")).doesNotExist();
    }

    private void awaitLog() throws InterruptedException {
        long deadlineNs = System.nanoTime() + 10_000_000_000L;
        while (log.isEmpty() && System.nanoTime() < deadlineNs) {
            Thread.sleep(1);
        }
    }

    private ForwardClient client(int chunkBytes) {
        return new ForwardClient(bmi, context, bmi.lookup(ADDRESS), chunkBytes, DEPTH, () -> false);
    }

    private FileChannel source(byte[] bytes) throws IOException {
        Path file = Files.createTempFile(directory, "source", "");
        Files.write(file, bytes);
        return FileChannel.open(file);
    }

    private static byte[] readBack(ForwardClient client, int file, int size) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        client.read(file, size, digest, n -> {});
        return digest.digest();
    }

    private static byte[] sha256(byte[] bytes) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(bytes);
    }

    private static byte[] randomBytes(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }
}
