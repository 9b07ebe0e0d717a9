package org.jbmi.zbmi.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.mempool.Liveness;
import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.zbmi.link.RuntimeDirectory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class DaemonLockTest {
    private final Liveness liveness = new ProcessLiveness();
    @TempDir Path temporary;
    private RuntimeDirectory directory;

    @BeforeEach
    void prepare() {
        directory = new RuntimeDirectory(temporary.resolve("run"));
        directory.prepare();
    }

    @Test
    void aSecondOneIsRefusedByNameAndTheFirstGoesOn() {
        try (DaemonLock first = DaemonLock.acquire(directory, liveness)) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> DaemonLock.acquire(directory, liveness))
                        .isInstanceOf(BmiException.class)
                        .hasMessageContaining(Long.toString(ProcessHandle.current().pid()))
                        .extracting(e -> ((BmiException) e).code())
                        .isEqualTo(ErrorCode.EBUSY);
            }
            assertThat(first).isNotNull();
        }
        DaemonLock.acquire(directory, liveness).close();
    }

    @Test
    void leavesNoPidFileBehind() {
        DaemonLock.acquire(directory, liveness).close();
        assertThat(directory.pid()).doesNotExist();
    }

    @Test
    void aPidFileOfADeadProcessIsNoObstacle() throws IOException {
        Files.writeString(directory.pid(), "999999999 12345\n");
        DaemonLock.acquire(directory, liveness).close();
        Files.writeString(directory.pid(), "nonsense\n".repeat(100));
        DaemonLock.acquire(directory, liveness).close();
    }
}
