package org.jbmi.zoid.plugins.unix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A file of a process whose calls are cancelled. */
@Timeout(60)
class OpenFileTest {
    private static final int WRITERS = 4;
    private static final int RECORDS = 500;
    private static final int RECORD_BYTES = 100;

    @TempDir Path folder;

    @AutoClose private final ExecutorService threads = Executors.newFixedThreadPool(WRITERS);

    /** The interrupt of one call must not close the file for those that follow. */
    @Test
    void anInterruptedThreadLeavesTheFileOpen() throws Exception {
        MemorySegment text = MemorySegment.ofArray("some text".getBytes());
        MemorySegment back = MemorySegment.ofArray(new byte[9]);
        try (OpenFile file =
                OpenFile.open(
                        folder.resolve("file"),
                        Set.of(
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE,
                                StandardOpenOption.CREATE_NEW),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")),
                        false)) {
            Thread.currentThread().interrupt();
            assertThat(file.write(text)).isEqualTo(9);
            assertThat(file.readAt(back, 0)).isEqualTo(9);
            file.resize(20);
            file.force();
            assertThat(file.size()).isEqualTo(20);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(back.mismatch(text)).isEqualTo(-1);
            assertThat(file.write(text)).isEqualTo(9);
            assertThat(file.seek(0, 2)).isEqualTo(20);
        } finally {
            Thread.interrupted();
        }
    }

    private OpenFile appending() throws IOException {
        return OpenFile.open(
                folder.resolve("file"),
                Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")),
                true);
    }

    /** Whoever looked where the end is, and wrote there then, would write over the others. */
    @Test
    void processesThatAppendToOneFileKeepEachOthersBytes() throws Exception {
        CyclicBarrier start = new CyclicBarrier(WRITERS);
        List<Future<?>> writing = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            byte[] record = new byte[RECORD_BYTES];
            Arrays.fill(record, (byte) ('a' + i));
            writing.add(
                    threads.submit(
                            () -> {
                                try (OpenFile file = appending()) {
                                    start.await(30, TimeUnit.SECONDS);
                                    for (int k = 0; k < RECORDS; k++) {
                                        assertThat(file.write(MemorySegment.ofArray(record)))
                                                .isEqualTo(RECORD_BYTES);
                                    }
                                }
                                return null;
                            }));
        }
        for (Future<?> each : writing) {
            each.get(50, TimeUnit.SECONDS);
        }
        String all = Files.readString(folder.resolve("file"));
        assertThat(all).hasSize(WRITERS * RECORDS * RECORD_BYTES);
        Map<String, Integer> counts = new HashMap<>();
        for (int at = 0; at < all.length(); at += RECORD_BYTES) {
            counts.merge(all.substring(at, at + RECORD_BYTES), 1, Integer::sum);
        }
        assertThat(counts).hasSize(WRITERS); // none is torn
        assertThat(counts.values()).containsOnly(RECORDS);
    }

    /** As on a disk that becomes full: the bytes before that are in the file. */
    @Test
    void whatWasMovedBeforeAFailureIsTold() throws Exception {
        OpenFile.Step step =
                (rest, done) -> {
                    if (done >= 6) {
                        throw new IOException("No space left on device");
                    }
                    rest.position(rest.position() + 3);
                    return 3;
                };
        assertThat(OpenFile.moveAll(ByteBuffer.allocate(10), step)).isEqualTo(6);
        assertThat(OpenFile.moveAll(ByteBuffer.allocate(6), step)).isEqualTo(6);
        assertThat(OpenFile.moveAll(ByteBuffer.allocate(6), (_, _) -> -1)).isZero();
        assertThatThrownBy(
                        () ->
                                OpenFile.moveAll(
                                        ByteBuffer.allocate(10),
                                        (rest, done) -> step.move(rest, done + 6)))
                .hasMessage("No space left on device");
    }

    @Test
    void anInterruptedThreadAppendsAndLeavesTheFileOpen() throws Exception {
        try (OpenFile file = appending()) {
            Thread.currentThread().interrupt();
            assertThat(file.write(MemorySegment.ofArray("one".getBytes()))).isEqualTo(3);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(file.write(MemorySegment.ofArray("two".getBytes()))).isEqualTo(3);
            assertThat(file.seek(0, 1)).isEqualTo(6);
            assertThat(folder.resolve("file")).hasContent("onetwo");
        } finally {
            Thread.interrupted();
        }
    }
}
