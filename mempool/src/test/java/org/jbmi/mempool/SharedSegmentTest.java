package org.jbmi.mempool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jbmi.mempool.SegmentException.Kind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SharedSegmentTest {
    private static final long SIZE = 64 << 10;

    @TempDir Path directory;
    private Path file;

    @BeforeEach
    void nameFile() {
        file = directory.resolve("segment-1");
    }

    private static SweepReport sweep(Path directory) {
        return SharedSegment.sweep(directory, "segment-", new ProcessLiveness(), dead -> {});
    }

    @Test
    void aNewSegmentIsWholeAndOnlyOurs() throws Exception {
        try (SharedSegment segment = SharedSegment.create(file, SIZE + 1)) {
            assertThat(segment.sizeBytes()).isEqualTo(SIZE + 4096);
            assertThat(Files.size(file)).isEqualTo(SIZE + 4096);
            assertThat(Files.getPosixFilePermissions(file))
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
            assertThat(segment.generation()).isNotZero();
            assertThat(segment.ownerPid()).isEqualTo(ProcessHandle.current().pid());
            assertThat(segment.segment().address() % 4096).isZero();
            assertThat(blocksOf(file)).isGreaterThanOrEqualTo((SIZE + 4096) / 512);
            assertThat(entries()).containsExactly(file);
        }
        assertThat(entries()).isEmpty();
    }

    @Test
    void whatOneMappingWritesTheOtherReads() {
        try (SharedSegment mine = SharedSegment.create(file, SIZE);
                SharedSegment theirs = SharedSegment.open(file)) {
            mine.memory().setLongRelease(5000, 42);

            assertThat(theirs.memory().getLongAcquire(5000)).isEqualTo(42);
            assertThat(theirs.generation()).isEqualTo(mine.generation());
            assertThat(theirs.ownerPid()).isEqualTo(mine.ownerPid());
            assertThat(theirs.ownerStartTimeMs()).isEqualTo(mine.ownerStartTimeMs());
        }
    }

    @Test
    void theOwnersCloseIsSeenByOthers() {
        SharedSegment mine = SharedSegment.create(file, SIZE);
        try (SharedSegment theirs = SharedSegment.open(file)) {
            mine.memory().setLongRelease(5000, 42);
            mine.close();

            assertThat(theirs.memory().getLongAcquire(SegmentLayout.GENERATION_OFFSET))
                    .isNotEqualTo(theirs.generation());
            assertThat(theirs.memory().getLongAcquire(5000)).as("still readable").isEqualTo(42);
            assertThat(Files.exists(file)).isFalse();
            assertKind(Kind.NOT_FOUND, () -> SharedSegment.open(file));
        }
    }

    @Test
    void closingTwiceIsNothingAndUseAfterwardsIsRefused() {
        SharedSegment segment = SharedSegment.create(file, SIZE);
        segment.close();
        segment.close();

        assertThatThrownBy(() -> segment.memory().getLongPlain(5000))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aUserOfTheMappingDelaysTheCloseOnlySoLong() throws Exception {
        SharedSegment segment = SharedSegment.create(file, SIZE);
        try (Holder holder = Holder.of(segment)) {
            assertThat(segment.tryClose(20_000_000)).isFalse();
            assertThat(Files.exists(file)).as("removed all the same").isFalse();
            assertKind(Kind.BUSY, segment::close);
            holder.release();
        }
        segment.close();
        assertThat(segment.segment().scope().isAlive()).isFalse();
    }

    @Test
    void theOptionsAreDoneBeforeTheFileHasItsName() {
        boolean[] seen = new boolean[1];
        SegmentOptions options =
                SegmentOptions.defaults()
                        .withPopulate(true)
                        .withInitializer(
                                memory -> {
                                    seen[0] = Files.exists(file);
                                    memory.setLongPlain(4096, 99);
                                });
        try (SharedSegment segment = SharedSegment.create(file, SIZE, options);
                SharedSegment theirs = SharedSegment.open(file)) {
            assertThat(seen[0]).isFalse();
            assertThat(theirs.memory().getLongAcquire(4096)).isEqualTo(99);
            theirs.populate();
            assertThat(segment.memory().getLongAcquire(4096)).isEqualTo(99);
        }
    }

    @Test
    void aFailedInitializerLeavesNothing() throws Exception {
        SegmentOptions failing =
                SegmentOptions.defaults()
                        .withInitializer(
                                _ -> {
                                    throw new ArithmeticException("on purpose");
                                });

        assertThatThrownBy(() -> SharedSegment.create(file, SIZE, failing))
                .isInstanceOf(ArithmeticException.class);
        assertThat(entries()).isEmpty();
    }

    @Test
    void anExistingFileIsNotTouched() throws Exception {
        Files.writeString(file, "mine");

        assertKind(Kind.EXISTS, () -> SharedSegment.create(file, SIZE));

        assertThat(Files.readString(file)).isEqualTo("mine");
        assertThat(entries()).containsExactly(file);
    }

    @Test
    void sizesThatCannotBeAreMisuse() {
        for (long size : new long[] {-1, 0, 4096, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> SharedSegment.create(file, size))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aMissingDirectoryIsSaid() {
        Path nowhere = directory.resolve("none").resolve("segment");

        assertThatThrownBy(() -> SharedSegment.create(nowhere, SIZE))
                .isInstanceOf(SegmentException.class)
                .hasMessageContaining("directory does not exist");
    }

    @Test
    void moreThanAnyFileSystemHasIsRefusedInWords() throws Exception {
        assertThatThrownBy(() -> SharedSegment.create(file, 1L << 52))
                .isInstanceOf(SegmentException.class)
                .hasMessageContaining(Long.toString(1L << 52))
                .hasMessageContaining("bytes free")
                .extracting(e -> ((SegmentException) e).kind())
                .isEqualTo(Kind.NO_SPACE);
        assertThat(entries()).isEmpty();
    }

    @Test
    void aFileThatIsNoSegmentIsRefused() throws Exception {
        Files.write(file, new byte[8192]);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertKind(Kind.MALFORMED, () -> SharedSegment.open(file));

        Files.write(file, new byte[100]);
        assertKind(Kind.MALFORMED, () -> SharedSegment.open(file));
    }

    @Test
    void aWrongHeaderIsRefusedByName() throws Exception {
        try (SharedSegment segment = SharedSegment.create(file, SIZE)) {
            SharedMemory memory = segment.memory();

            memory.setIntPlain(SegmentLayout.VERSION_OFFSET, 9);
            assertRefused("version 9");
            memory.setIntPlain(SegmentLayout.VERSION_OFFSET, SegmentLayout.VERSION);

            memory.setIntPlain(SegmentLayout.HEADER_BYTES_OFFSET, 64);
            assertRefused("64 bytes");
            memory.setIntPlain(SegmentLayout.HEADER_BYTES_OFFSET, 4096);

            memory.setLongPlain(SegmentLayout.TOTAL_BYTES_OFFSET, SIZE + 4096);
            assertRefused("the file has " + SIZE);
            memory.setLongPlain(SegmentLayout.TOTAL_BYTES_OFFSET, SIZE);

            memory.setLongPlain(SegmentLayout.GENERATION_OFFSET, 0);
            assertRefused("given it up");
        }
    }

    @Test
    void aFileOthersMayUseIsRefused() throws Exception {
        try (SharedSegment segment = SharedSegment.create(file, SIZE)) {
            Files.setPosixFilePermissions(
                    segment.file(), PosixFilePermissions.fromString("rw-r-----"));
            assertKind(Kind.FOREIGN, () -> SharedSegment.open(file));
        }
    }

    @Test
    void aLinkOrADirectoryIsRefused() throws Exception {
        Path link = directory.resolve("link");
        try (SharedSegment segment = SharedSegment.create(file, SIZE)) {
            Files.createSymbolicLink(link, segment.file());
            assertKind(Kind.FOREIGN, () -> SharedSegment.open(link));
            assertKind(Kind.EXISTS, () -> SharedSegment.create(link, SIZE));
        }
        assertKind(Kind.FOREIGN, () -> SharedSegment.open(directory));
    }

    @Test
    void theOwnersCloseLeavesANewFileOfTheSameNameAlone() throws Exception {
        SharedSegment first = SharedSegment.create(file, SIZE);
        Files.delete(file);
        try (SharedSegment second = SharedSegment.create(file, SIZE)) {
            first.close();

            assertThat(Files.exists(file)).isTrue();
            assertThat(second.generation()).isNotEqualTo(first.generation());
        }
    }

    @Test
    void aSweepLeavesWhatLivesAndWhatIsNotOurs() throws Exception {
        Path text = directory.resolve("segment-text");
        Files.writeString(text, "a text that merely has the prefix, and more than eight bytes");
        Path other = directory.resolve("other-1");
        Files.writeString(other, "x");
        Path wide = directory.resolve("segment-wide");
        Files.writeString(wide, "y");
        Files.setPosixFilePermissions(text, PosixFilePermissions.fromString("rw-------"));
        Files.setPosixFilePermissions(wide, PosixFilePermissions.fromString("rw-rw----"));
        Path named = directory.resolve("segment-notes.part-999999999-5");
        Files.writeString(named, "not a segment, whatever its name");
        Files.setPosixFilePermissions(named, PosixFilePermissions.fromString("rw-------"));
        try (SharedSegment segment = SharedSegment.create(file, SIZE)) {
            SweepReport report = sweep(directory);

            assertThat(report.removed()).isEmpty();
            assertThat(report.alive()).containsExactly(segment.file());
            assertThat(report.left())
                    .extracting(SweepReport.Left::file)
                    .containsExactlyInAnyOrder(text, wide, named);
        }
        assertThat(entries()).containsExactlyInAnyOrder(text, other, wide, named);
    }

    @Test
    void aReusedProcessIdIsNotTheOwner() throws Exception {
        try (SharedSegment segment = SharedSegment.create(file, SIZE)) {
            SharedMemory memory = segment.memory();
            memory.getAndAddLong(SegmentLayout.OWNER_START_OFFSET, -10);
            memory.setIntPlain(SegmentLayout.VERSION_OFFSET, 77);
            Path left = directory.resolve("segment-left");
            Files.copy(file, left, StandardCopyOption.COPY_ATTRIBUTES);

            SweepReport report = sweep(directory);

            assertThat(report.removed()).containsExactly(left);
            assertThat(report.alive()).containsExactly(file);
        }
        assertThat(entries()).isEmpty();
    }

    @Test
    void aSegmentWhoseOwnerIsInAnotherProcessNamespaceIsLeftAlone() throws Exception {
        List<DeadSegment> dead = new ArrayList<>();
        try (SharedSegment segment = SharedSegment.create(file, SIZE)) {
            SharedSegment.open(file).close(); // a descriptor of the same file, in the same process
            SweepReport report =
                    SharedSegment.sweep(directory, "segment-", new NobodyLives(), dead::add);

            assertThat(report.alive()).containsExactly(segment.file());
            assertThat(report.removed()).isEmpty();
            assertThat(dead).as("nor goes what bears its generation").isEmpty();
            assertThat(segment.file()).exists();
        }
    }

    @Test
    void aFileThatTakesTheNameDuringTheSweepIsLeftAlone() throws Exception {
        Path successor = directory.resolve("other");
        try (SharedSegment segment = SharedSegment.create(file, SIZE)) {
            Files.copy(segment.file(), successor, StandardCopyOption.COPY_ATTRIBUTES);
        }
        Files.copy(successor, file, StandardCopyOption.COPY_ATTRIBUTES);
        List<DeadSegment> dead = new ArrayList<>();
        Liveness replaces =
                new NobodyLives() {
                    @Override
                    public boolean isAlive(long pid, long startTimeMs) {
                        try {
                            Files.move(successor, file, StandardCopyOption.REPLACE_EXISTING);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                        return super.isAlive(pid, startTimeMs);
                    }
                };

        SweepReport report = SharedSegment.sweep(directory, "segment-", replaces, dead::add);

        assertThat(report.removed()).isEmpty();
        assertThat(report.left()).extracting(SweepReport.Left::file).containsExactly(file);
        assertThat(dead).isEmpty();
        assertThat(entries()).containsExactly(file);
    }

    /** What a process in another namespace sees of everybody here. */
    private static class NobodyLives implements Liveness {
        @Override
        public boolean isAlive(long pid, long startTimeMs) {
            return false;
        }

        @Override
        public long startTimeMs(long pid) {
            return START_UNKNOWN;
        }
    }

    @Test
    void aSweepOfNothingFindsNothing() {
        SweepReport report = sweep(directory.resolve("none"));

        assertThat(report).isEqualTo(new SweepReport(List.of(), List.of(), List.of()));
    }

    private void assertRefused(String words) {
        assertThatThrownBy(() -> SharedSegment.open(file))
                .isInstanceOf(SegmentException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining(words);
    }

    private static void assertKind(Kind kind, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(SegmentException.class)
                .extracting(e -> ((SegmentException) e).kind())
                .isEqualTo(kind);
    }

    private static long blocksOf(Path file) throws IOException, InterruptedException {
        Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        try (var reader = stat.inputReader()) {
            return Long.parseLong(reader.readLine());
        } finally {
            stat.waitFor();
        }
    }

    private List<Path> entries() throws IOException {
        try (Stream<Path> list = Files.list(directory)) {
            return list.toList();
        }
    }

    /** Holds a mapping as a native call does: by a read into it that has nothing to read yet. */
    private static final class Holder implements AutoCloseable {
        private final Pipe pipe;
        private final Thread reader;

        private Holder(Pipe pipe, Thread reader) {
            this.pipe = pipe;
            this.reader = reader;
        }

        static Holder of(SharedSegment segment) throws IOException, InterruptedException {
            Pipe pipe = Pipe.open();
            ByteBuffer target = segment.memory().slice(4096, 64).asByteBuffer();
            Thread reader =
                    new Thread(
                            () -> {
                                try {
                                    pipe.source().read(target);
                                } catch (IOException e) {
                                    throw new IllegalStateException(e);
                                }
                            });
            reader.start();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
            while (!isInRead(reader) && System.nanoTime() < deadline) {
                Thread.onSpinWait();
            }
            assertThat(isInRead(reader)).isTrue();
            return new Holder(pipe, reader);
        }

        private static boolean isInRead(Thread thread) {
            return Stream.of(thread.getStackTrace())
                    .anyMatch(f -> f.isNativeMethod() && f.getMethodName().startsWith("read"));
        }

        void release() throws IOException, InterruptedException {
            pipe.sink().write(ByteBuffer.wrap(new byte[] {1}));
            reader.join();
        }

        @Override
        public void close() throws IOException {
            pipe.sink().close();
            pipe.source().close();
        }
    }
}
