package org.jbmi.zoidfs.server.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.observe.ServerCounters;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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
    private int over;
    private ExportRoot root;
    private FileQueues queues;

    @BeforeEach
    void start() throws IOException {
        root = new ExportRoot(ExportSettings.of(folder, ExportKey.random()), calls);
        queues = new FileQueues(root, new ServerCounters(), WORKERS, this::work, this::runAtOnce);
    }

    @AfterEach
    void stop() {
        root.close(calls);
    }

    private void work(DiskTask task) {
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

    private static FileHandle handle(int number) {
        ByteBuffer bytes = ByteBuffer.allocate(FileHandle.SIZE_BYTES);
        return FileHandle.of(bytes.putInt(FileHandle.RESERVED_BYTES, number).array());
    }

    /**
     * A client that leaves many errors behind takes none from others: each waits for its commit.
     */
    @Test
    void noErrorIsLostHoweverManyWait() {
        for (int i = 0; i < FileQueues.MOST_STORED; i++) {
            assertThat(queues.canStore()).isTrue();
            queues.store(queues.of(handle(i)), Status.NOSPC);
            queues.store(queues.of(handle(i)), Status.IO);
        }
        assertThat(queues.canStore()).isFalse();
        queues.store(queues.of(handle(-1)), Status.IO); // of a write that was under way
        assertThat(queues.takeStored(queues.of(handle(-1)))).isEqualTo(Status.IO);
        assertThat(queues.canStore()).isFalse();
        assertThat(queues.takeStored(queues.of(handle(0)))).isEqualTo(Status.NOSPC);
        assertThat(queues.takeStored(queues.of(handle(0)))).isEqualTo(Status.OK);
        assertThat(queues.canStore()).isTrue();
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
