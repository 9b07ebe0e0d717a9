package org.jbmi.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.testsuite.support.ProgramRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;

/** The private directories of programs, and who removes them. */
@Timeout(200)
class PrivateDirectoryTest {
    @TempDir Path parent;

    private Path withFreeLock(String name) throws Exception {
        Path directory = Files.createDirectory(parent.resolve(name));
        Files.writeString(directory.resolve("lock"), "");
        return directory;
    }

    /** A program with a private directory, until its input ends. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] args) throws IOException {
            try (PrivateDirectory directory = PrivateDirectory.create(Path.of(args[0]))) {
                directory.removeAtExit();
                System.out.println("made " + directory.path());
                System.in.read();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSignalRemovesItToo(boolean isSignal) throws Exception {
        try (ProgramRun run = ProgramRun.start(Holder.class, List.of(), parent.toString())) {
            run.awaitLine(line -> line.startsWith("made "));
            if (isSignal) {
                run.process().toHandle().destroy();
            } else {
                run.process().getOutputStream().close();
            }
            assertThat(run.awaitEnd()).as(run.transcript()).isEqualTo(isSignal ? 143 : 0);
        }
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void oneThatIsBeingMadeIsNotRemoved() throws Exception {
        Path made = withFreeLock("bmi-making-now");
        Path given = withFreeLock("bmi-making-long-ago");
        Files.setLastModifiedTime(given, FileTime.fromMillis(0));
        try (PrivateDirectory own = PrivateDirectory.create(parent)) {
            assertThat(own.path()).exists();
            assertThat(made.resolve("lock")).exists();
            assertThat(given).doesNotExist();
        }
    }

    // What it holds of the shared memory may be all that there is.
    @Test
    void theOneOfAKilledProgramIsRemovedAtOnce() throws Exception {
        try (ProgramRun run = ProgramRun.start(Holder.class, List.of(), parent.toString())) {
            run.awaitLine(line -> line.startsWith("made "));
            run.process().destroyForcibly();
            run.awaitEnd();
        }
        assertThat(parent).isNotEmptyDirectory();
        PrivateDirectory.create(parent).close();
        assertThat(parent).isEmptyDirectory();
    }

    // A process loses its lock on a file when it closes the file that it has opened once more.
    @Test
    void anotherOfTheSameProgramLeavesTheFirstOneLocked() throws Exception {
        try (PrivateDirectory first = PrivateDirectory.create(parent);
                PrivateDirectory second = first.another(parent);
                ProgramRun run = ProgramRun.start(Holder.class, List.of(), parent.toString())) {
            run.awaitLine(line -> line.startsWith("made "));
            assertThat(first.path()).exists();
            assertThat(second.path()).exists();
            run.process().getOutputStream().close();
            assertThat(run.awaitEnd()).as(run.transcript()).isZero();
        }
        assertThat(parent).isEmptyDirectory();
    }
}
