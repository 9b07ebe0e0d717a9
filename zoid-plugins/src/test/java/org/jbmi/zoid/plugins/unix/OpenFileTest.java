package org.jbmi.zoid.plugins.unix;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A file of a process whose calls are cancelled. */
@Timeout(60)
class OpenFileTest {
    @TempDir Path folder;

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
}
