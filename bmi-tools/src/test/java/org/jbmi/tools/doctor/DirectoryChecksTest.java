package org.jbmi.tools.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jbmi.config.Configuration;
import org.jbmi.mempool.os.NativeAccess;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.daemon.DaemonKnobs;
import org.jbmi.zbmi.host.place.HostInUse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/** What the doctor advises where the runtime directory cannot be used helps there. */
@Timeout(60)
class DirectoryChecksTest {
    private static final int SOMEBODY_ELSE = 65_534;

    @TempDir private Path directory;

    private Diagnosis.Finding lookAt(Path path) {
        Diagnosis found = new Diagnosis();
        Configuration knobs =
                Configuration.resolve(
                        DaemonKnobs.all(), Map.of("zbmi.segmentDirectory", directory.toString()));
        HostInUse host = new DirectoryChecks(new RuntimeDirectory(path), knobs, found).run();
        assertThat(host.kind()).isEqualTo(HostInUse.Kind.NONE);
        Diagnosis.Finding first = found.findings().getFirst();
        assertThat(first.subject()).isEqualTo("runtime directory");
        return first;
    }

    private Diagnosis.Finding wrong(Path path) {
        Diagnosis.Finding finding = lookAt(path);
        assertThat(finding.state()).isEqualTo(Diagnosis.State.WRONG);
        return finding;
    }

    private Path make(String mode) throws IOException {
        return Files.createDirectory(
                directory.resolve("run"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode)));
    }

    @Test
    void oneThatIsNotThereYetIsMadeByTheFirstHost() {
        Diagnosis.Finding finding = lookAt(directory.resolve("a/b/run"));
        assertThat(finding.state()).isEqualTo(Diagnosis.State.NOTE);
        assertThat(finding.advice()).contains("zbmi serve");
    }

    @Test
    void oneThatIsOpenToOthersIsToBeClosed() throws IOException {
        Path run = make("rwx------");
        Files.setPosixFilePermissions(run, PosixFilePermissions.fromString("rwxr-x---"));
        assertThat(wrong(run).advice()).startsWith("chmod 700 " + run);
    }

    @Test
    void aFileInItsPlaceIsToBeMovedAway() throws IOException {
        Path file = Files.createFile(directory.resolve("run"));
        Diagnosis.Finding finding = wrong(file);
        assertThat(finding.sentence()).contains("it is not a directory");
        assertThat(finding.advice()).contains("Move it away").doesNotContain("chmod");
    }

    @Test
    void oneThatCannotBeMadeIsToBeAnother() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        Diagnosis.Finding finding = wrong(file.resolve("run"));
        assertThat(finding.sentence()).endsWith("may not make it in " + file + ".");
        assertThat(finding.advice()).contains("one that it may make").doesNotContain("chmod");
    }

    @Test
    void aPathThatIsTooLongIsToBeShorter() {
        Diagnosis.Finding finding = wrong(directory.resolve("x".repeat(100)));
        assertThat(finding.sentence()).contains("to a shorter path");
        assertThat(finding.advice()).isEmpty();
    }

    @Test
    void oneOfAnotherUserCannotBeMendedByThisOne() throws IOException {
        assumeTrue(NativeAccess.effectiveUserId() == 0, "only root gives directories away");
        Path run = make("rwx------");
        Files.setAttribute(run, "unix:uid", SOMEBODY_ELSE);
        assertThat(wrong(run).advice()).contains("Only its owner").doesNotContain("chmod");
    }
}
