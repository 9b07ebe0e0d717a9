package org.jbmi.zoid.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
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
import java.util.concurrent.atomic.AtomicLong;

/** How long an attempt to attach may take. */
@Timeout(30)
class AttacherTest {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    @TempDir private Path directory;

    private Attacher attacher() throws Exception {
        return attacher(Seams.production());
    }

    private Attacher attacher(Seams seams) throws Exception {
        assertThat(NativeAccess.unavailabilityReason()).isEmpty();
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        return new Attacher(new RuntimeDirectory(directory), PeerRole.CLIENT, "shm", "", seams);
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

    /** An interrupt ended it early. */
    @Test
    void whoFindsNoDaemonIsToldHowLongItWaited() throws Exception {
        AtomicLong nowNs = new AtomicLong(1);
        Seams real = Seams.production();
        Seams seams = new Seams(nowNs::get, real.waiting(), real.liveness(), real.parking());
        Attacher attacher = attacher(seams);
        Thread.currentThread().interrupt();
        BmiException failure =
                failure(
                        () ->
                                attacher.attach(
                                        60 * SECOND_NS,
                                        () -> false,
                                        request -> nobodyAfter(nowNs, 3 * SECOND_NS)));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(failure.code()).isEqualTo(ErrorCode.ENETDOWN);
        assertThat(failure).hasMessageContaining("waited 3000 ms");
    }

    @Test
    void whoDoesNotWantADaemonAnyMoreIsNotToldToStartOne() throws Exception {
        Attacher attacher = attacher();
        BmiException failure =
                failure(
                        () ->
                                attacher.attach(
                                        60 * SECOND_NS,
                                        () -> true,
                                        request -> nobodyAfter(new AtomicLong(), 1)));
        assertThat(failure.code()).isEqualTo(ErrorCode.ECANCEL);
    }

    private static BmiException failure(ThrowingCallable attempt) {
        return catchThrowableOfType(BmiException.class, attempt);
    }

    private static Void nobodyAfter(AtomicLong clock, long waitNs) {
        clock.addAndGet(waitNs);
        throw new BmiException(ErrorCode.ENETDOWN, "Nobody listens.");
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
