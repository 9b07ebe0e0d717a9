package org.jbmi.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.observe.CountersReader.Reading;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/** Reading counters from outside, and what it does with memory that is none, or no more. */
@Timeout(30)
class CountersReaderTest {
    @Test
    void readsWhatIsCountedInTheSameMemory() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(4096, 256);
            Counters counters = Counters.over(memory);
            counters.register(7, "a.b", "bytes").add(42);

            CountersReader reader = new CountersReader(memory);

            assertThat(reader.writerPid()).isEqualTo(ProcessHandle.current().pid());
            assertThat(reader.read())
                    .containsExactly(new Reading(new CounterSpec(7, "a.b", "bytes"), 42));
            counters.register(8, "c", "messages").increment();
            assertThat(reader.read())
                    .containsExactly(
                            new Reading(new CounterSpec(7, "a.b", "bytes"), 42),
                            new Reading(new CounterSpec(8, "c", "messages"), 1));
            reader.close();
        }
    }

    @Test
    void readsAMappedFileWhileItIsCounted(@TempDir Path dir) throws IOException {
        Path file = dir.resolve("counters");
        try (Arena arena = Arena.ofConfined()) {
            Counters counters = Counters.over(map(file, 16 * 256, arena));
            Counter counter = counters.register(1, "x", "bytes");
            try (CountersReader reader = CountersReader.open(file)) {
                counter.add(5);
                assertThat(reader.read().getFirst().value()).isEqualTo(5);
                counter.add(5);
                assertThat(reader.read().getFirst().value()).isEqualTo(10);
            }
        }
    }

    @Test
    void missingShortAndCutFilesAreNamed(@TempDir Path dir) throws IOException {
        Path missing = dir.resolve("missing");
        assertRefused(() -> CountersReader.open(missing), ErrorCode.ENOENT);
        Path brief = dir.resolve("short");
        Files.write(brief, new byte[100]);
        assertRefused(() -> CountersReader.open(brief), ErrorCode.EPROTO);
        Path empty = Files.createFile(dir.resolve("empty"));
        assertRefused(() -> CountersReader.open(empty), ErrorCode.EPROTO);

        Path cut = dir.resolve("cut");
        try (Arena arena = Arena.ofConfined()) {
            Counters.over(map(cut, 8192, arena)).register(1, "x", "y");
            try (CountersReader reader = CountersReader.open(cut);
                    FileChannel channel = FileChannel.open(cut, StandardOpenOption.WRITE)) {
                channel.truncate(300);
                assertRefused(reader::read, ErrorCode.EPROTO);
            }
        }
    }

    @Test
    void everyFieldIsChecked() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(1024, 256);
            assertRefused(() -> new CountersReader(memory), ErrorCode.EPROTO);
            Counters.over(memory).register(1, "x", "y");
            damaged(memory, 8, 99);
            damaged(memory, 12, 0);
            damaged(memory, 12, -1);
            damaged(memory, 12, 4);
            damaged(memory, 16, -1);
            damaged(memory, 16, 4);
            damaged(memory, 256 + 136, 23);
            damaged(memory, 256 + 136, 0xffff);
            damaged(memory, 256 + 160, 95);
            assertThat(new CountersReader(memory).read()).hasSize(1);
        }
    }

    private static void damaged(MemorySegment memory, long offset, int value) {
        int before = memory.get(ValueLayout.JAVA_INT, offset);
        memory.set(ValueLayout.JAVA_INT, offset, value);
        assertRefused(() -> new CountersReader(memory).read(), ErrorCode.EPROTO);
        memory.set(ValueLayout.JAVA_INT, offset, before);
    }

    @Test
    void anIncompleteRecordIsSkippedAndControlCharactersAreReplaced() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(1024, 256);
            Counters counters = Counters.over(memory);
            counters.register(1, "x", "y");
            counters.register(2, "bell\u0007", "\u001b[2J");
            counters.register(3, "a\u009b2J", "\u007f");
            memory.set(ValueLayout.JAVA_INT, 256 + 132, 0);
            assertThat(new CountersReader(memory).read())
                    .containsExactly(
                            new Reading(new CounterSpec(2, "bell?", "?[2J"), 0),
                            new Reading(new CounterSpec(3, "a?2J", "?"), 0));
        }
    }

    /** Random bytes behind a sound header: an answer or a refusal, nothing else. */
    @Test
    void randomMemoryIsHarmless() {
        long seed = Long.getLong("jbmi.seed", System.nanoTime());
        System.out.println("randomMemoryIsHarmless seed " + seed);
        Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(2048, 256);
            for (int round = 0; round < 2000; round++) {
                byte[] bytes = new byte[2048];
                random.nextBytes(bytes);
                MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, 2048);
                Counters.over(memory);
                memory.set(ValueLayout.JAVA_INT, 16, random.nextInt(-1, 9));
                memory.set(ValueLayout.JAVA_INT, 256 + 132, 1);
                try {
                    assertThat(new CountersReader(memory).read().size()).isLessThanOrEqualTo(7);
                } catch (BmiException e) {
                    assertThat(e.code()).isEqualTo(ErrorCode.EPROTO);
                }
            }
        }
    }

    private static MemorySegment map(Path file, long bytes, Arena arena) throws IOException {
        try (FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
        }
    }

    private static void assertRefused(Runnable call, ErrorCode code) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        BmiException.class, e -> assertThat(e.code()).isEqualTo(code));
    }
}
