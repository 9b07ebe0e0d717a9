package org.jbmi.zoid.plugins.unix;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The files of one process, without a server. */
@Timeout(60)
class UnixFilesTest {
    private static final int CREATE = 0100;
    private static final int EXCLUSIVE = 0200;

    @TempDir Path folder;

    @AutoClose private final ExecutorService threads = Executors.newSingleThreadExecutor();

    private final UnixFiles files = new UnixFiles(new OneProcess());

    @BeforeEach
    void begin() {
        files.proc(true, OneProcess.ID);
    }

    /** The open would wait for a writer, which may never come. */
    @Test
    void aFifoIsRefused() throws Exception {
        Path fifo = folder.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
        Future<Integer> opened = threads.submit(() -> files.open(fifo.toString(), 0, 0));
        try {
            assertThat(opened.get(20, TimeUnit.SECONDS)).isEqualTo(-6);
        } finally {
            new RandomAccessFile(fifo.toFile(), "rw").close(); // ends an open that still waits
        }
        assertThat(files.open(fifo.toString(), 1 | CREATE | EXCLUSIVE, 0600)).isEqualTo(-17);
    }
}
