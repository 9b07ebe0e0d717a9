package org.jbmi.zoidfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.jbmi.Bmi;
import org.jbmi.zoidfs.client.ClientOptions;
import org.jbmi.zoidfs.client.ZoidfsClient;
import org.jbmi.zoidfs.client.ZoidfsException;
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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

/** What a server tells of itself: to a client, to the flight recorder. */
@Timeout(60)
class CountersTest {
    private static final double SLOW_S = 0.3;
    private static final long SLOW_MS = 300;

    private static final String BYTES_WRITTEN = "zoidfs_bytes_total{operation=\"write\"}";

    @TempDir private Path folder;

    private static Map<String, Double> figures(ZoidfsClient client) throws IOException {
        Map<String, Double> figures = new TreeMap<>();
        client.serverReport()
                .lines()
                .forEach(
                        line -> {
                            int space = line.lastIndexOf(' ');
                            figures.put(
                                    line.substring(0, space),
                                    Double.valueOf(line.substring(space + 1)));
                        });
        return figures;
    }

    private static double seconds(Map<String, Double> figures, String part, String operation) {
        return figures.get("zoidfs_" + part + "_seconds_total{operation=\"" + operation + "\"}");
    }

    private static FileHandle file(ZoidfsClient client) throws IOException {
        return client.create(FileSpec.path("/f"), SettableAttributes.ofMode(0644)).handle();
    }

    @Test
    void aClientThatIsSlowShowsAsLink() throws Exception {
        try (TestServer server = TestServer.of(folder);
                Bmi bmi = Bmi.open();
                ZoidfsClient client =
                        ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT);
                RawClient raw = new RawClient(server.port())) {
            FileHandle file = file(client);
            Request write =
                    Request.moving(Operation.WRITE, file, Transfer.of(0, 10, 0), Hints.NONE);
            // The server may be slow to wait for the data; in the end the client is slower.
            Await.until(
                    "the link is what takes most",
                    () -> {
                        try {
                            raw.sendUnexpected(2, write.toByteArray());
                            Await.until("a write is taken", () -> server.server().calls() > 0);
                            Thread.sleep(SLOW_MS);
                            raw.sendExpected(2, new byte[10]);
                            raw.receive(2);
                            Map<String, Double> figures = figures(client);
                            double link = seconds(figures, "link", "write");
                            return link > SLOW_S / 2
                                    && link > seconds(figures, "queue", "write")
                                    && link > seconds(figures, "disk", "write");
                        } catch (IOException | InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    });
            Map<String, Double> figures = figures(client);
            assertThat(figures.get("zoidfs_calls_total{operation=\"write\"}")).isPositive();
            assertThat(figures.get(BYTES_WRITTEN)).isPositive();
            Await.until( // a call counts until its reply is known to have gone
                    "the question itself is under way, and one file is open",
                    () -> {
                        try {
                            Map<String, Double> now = figures(client);
                            return now.get("zoidfs_calls_under_way") == 1.0
                                    && now.get("zoidfs_open_files") == 1.0;
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
        }
    }

    /** The commit waits for the write that was answered before. */
    @Test
    void bytesCountThoughTheWriteIsAnsweredBefore() throws Exception {
        try (TestServer server = TestServer.of(folder);
                Bmi bmi = Bmi.open();
                ZoidfsClient client =
                        ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT)) {
            FileHandle file = file(client);
            client.writeBehind(file, MemorySegment.ofArray(new byte[1_000]), 0);
            client.commit(file);
            client.write(file, MemorySegment.ofArray(new byte[500]), 0);
            assertThat(figures(client)).containsEntry(BYTES_WRITTEN, 1_500.0);
        }
    }

    @Test
    void aDiskThatIsSlowShowsAsDiskAndWhatWaitsBehindItAsQueue() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Limits limits = new Limits(64, 8 << 20, 1 << 20, 1, 60_000, 10, 128 << 20);
        TestDisk disk =
                TestDisk.of()
                        .whenSynced(
                                () -> {
                                    reached.countDown();
                                    goOn.await();
                                    return 0;
                                });
        try (TestServer server = TestServer.on(disk.calls(), folder, limits);
                Bmi bmi = Bmi.open();
                ZoidfsClient client =
                        ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT)) {
            FileHandle file = file(client);
            var commit =
                    client.submit(
                            () -> {
                                client.commit(file);
                                return true;
                            });
            reached.await();
            // There is one worker, so this one waits.
            var asked = client.submit(() -> client.lookup(FileSpec.path("/f")));
            Await.until("both are taken", () -> server.server().calls() == 2);
            Thread.sleep(SLOW_MS);
            goOn.countDown();
            commit.get();
            asked.get();
            Map<String, Double> figures = figures(client);
            assertThat(seconds(figures, "disk", "commit")).isGreaterThan(SLOW_S / 2);
            assertThat(seconds(figures, "queue", "lookup")).isGreaterThan(SLOW_S / 2);
        }
    }

    /** It is woken for the disk, and nobody else is woken for what it did. */
    @Test
    void aWorkerAnswersWhatItHasDone() throws Exception {
        Path export = Files.createDirectory(folder.resolve("export"));
        try (TestServer server = TestServer.of(export);
                Bmi bmi = Bmi.open();
                ZoidfsClient client =
                        ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT)) {
            FileHandle handle = file(client);
            // Unless the stage is at work just then.
            Await.until(
                    "a worker answers",
                    () -> {
                        try {
                            return answeringThreads(client, handle).stream()
                                    .anyMatch(name -> name.startsWith("zoidfs-disk-"));
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
        }
    }

    private List<String> answeringThreads(ZoidfsClient client, FileHandle handle)
            throws IOException {
        Path file = Files.createTempFile(folder, "calls", ".jfr");
        try (Recording recording = new Recording()) {
            recording.enable("org.jbmi.ServedFileCall");
            recording.start();
            for (int i = 0; i < 10; i++) {
                client.write(handle, MemorySegment.ofArray(new byte[100]), 0);
            }
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(e -> e.getEventType().getName().equals("org.jbmi.ServedFileCall"))
                .map(e -> e.getThread().getJavaName())
                .toList();
    }

    @Test
    void theFlightRecorderIsToldOfCallsIfItAsks() throws Exception {
        Path file = folder.resolve("calls.jfr");
        Path export = Files.createDirectory(folder.resolve("export"));
        try (Recording recording = new Recording();
                TestServer server = TestServer.of(export);
                Bmi bmi = Bmi.open();
                ZoidfsClient client =
                        ZoidfsClient.connect(bmi, server.address(), ClientOptions.DEFAULT)) {
            FileHandle handle = file(client);
            recording.enable("org.jbmi.ServedFileCall");
            recording.start();
            client.write(handle, MemorySegment.ofArray(new byte[100]), 0);
            assertThatThrownBy(() -> client.lookup(FileSpec.path("/none")))
                    .isInstanceOf(ZoidfsException.class);
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events =
                RecordingFile.readAllEvents(file).stream()
                        .filter(e -> e.getEventType().getName().equals("org.jbmi.ServedFileCall"))
                        // Each thread writes down its own.
                        .sorted(Comparator.comparing(RecordedEvent::getStartTime))
                        .toList();
        assertThat(events).hasSize(2);
        assertThat(events.get(0).getString("operation")).isEqualTo("write");
        assertThat(events.get(0).getLong("sizeBytes")).isEqualTo(100);
        assertThat(events.get(0).getDuration("diskNs")).isPositive();
        assertThat(events.get(1).getInt("status")).isEqualTo(2);
        assertThat(events.get(1).getString("client")).isNotEmpty();
    }
}
