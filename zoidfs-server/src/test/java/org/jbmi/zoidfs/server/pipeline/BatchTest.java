package org.jbmi.zoidfs.server.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.FileSpec;
import org.jbmi.zoidfs.protocol.Hints;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.config.ExportKey;
import org.jbmi.zoidfs.server.config.ExportSettings;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.files.FileTree;
import org.jbmi.zoidfs.server.observe.ServerCounters;
import org.jbmi.zoidfs.server.os.Errno;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/** What a worker does with a batch of which a part was read before, in the ordering stage. */
@Timeout(30)
class BatchTest {
    private static final int PART = 1_000;
    private static final int PARTS = 4;

    @TempDir private Path folder;
    private final SystemCalls calls = SystemCalls.bind();
    private final byte[] content = new byte[PART * PARTS - 300];
    private ExportRoot root;
    private FileHandle handle;

    @BeforeEach
    void start() throws IOException {
        new Random(1).nextBytes(content);
        Files.write(folder.resolve("f"), content);
        root = new ExportRoot(ExportSettings.of(folder, ExportKey.random()), calls);
        Request lookup =
                Request.onNames(Operation.LOOKUP, FileSpec.path("/f"), null, null, Hints.NONE);
        handle = Objects.requireNonNull(new FileTree(root).run(calls, lookup, 0).handle());
    }

    @AfterEach
    void stop() {
        root.close(calls);
    }

    /** Of regions that lie over one another the last one stays, also beside other writes. */
    @Test
    void regionsThatLapKeepTheirOrderInABatch() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(3 * PART);
            for (int i = 0; i < 3; i++) {
                memory.asSlice((long) i * PART, PART).fill((byte) (i + 1));
            }
            FileOperation lapping =
                    FileOperation.moving(
                            true,
                            List.of(
                                    new FileOperation.Piece(0, 600, memory.asSlice(0, PART)),
                                    new FileOperation.Piece(1, 0, memory.asSlice(PART, PART))),
                            () -> {});
            FileOperation other =
                    FileOperation.moving(
                            true,
                            List.of(
                                    new FileOperation.Piece(
                                            0, 2 * PART, memory.asSlice(2 * PART, PART))),
                            () -> {});
            Batch batch =
                    new Batch(
                            new FileQueue(handle),
                            List.of(other, lapping),
                            root,
                            new ServerCounters(),
                            b -> {});
            batch.run(calls);
            byte[] found = Files.readAllBytes(folder.resolve("f"));
            assertThat(Arrays.copyOfRange(found, 0, PART)).containsOnly(2);
            assertThat(Arrays.copyOfRange(found, PART, PART + 600)).containsOnly(1);
            assertThat(Arrays.copyOfRange(found, 2 * PART, 3 * PART)).containsOnly(3);
        }
    }

    /** Whether the error is of the first bytes of a call, or of others in it. */
    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void anErrorFailsTheOperationsWhoseBytesItIsOf(boolean writing, boolean isWholeCall) {
        SystemCalls bad =
                new SystemCalls(calls) {
                    private int fault(long offset, long end) {
                        boolean isBad = offset < 2 * PART && end > PART;
                        return isBad && (isWholeCall || offset >= PART) ? -Errno.EIO : 0;
                    }

                    @Override
                    public long read(int file, MemorySegment into, long offset) {
                        int fault = fault(offset, offset + into.byteSize());
                        return fault < 0 ? fault : super.read(file, into, offset);
                    }

                    @Override
                    public long write(int file, MemorySegment from, long offset) {
                        int fault = fault(offset, offset + from.byteSize());
                        return fault < 0 ? fault : super.write(file, from, offset);
                    }

                    @Override
                    public long moveList(
                            boolean write, int file, MemorySegment[] list, int count, long offset) {
                        int fault = fault(offset, offset + (long) count * PART);
                        // The system moves what comes before the bad bytes.
                        int good = isWholeCall || offset >= PART ? count : 1;
                        return fault < 0 ? fault : super.moveList(write, file, list, good, offset);
                    }
                };
        MemorySegment memory = Arena.ofAuto().allocate((long) PART * PARTS);
        List<FileOperation> operations = new ArrayList<>();
        for (int i = 0; i < PARTS; i++) {
            long at = (long) i * PART;
            List<FileOperation.Piece> pieces =
                    List.of(new FileOperation.Piece(0, at, memory.asSlice(at, PART)));
            operations.add(FileOperation.moving(writing, pieces, () -> {}));
        }
        new Batch(new FileQueue(handle), operations, root, new ServerCounters(), b -> {}).run(bad);
        assertThat(operations)
                .extracting(operation -> operation.status)
                .containsExactly(Status.OK, Status.IO, Status.OK, Status.OK);
        assertThat(operations)
                .extracting(operation -> operation.pieces.getFirst().moved)
                .containsExactly((long) PART, 0L, (long) PART, writing ? (long) PART : PART - 300L);
    }

    @Test
    void aWorkerThatThrowsAtTheEndReportsAnError() {
        // Nothing is read, and the memory cannot be cleared.
        MemorySegment memory = Arena.ofAuto().allocate(PART).asReadOnly();
        FileOperation read =
                FileOperation.moving(
                        false,
                        List.of(new FileOperation.Piece(0, content.length, memory)),
                        () -> {});
        List<Batch> done = new ArrayList<>();
        Batch batch =
                new Batch(
                        new FileQueue(handle),
                        List.of(read),
                        root,
                        new ServerCounters(),
                        done::add);
        assertThatThrownBy(() -> batch.run(calls)).isInstanceOf(RuntimeException.class);
        batch.done();
        assertThat(done).containsExactly(batch);
        assertThat(read.status).isNotEqualTo(Status.OK);
    }

    /** In neighbours that are read together, up to the end of the file and in the middle. */
    @ParameterizedTest
    @CsvSource({"0", "1", "999", "1000", "1300", "2000", "3200", "3700"})
    void theRestComesFromWhereItIs(int readBytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate((long) PART * PARTS);
            memory.fill((byte) 77);
            memory.asSlice(0, readBytes)
                    .copyFrom(MemorySegment.ofArray(content).asSlice(0, readBytes));
            List<FileOperation> operations = new ArrayList<>();
            List<FileOperation.Piece> pieces = new ArrayList<>();
            for (int i = 0; i < PARTS; i++) {
                FileOperation.Piece piece =
                        new FileOperation.Piece(
                                0, (long) i * PART, memory.asSlice((long) i * PART, PART));
                piece.moved = Math.clamp(readBytes - (long) i * PART, 0, PART);
                pieces.add(piece);
                operations.add(FileOperation.moving(false, List.of(piece), () -> {}));
            }
            Batch batch =
                    new Batch(
                            new FileQueue(handle), operations, root, new ServerCounters(), b -> {});
            batch.run(calls);
            assertThat(operations).allMatch(operation -> operation.status == Status.OK);
            assertThat(pieces.stream().mapToLong(piece -> piece.moved).sum())
                    .isEqualTo(content.length);
            assertThat(memory.asSlice(0, content.length).mismatch(MemorySegment.ofArray(content)))
                    .isEqualTo(-1);
            MemorySegment behind = memory.asSlice(content.length);
            assertThat(behind.mismatch(arena.allocate(behind.byteSize()))).isEqualTo(-1);
        }
    }
}
