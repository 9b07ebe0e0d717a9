package org.jbmi.mempool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class ProcessLivenessTest {
    private static final String TAIL = " 1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 %d 0 0 0\n";

    private final Liveness liveness = new ProcessLiveness();

    @TempDir Path table;

    @Test
    void thisProcessLivesUnderItsOwnStartTime() {
        long pid = ProcessHandle.current().pid();
        long start = liveness.startTimeMs(pid);

        assertThat(start).isPositive();
        assertThat(liveness.isAlive(pid, start)).isTrue();
        assertThat(liveness.isAlive(pid, Liveness.START_UNKNOWN)).isTrue();
        assertThat(liveness.isAlive(pid, start + 10)).as("the id of another").isFalse();
    }

    @Test
    void nobodyIsNotAlive() {
        assertThat(liveness.isAlive(0, 0)).isFalse();
        assertThat(liveness.isAlive(-1, 0)).isFalse();
        assertThat(liveness.isAlive(Long.MAX_VALUE, 0)).isFalse();
        assertThat(liveness.startTimeMs(Long.MAX_VALUE)).isEqualTo(Liveness.START_UNKNOWN);
    }

    @Test
    void aProcessThatNobodyCollectedIsDead() throws Exception {
        // The shell starts a child and becomes a program that never collects it.
        Process parent = new ProcessBuilder("sh", "-c", "sh -c 'echo $$' & exec sleep 20").start();
        try (var output = parent.inputReader()) {
            long child = Long.parseLong(output.readLine());
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
            while (liveness.isAlive(child, Liveness.START_UNKNOWN)
                    && System.nanoTime() < deadline) {
                Thread.onSpinWait();
            }
            assertThat(Files.exists(Path.of("/proc", Long.toString(child)))).isTrue();
            assertThat(liveness.isAlive(child, Liveness.START_UNKNOWN)).isFalse();
        } finally {
            parent.destroyForcibly();
            parent.waitFor();
        }
    }

    @Test
    void aDeadFirstThreadIsNotADeadProcess() throws Exception {
        put(1, "(java) S" + TAIL.formatted(5));
        Files.createSymbolicLink(table.resolve("self"), table.resolve("1"));
        put(77, "(a b) c) Z" + TAIL.formatted(1234));
        Files.createDirectories(table.resolve("77/task/77"));
        Liveness played = new ProcessLiveness(table);

        assertThat(played.startTimeMs(77)).isEqualTo(12340);
        assertThat(played.isAlive(77, 12340)).isFalse();
        Files.createDirectories(table.resolve("77/task/78"));
        assertThat(played.isAlive(77, 12340)).isTrue();
        assertThat(played.isAlive(77, 12350)).isFalse();
    }

    @Test
    void anEntryThatMakesNoSenseIsNoProofOfDeath() throws Exception {
        put(1, "(java) S" + TAIL.formatted(5));
        Files.createSymbolicLink(table.resolve("self"), table.resolve("1"));
        put(77, "nonsense");
        put(78, "(x) S 1 2 3");
        Liveness played = new ProcessLiveness(table);

        assertThat(played.isAlive(77, 5)).isTrue();
        assertThat(played.isAlive(78, 5)).isTrue();
        assertThat(played.isAlive(79, 5)).isFalse();
    }

    private void put(long pid, String afterId) throws Exception {
        Path entry = Files.createDirectories(table.resolve(Long.toString(pid)));
        Files.writeString(entry.resolve("stat"), pid + " " + afterId);
    }
}
