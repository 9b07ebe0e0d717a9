package org.jbmi.zoidfs.server.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.PeerAddress;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.protocol.Transfer;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.files.FileTree;
import org.jbmi.zoidfs.server.observe.ServerCounters;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** What goes into one batch, and who runs it. */
@Timeout(30)
class FileQueuesTest {
    private static final int WORKERS = 8;
    private static final int LONG_BYTES = 1 << 20;

    @TempDir private Path folder;
    private final SystemCalls calls = SystemCalls.bind();
    private final List<String> runs = new ArrayList<>();
    private final List<DiskTask> tasks = new ArrayList<>();
    private boolean isInMemory;
    private boolean isFull;
    private int over;
    private ExportRoot root;
    private FileQueues queues;

    @BeforeEach
    void start() throws IOException {
        root =
                new ExportRoot(
                        ExportSettings.of(folder, ExportKey.random()).withIdleFileMs(0), calls);
        queues = new FileQueues(root, new ServerCounters(), WORKERS, this::work, this::runAtOnce);
    }

    @AfterEach
    void stop() {
        root.close(calls);
    }

    private void work(DiskTask task) {
        if (isFull) {
            throw new OutOfMemoryError("planted by the test");
        }
        runs.add("worker");
        tasks.add(task);
    }

    private boolean runAtOnce(Batch batch, FileHandle handle) {
        if (isInMemory) {
            runs.add("stage");
        }
        return isInMemory;
    }

    private void submit(long offset, int bytes) {
        submit(false, offset, bytes);
    }

    private void submit(boolean writing, long offset, int bytes) {
        MemorySegment memory = MemorySegment.ofArray(new byte[bytes]);
        FileOperation operation =
                FileOperation.moving(
                        writing, List.of(new FileOperation.Piece(0, offset, memory)), () -> over++);
        queues.submit(queues.of(FileHandle.NONE), operation);
    }

    private FileHandle file(String name) throws IOException {
        Files.createFile(folder.resolve(name));
        Request lookup =
                Request.onNames(
                        Operation.LOOKUP, FileSpec.path("/" + name), null, null, Hints.NONE);
        return Objects.requireNonNull(new FileTree(root).run(calls, lookup, 0).handle());
    }

    @Test
    void anAppendThatCannotGoOnDelaysNoOther() throws IOException {
        Appends appends = new Appends(root, queues);
        Request append =
                Request.moving(
                        Operation.WRITE,
                        file("f"),
                        Transfer.of(0, 10, 0),
                        Hints.of(Hints.ATOMIC_APPEND, "1"));
        List<DataCall> placed = new ArrayList<>();
        try (Bmi bmi = Bmi.builder().attach(LoopbackHub.class, new LoopbackHub()).open()) {
            PeerAddress client = bmi.lookup("loopback://client");
            for (int i = 0; i < 3; i++) {
                Call call = new Call(client, 1, System.nanoTime());
                call.decoded(append);
                appends.place(
                        new DataCall(call),
                        data -> {
                            placed.add(data);
                            if (placed.size() == 1) {
                                throw new IllegalStateException("planted by the test");
                            }
                        });
            }
            queues.flush();
            tasks.get(0).run(calls);
            tasks.get(0).done();
        }
        assertThat(placed.stream().map(data -> data.appendOffset)).containsExactly(0L, 10L, 20L);
    }

    @Test
    void theErrorOfARemovedFileIsForgotten() throws IOException {
        List<FileHandle> handles = new ArrayList<>();
        try (Bmi bmi = Bmi.builder().attach(LoopbackHub.class, new LoopbackHub()).open()) {
            PeerAddress client = bmi.lookup("loopback://client");
            for (String name : List.of("kept", "removed")) {
                FileHandle handle = file(name);
                handles.add(handle);
                queues.errors.store(handle, Status.FBIG, client);
            }
            Files.delete(folder.resolve("removed"));
            queues.tidy();
            queues.tidy();
            assertThat(tasks).hasSize(1);
            tasks.get(0).run(calls);
            tasks.get(0).done();
            assertThat(queues.errors.files()).containsExactly(handles.get(0));
            queues.errors.close();
            queues.tidy();
            assertThat(tasks).hasSize(1);
        }
    }

    @Test
    void anOperationThatCannotBeEndedDelaysNoOther() {
        FileQueue queue = queues.of(FileHandle.NONE);
        queues.submit(
                queue,
                FileOperation.moving(
                        false,
                        List.of(),
                        () -> {
                            throw new IllegalStateException("planted by the test");
                        }));
        submit(0, 100);
        queues.flush();
        assertThat(tasks).hasSize(1);
        submit(true, 0, 100);
        queues.flush();
        assertThat(tasks).hasSize(1);
        tasks.get(0).done();
        assertThat(over).isEqualTo(1);
        queues.flush();
        assertThat(tasks).hasSize(2);
    }

    /** Neither a batch nor a task that has the file for itself is lost. */
    @Test
    void anOperationThatNoWorkerCanTakeEndsAndDelaysNoOther() {
        isFull = true;
        submit(0, 100);
        queues.submit(
                queues.of(FileHandle.NONE),
                FileOperation.exclusive(
                        new DiskTask() {
                            @Override
                            void run(SystemCalls own) {}

                            @Override
                            void done() {}
                        },
                        () -> over++));
        queues.flush();
        assertThat(over).isEqualTo(2);
        isFull = false;
        submit(0, 100);
        queues.flush();
        assertThat(tasks).hasSize(1);
    }

    @Test
    void longReadsAreDoneBesideEachOther() {
        for (int i = 0; i < 3; i++) {
            submit((long) i * LONG_BYTES, LONG_BYTES);
        }
        queues.flush();
        assertThat(runs).containsExactly("worker", "worker", "worker");
    }

    @Test
    void shortReadsAreOneBatch() {
        for (int i = 0; i < 3; i++) {
            submit(i * 100L, 100);
        }
        queues.flush();
        assertThat(runs).containsExactly("worker");
    }

    /** The file system lets one in, so a second worker would only wait for the first. */
    @Test
    void oneBatchOfAFileWritesAtATime() {
        for (int i = 0; i < 3; i++) {
            submit(true, (long) i * LONG_BYTES, LONG_BYTES);
        }
        submit(3L * LONG_BYTES, LONG_BYTES);
        queues.flush();
        assertThat(tasks).hasSize(2);
        for (int written = 1; written <= 3; written++) {
            assertThat(tasks).hasSize(written + 1);
            tasks.get(written == 1 ? 0 : written).done();
            assertThat(over).isEqualTo(written);
            queues.flush();
        }
        assertThat(tasks).hasSize(4);
    }

    @Test
    void theStageReadsOneLongBatchWhenTheWorkersHaveTheOthers() {
        isInMemory = true;
        for (int i = 0; i < 3; i++) {
            submit((long) i * LONG_BYTES, LONG_BYTES);
        }
        queues.flush();
        assertThat(runs).containsExactly("worker", "worker", "stage");
        assertThat(over).isEqualTo(1);
    }

    @Test
    void shortReadsOfWhatIsInMemoryAreDoneAtOnce() {
        isInMemory = true;
        submit(0, 100);
        queues.flush();
        submit(0, 100);
        queues.flush();
        assertThat(runs).containsExactly("stage", "stage");
        assertThat(over).isEqualTo(2);
        assertThat(queues.find(FileHandle.NONE)).isNull();
    }
}
