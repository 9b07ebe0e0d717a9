package org.jbmi.mempool.os;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.pool.MemoryPool;
import org.jbmi.testsuite.support.ChildJvm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class NativeAccessTest {

    @Test
    void itIsAvailableHere() {
        assertThat(NativeAccess.unavailabilityReason()).isEmpty();
    }

    @Test
    void theUserIsTheOneWhoOwnsNewFiles(@TempDir Path directory) throws Exception {
        Path file = Files.createFile(directory.resolve("mine"));

        assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(NativeAccess.effectiveUserId());
    }

    @Test
    void aReservedFileHasItsSize(@TempDir Path directory) throws Exception {
        Path file = Files.createFile(directory.resolve("grows"));

        assertThat(NativeAccess.reserve(file, 100_000)).isZero();
        assertThat(Files.size(file)).isEqualTo(100_000);
    }

    @Test
    void aReservationThatCannotBeHasAnErrorNumber(@TempDir Path directory) throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), file);

        assertThat(NativeAccess.reserve(directory.resolve("none"), 1)).isEqualTo(Errno.ENOENT);
        assertThat(NativeAccess.reserve(file, 0)).isEqualTo(Errno.EINVAL);
        assertThat(NativeAccess.reserve(link, 1)).as("ELOOP").isEqualTo(40);
        assertThat(Errno.describe(Errno.ENOENT)).contains("no such file");
        assertThat(Errno.describe(40)).isEqualTo("errno 40");
    }

    @Test
    void aWaitSaysWhyItEnded() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment word = arena.allocate(64, 64);
            WaitBuffer buffer = new WaitBuffer();
            word.set(ValueLayout.JAVA_INT, 0, 5);

            assertThat(NativeAccess.futexWait(word.address(), 4, 1_000_000_000, buffer)).isFalse();
            assertThat(NativeAccess.futexWaitError(word.address(), 4, buffer))
                    .isEqualTo(Errno.EAGAIN);
            assertThat(NativeAccess.futexWait(word.address(), 5, 1_000_000, buffer)).isFalse();
            assertThat(NativeAccess.futexWaitError(word.address(), 5, buffer))
                    .isEqualTo(Errno.ETIMEDOUT);
            assertThat(NativeAccess.futexWait(1024, 5, 1_000_000, buffer)).isFalse();
            assertThat(NativeAccess.futexWaitError(1024, 5, buffer)).isEqualTo(Errno.EFAULT);
            assertThat(NativeAccess.futexWakeAll(word.address())).isZero();
            assertThat(NativeAccess.futexWakeAll(1024)).isNegative();
        }
    }

    @Test
    void deniedNativeAccessIsAReasonAndNoFailure() throws Exception {
        List<String> output = runChild("--illegal-native-access=deny");

        assertThat(output).hasSize(1);
        assertThat(output.getFirst()).contains("--enable-native-access").contains("pool true");
    }

    @Test
    void aPrivatePoolAloneGivesNoWarning() throws Exception {
        assertThat(runChild("-Dpool.only=true")).containsExactly("pool true");
    }

    /** What the child says: why there is no native access, and whether a private pool works. */
    public static void main(String[] args) {
        String reason =
                Boolean.getBoolean("pool.only")
                        ? ""
                        : NativeAccess.unavailabilityReason().orElse("available") + "; ";
        try (MemoryPool pool = MemoryPool.privatePool(1 << 20)) {
            System.out.println(reason + "pool " + (pool.allocate(100) != null));
        }
    }

    private static List<String> runChild(String option) throws Exception {
        List<String> command = ChildJvm.command(NativeAccessTest.class, List.of(option));
        command.remove(ChildJvm.NATIVE_ACCESS);
        Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            byte[] output = child.getInputStream().readAllBytes();
            assertThat(child.waitFor(20, TimeUnit.SECONDS)).isTrue();
            return new String(output, StandardCharsets.UTF_8).lines().toList();
        } finally {
            child.destroyForcibly();
        }
    }
}
