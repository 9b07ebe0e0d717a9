package org.jbmi.zbmi.host.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

@Timeout(60)
class HostLockTest {
    @TempDir Path temporary;
    private RuntimeDirectory directory;

    @BeforeEach
    void prepare() {
        directory = new RuntimeDirectory(temporary.resolve("run"));
        directory.prepare();
    }

    @Test
    void aSecondOneIsRefusedByNameAndTheFirstGoesOn() {
        try (HostLock first = HostLock.acquire(directory)) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> HostLock.acquire(directory))
                        .isInstanceOf(BmiException.class)
                        .hasMessageContaining(Long.toString(ProcessHandle.current().pid()))
                        .extracting(e -> ((BmiException) e).code())
                        .isEqualTo(ErrorCode.EBUSY);
            }
            assertThat(first).isNotNull();
        }
        HostLock.acquire(directory).close();
    }

    @Test
    void leavesNoPidFileBehind() {
        HostLock.acquire(directory).close();
        assertThat(directory.pid()).doesNotExist();
    }

    @Test
    void aPidFileOfADeadProcessIsNoObstacle() throws IOException {
        Files.writeString(directory.pid(), "999999999\n");
        HostLock.acquire(directory).close();
        Files.writeString(directory.pid(), "nonsense\n".repeat(100));
        HostLock.acquire(directory).close();
    }

    @Test
    void whoIsRefusedNeverTakesItAwayWhateverHappensToThePidFile() throws IOException {
        try (HostLock first = HostLock.acquire(directory)) {
            assertThat(first).isNotNull();
            Files.delete(directory.pid());
            for (int i = 0; i < 5; i++) {
                assertThatThrownBy(() -> HostLock.acquire(directory))
                        .isInstanceOf(BmiException.class);
                System.gc(); // what was opened in vain is closed
                assertThat(HostLock.isTaken(directory)).isTrue();
            }
        }
        assertThat(HostLock.isTaken(directory)).isFalse();
    }

    @Test
    void aHostInAnotherProcessNamespaceIsSeenToBeThere() throws IOException {
        try (HostLock first = HostLock.acquire(directory)) {
            assertThat(first).isNotNull();
            Files.writeString(directory.pid(), "999999999\n");

            assertThat(HostInUse.of(directory).kind()).isEqualTo(HostInUse.Kind.SILENT);
        }
        assertThat(HostInUse.of(directory).kind()).isEqualTo(HostInUse.Kind.NONE);
    }
}
