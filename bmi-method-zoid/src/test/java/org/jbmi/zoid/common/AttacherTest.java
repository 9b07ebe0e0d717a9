package org.jbmi.zoid.common;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.mempool.os.NativeAccess;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.protocol.handshake.PeerRole;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;

/** How long an attempt to attach may take. */
@Timeout(30)
class AttacherTest {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    @TempDir private Path directory;

    private Attacher attacher() throws Exception {
        assertThat(NativeAccess.unavailabilityReason()).isEmpty();
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        return new Attacher(
                new RuntimeDirectory(directory), PeerRole.CLIENT, "shm", Seams.production());
    }

    private long timeoutOf(long waitNs) throws Exception {
        return attacher().attach(waitNs, () -> false, request -> request.timeoutNs());
    }

    @Test
    void whoWaitsForADaemonWaitsItsTurnAsWell() throws Exception {
        assertThat(timeoutOf(60 * SECOND_NS)).isBetween(50 * SECOND_NS, 60 * SECOND_NS);
        assertThat(timeoutOf(1)).as("an answer takes its time").isEqualTo(5 * SECOND_NS);
        assertThat(timeoutOf(0)).as("a post does not wait").isEqualTo(SECOND_NS);
    }

    @Test
    void aDaemonThatIsThereHasTimeToAnswer() throws Exception {
        Attacher attacher = attacher();
        assertThat(attacher.<Long>attachIfThere(10 * SECOND_NS, request -> request.timeoutNs()))
                .isEqualTo(10 * SECOND_NS);
        assertThat(attacher.<Long>attachIfThere(0, request -> request.timeoutNs()))
                .isEqualTo(SECOND_NS);
    }
}
