package org.jbmi.mempool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jbmi.mempool.SegmentException.Kind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SegmentProcessesTest {
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
    void aKilledOwnersFileIsSweptAndOnlyThat() throws Exception {
        try (SharedSegment mine = SharedSegment.create(directory.resolve("segment-2"), SIZE);
                SegmentChild child = SegmentChild.start("own", file.toString())) {
            assertThat(child.line()).startsWith("ready");
            assertThat(sweep(directory).alive()).containsExactlyInAnyOrder(file, mine.file());
            try (SharedSegment seen = SharedSegment.open(file)) {
                assertThat(seen.ownerPid()).isEqualTo(child.pid());

                child.kill();

                assertThat(seen.memory().getLongAcquire(SegmentLayout.GENERATION_OFFSET))
                        .as("nobody could retire it")
                        .isEqualTo(seen.generation());
                assertThat(seen.memory().getLongAcquire(SegmentChild.COUNT_OFFSET)).isEqualTo(4711);
                assertThat(new ProcessLiveness().isAlive(seen.ownerPid(), seen.ownerStartTimeMs()))
                        .isFalse();
            }
            SweepReport report = sweep(directory);

            assertThat(report.removed()).containsExactly(file);
            assertThat(report.alive()).containsExactly(mine.file());
            assertThat(entries()).containsExactly(mine.file());
        }
        assertThat(entries()).isEmpty();
    }

    @Test
    void aFileHalfCreatedByAKilledProcessIsSwept() throws Exception {
        try (SegmentChild child = SegmentChild.start("dieInCreation", file.toString())) {
            assertThat(child.line()).isEqualTo("creating");
            assertThat(Files.exists(file)).as("half a segment has no name yet").isFalse();
            assertThat(sweep(directory).alive()).hasSize(1);

            child.kill();

            assertThat(sweep(directory).removed()).hasSize(1);
            assertThat(entries()).isEmpty();
        }
    }

    @Test
    void anEmptyFileOfAKilledProcessIsSwept() throws Exception {
        try (SegmentChild child = SegmentChild.start("own", file.toString())) {
            assertThat(child.line()).startsWith("ready");
            long startTimeMs = new ProcessLiveness().startTimeMs(child.pid());
            Path empty = directory.resolve("segment-3.0.part-" + child.pid() + "-" + startTimeMs);
            SegmentFiles.createNew(empty).close();
            child.kill();

            assertThat(sweep(directory).removed()).containsExactlyInAnyOrder(file, empty);
        }
    }

    @Test
    void twoProcessesWakeEachOther() throws Exception {
        int rounds = 5_000;
        try (SharedSegment segment = SharedSegment.create(file, SIZE);
                SegmentChild child =
                        SegmentChild.start("echo", file.toString(), Integer.toString(rounds))) {
            SharedMemory memory = segment.memory();
            FutexWaiting waiting = new FutexWaiting();
            WaitWord own = new WaitWord(memory, SegmentChild.PARENT_WORD, waiting);
            WaitWord other = new WaitWord(memory, SegmentChild.OWN_WORD, waiting);
            int timeouts = 0;
            for (long i = 1; i <= rounds; i++) {
                memory.setLongRelease(SegmentChild.COUNT_OFFSET, i);
                other.signal();
                int ticket = own.ticket();
                while (memory.getLongAcquire(SegmentChild.COUNT_OFFSET) != -i) {
                    if (!own.await(ticket, TimeUnit.SECONDS.toNanos(20))) {
                        timeouts++;
                    }
                    ticket = own.ticket();
                }
            }
            assertThat(timeouts).isZero();
            assertThat(child.line()).isEqualTo("timeouts 0");
            assertThat(child.awaitExit()).isZero();
        }
    }

    @Test
    void aSmallFileSystemRefusesInWordsAndKeepsNothing() throws Exception {
        Path small = Files.createDirectory(directory.resolve("small"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=1m", "none", small.toString()) == 0);
        try {
            SegmentException refused = null;
            try (SharedSegment segment = SharedSegment.create(small.resolve("segment"), 2 << 20)) {
                assertThat(segment).as("must not be").isNull();
            } catch (SegmentException e) {
                refused = e;
            }
            assertThat(refused).isNotNull();
            assertThat(refused.kind()).isEqualTo(Kind.NO_SPACE);
            assertThat(refused)
                    .hasMessageContaining("2097152 bytes")
                    .hasMessageContaining("tmpfs")
                    .hasMessageContaining("1048576 bytes free");
            try (Stream<Path> list = Files.list(small)) {
                assertThat(list).isEmpty();
            }
            SegmentOptions touch = SegmentOptions.defaults().withPopulate(true);
            try (SharedSegment fits =
                    SharedSegment.create(small.resolve("segment"), 512 << 10, touch)) {
                assertThat(fits.sizeBytes()).isEqualTo(512 << 10);
            }
        } finally {
            run("umount", small.toString());
        }
    }

    private static int run(String... command) throws IOException, InterruptedException {
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            return process.waitFor();
        } catch (IOException e) {
            return -1;
        }
    }

    private List<Path> entries() throws IOException {
        try (Stream<Path> list = Files.list(directory)) {
            return list.toList();
        }
    }
}
