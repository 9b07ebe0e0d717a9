package org.jbmi.rig.perf;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.PhaseResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

/** How the processes of a side end. */
@Timeout(60)
class SideTest {
    private static final class Shells extends Side {
        private final String[] lines;

        Shells(String... lines) {
            super("shells");
            this.lines = lines;
        }

        @Override
        String setup() {
            return "";
        }

        @Override
        Finding.Threads threads() {
            return new Finding.Threads(0, 0);
        }

        @Override
        void open() throws IOException {
            for (String line : lines) {
                add(WorkerProcess.command(name(), line));
            }
        }

        @Override
        PhaseResult run(Phase phase) {
            return PhaseResult.empty();
        }
    }

    /** With many clients in the middle of a round, each would take seconds until it is killed. */
    @Test
    void allProcessesAreToldToEndBeforeOneIsAwaited(@TempDir Path directory) throws Exception {
        Path pipe = directory.resolve("pipe");
        Path done = directory.resolve("done");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        String first = "cat > /dev/null; echo > '%s'".formatted(pipe);
        String last = "cat > /dev/null; read l < '%s'; echo > '%s'".formatted(pipe, done);
        try (Side side = new Shells(first, last)) {
            side.open();
        }
        assertThat(done).as("the last one is awaited first, and waits for the first").exists();
    }
}
