package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.PeerAddress;
import org.jbmi.tcp.TcpOptions;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.protocol.Dialect;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Transfer;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** What a server leaves behind when it closes. */
@Timeout(60)
class ServerClosesTest extends ServerFeature {
    private static final ClientOptions PATIENT = ClientOptions.DEFAULT.withTimeoutMs(20_000);

    private ZoidfsServer serve(Bmi bmi) throws IOException {
        ExportSettings export = ExportSettings.of(folder, ExportKey.random());
        return ZoidfsServer.serve(bmi, export, Dialect.MAIN, limits(4 << 20, 3));
    }

    @Test
    void aSecondServerOfOneInstanceGetsRequests() throws IOException {
        try (Bmi bmi =
                        Bmi.builder()
                                .automaticReferences(true)
                                .knob("tcp.bindSpecific", "true")
                                .listen("tcp://127.0.0.1:0")
                                .open();
                Bmi own = Bmi.open();
                ZoidfsClient client =
                        ZoidfsClient.connect(
                                own,
                                "tcp://127.0.0.1:" + bmi.getOption(TcpOptions.PORT),
                                PATIENT)) {
            for (int i = 0; i < 2; i++) {
                try (ZoidfsServer server = serve(bmi)) {
                    client.ping();
                    assertThat(server.counters().silentClients()).isZero();
                }
            }
        }
    }

    /** How many messages find room in the pool. */
    private static int roomFor(PeerAddress peer, long messageBytes, Bmi bmi) {
        List<MemorySegment> all = new ArrayList<>();
        for (MemorySegment next = peer.allocate(messageBytes);
                next != null;
                next = peer.allocate(messageBytes)) {
            all.add(next);
        }
        all.forEach(bmi::free);
        return all.size();
    }

    /** The BMI is the caller's, who may serve with it again. */
    @Test
    void aClosedServerLeavesNeitherMemoryNorPeersOfUnfinishedCalls() throws Exception {
        int messageBytes = 1 << 20;
        ExportSettings export = ExportSettings.of(folder, ExportKey.random());
        ClientOptions options = PATIENT.withDialect(Dialect.SFP);
        try (Bmi bmi =
                Bmi.builder()
                        .automaticReferences(true)
                        .knob("tcp.bindSpecific", "true")
                        .knob("tcp.poolBytes", Long.toString(4L * messageBytes))
                        .listen("tcp://127.0.0.1:0")
                        .open()) {
            int port = bmi.getOption(TcpOptions.PORT);
            String address = "tcp://127.0.0.1:" + port;
            PeerAddress any = bmi.lookup(address);
            int before = roomFor(any, messageBytes, bmi);
            assertThat(before).isPositive();
            ZoidfsServer server = ZoidfsServer.serve(bmi, export, Dialect.SFP, limits(4 << 20, 3));
            try (server;
                    Bmi own = Bmi.open();
                    ZoidfsClient client = ZoidfsClient.connect(own, address, options);
                    RawClient slow = new RawClient(port)) {
                FileHandle file = client.create(FileSpec.path("/f"), PLAIN).handle();
                client.sharedPointer(file, "CREATE", "p", 1);
                Transfer twoMessages = Transfer.of(0, 2L * messageBytes, messageBytes);
                Request write = Request.moving(Operation.WRITE, file, twoMessages, Hints.NONE);
                slow.sendUnexpected(2, write.toByteArray());
                slow.sendExpected(2, new byte[messageBytes]);
                Path local = folder.resolve("f");
                Await.until("the first message", () -> local.toFile().length() == messageBytes);
                // A call counts until its reply is known to have gone.
                Await.until("one call is under way", () -> server.calls() == 1);
                assertThat(roomFor(any, messageBytes, bmi)).isLessThan(before);
                server.close();
                assertThat(server.calls()).isZero();
                assertThat(roomFor(any, messageBytes, bmi)).isEqualTo(before);
                for (long id = 1; id < 100; id++) {
                    assertThat(id == any.id() || bmi.findPeer(id) == null).isTrue();
                }
            }
        }
    }

    @Test
    void aSecondCloseClosesNothing() throws IOException {
        AtomicInteger closed = new AtomicInteger();
        TestDisk disk = TestDisk.of().afterClose(closed::incrementAndGet);
        try (TestServer server = TestServer.on(disk.calls(), folder, limits(4 << 20, 3))) {
            server.server().close();
            int once = closed.get();
            assertThat(once).isPositive();
            server.server().close();
            assertThat(closed).hasValue(once);
        }
    }

    private boolean isFolderOpen() throws IOException {
        boolean isOpen = false;
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            for (Path each : all.toList()) {
                try {
                    isOpen |= Files.readSymbolicLink(each).equals(folder.toRealPath());
                } catch (NoSuchFileException e) {
                    // It was closed meanwhile.
                }
            }
        }
        return isOpen;
    }

    @Test
    void aThreadThatWasInterruptedClosesAllAndStaysInterrupted() throws IOException {
        try (TestServer server = TestServer.on(TestDisk.of().calls(), folder, limits(4 << 20, 3))) {
            assertThat(isFolderOpen()).isTrue();
            Thread.currentThread().interrupt();
            server.server().close();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(isFolderOpen()).isFalse();
        }
    }

    /** Else its descriptor could be that of a foreign file when the thread goes on. */
    @Test
    void theFolderStaysOpenForAThreadThatWaitsForADisk() throws Exception {
        CompletableFuture<Thread> waiting = new CompletableFuture<>();
        CountDownLatch goOn = new CountDownLatch(1);
        TestDisk disk =
                TestDisk.of()
                        .whenSynced(
                                () -> {
                                    waiting.complete(Thread.currentThread());
                                    goOn.await();
                                    return 0;
                                });
        try (TestServer server = TestServer.on(disk.calls(), folder, limits(4 << 20, 3));
                Client client = Client.of(server, PATIENT)) {
            ZoidfsClient zoidfs = client.zoidfs();
            List<FileHandle> files =
                    List.of(
                            zoidfs.create(FileSpec.path("/f"), PLAIN).handle(),
                            zoidfs.create(FileSpec.path("/g"), PLAIN).handle());
            CompletableFuture<Boolean> commit =
                    zoidfs.submit(
                            () -> {
                                zoidfs.commit(files.get(0));
                                return true;
                            });
            Thread worker = waiting.get();
            assertThat(server.server().openFiles()).isEqualTo(2);
            server.server().close();
            assertThat(server.server().openFiles()).isEqualTo(1);
            assertThat(isFolderOpen()).isTrue();
            assertThat(commit.isDone() && !commit.isCompletedExceptionally()).isFalse();
            goOn.countDown();
            worker.join();
        }
    }
}
