package org.jbmi.mempool.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

@Timeout(30)
class LockedFileTest {
    @TempDir Path directory;
    private Path file;

    @BeforeEach
    void makeFile() throws IOException {
        file = Files.createFile(directory.resolve("lock"));
    }

    @Test
    void oneHasItAtATimeAlsoInOneProcess() throws IOException {
        assertThat(LockedFile.isLocked(file)).isFalse();
        LockedFile first = LockedFile.tryLock(file);
        assertThat(first).isNotNull();
        assertThat(LockedFile.tryLock(file)).isNull();
        assertThat(LockedFile.isLocked(file)).isTrue();

        first.close();
        first.close();

        assertThat(LockedFile.isLocked(file)).isFalse();
        try (LockedFile second = LockedFile.tryLock(file)) {
            assertThat(second).isNotNull();
        }
    }

    @Test
    void whatElseTheProcessDoesWithTheFileLeavesTheLockAlone() throws Exception {
        try (LockedFile lock = LockedFile.tryLock(file)) {
            assertThat(lock).isNotNull();
            FileChannel.open(file, StandardOpenOption.WRITE).close();
            WeakReference<FileChannel> lost = new WeakReference<>(forgotten(file));
            while (lost.get() != null) {
                System.gc();
            }
            assertThat(LockedFile.isLocked(file)).isTrue();
            assertThat(LockedFile.tryLock(file)).isNull();
        }
    }

    private static FileChannel forgotten(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.WRITE);
    }

    @Test
    void itKeepsOutTheLocksOfChannels() throws IOException {
        try (LockedFile lock = LockedFile.tryLock(file);
                FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            assertThat(lock).isNotNull();
            assertThat(channel.tryLock()).isNull();
        }
    }

    @Test
    void whatCannotBeOpenedIsSaidInWords() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), file);
        assertThatThrownBy(() -> LockedFile.tryLock(link))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(link.toString());
        assertThatThrownBy(() -> LockedFile.isLocked(directory.resolve("none")))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> LockedFile.tryLock(directory))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(directory.toString());
    }
}
