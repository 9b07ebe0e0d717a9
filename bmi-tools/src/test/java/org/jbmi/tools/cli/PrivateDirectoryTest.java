package org.jbmi.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jbmi.mempool.os.NativeAccess;
import org.jbmi.testsuite.support.ProgramRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** The private directories of programs, and who removes them. */
@Timeout(200)
class PrivateDirectoryTest {
    @TempDir Path parent;

    private Path withFreeLock(String name) throws Exception {
        Path directory = withoutLock(name);
        Files.writeString(directory.resolve("lock"), "");
        return directory;
    }

    private Path withoutLock(String name) throws Exception {
        return Files.setPosixFilePermissions(
                Files.createDirectory(parent.resolve(name)),
                PosixFilePermissions.fromString("rwx------"));
    }

    /** A program with a private directory, until its input ends. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] args) throws IOException {
            try (PrivateDirectory directory = PrivateDirectory.create(Path.of(args[0]), "where")) {
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
        try (PrivateDirectory own = PrivateDirectory.create(parent, "where")) {
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
        PrivateDirectory.create(parent, "where").close();
        assertThat(parent).isEmptyDirectory();
    }

    // A process loses its lock on a file when it closes the file that it has opened once more.
    @Test
    void anotherOfTheSameProgramLeavesTheFirstOneLocked() throws Exception {
        try (PrivateDirectory first = PrivateDirectory.create(parent, "where");
                PrivateDirectory second = first.another(parent, "where");
                ProgramRun run = ProgramRun.start(Holder.class, List.of(), parent.toString())) {
            run.awaitLine(line -> line.startsWith("made "));
            assertThat(first.path()).exists();
            assertThat(second.path()).exists();
            run.process().getOutputStream().close();
            assertThat(run.awaitEnd()).as(run.transcript()).isZero();
        }
        assertThat(parent).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource({
        "/none, 'where names /none, which is no directory'",
        "/etc/passwd, 'where names /etc/passwd, which is no directory'",
        "/proc, 'where names /proc, where this user can make no directory'"
    })
    void aPlaceForNoneIsNamedWithTheSettingThatChoseIt(Path place, String message) {
        assertThatThrownBy(() -> PrivateDirectory.create(place, "where").close())
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(message);
    }

    // Opening a pipe waits until another process opens it, and no interrupt ends that wait.
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aPipeInPlaceOfALockIsNotOpened() throws Exception {
        Path strange = withoutLock("bmi-private-strange");
        String pipe = strange.resolve("lock").toString();
        assertThat(new ProcessBuilder("mkfifo", pipe).start().waitFor()).isZero();
        PrivateDirectory.create(parent, "where").close();
        assertThat(strange).exists();
    }

    // Another user could put links to this user's files into it while it is being removed.
    @Test
    void whatOthersMayWriteIsNotRemoved() throws Exception {
        Path open = withFreeLock("bmi-private-open");
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path own = withFreeLock("bmi-private-own");
        Path link = Files.createSymbolicLink(parent.resolve("bmi-private-link"), own);
        PrivateDirectory.create(parent, "where").close();
        assertThat(own).doesNotExist();
        assertThat(open.resolve("lock")).exists();
        assertThat(link).isSymbolicLink();
    }

    @Test
    void whatBelongsToAnotherUserIsNotRemoved() throws Exception {
        assumeTrue(NativeAccess.effectiveUserId() == 0, "only root gives directories away");
        Path foreign = withFreeLock("bmi-private-foreign");
        Files.setAttribute(foreign, "unix:uid", 65_534);
        PrivateDirectory.create(parent, "where").close();
        assertThat(foreign.resolve("lock")).exists();
    }
}
