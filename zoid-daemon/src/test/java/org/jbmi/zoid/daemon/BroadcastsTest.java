package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.loopback.LoopbackHub;
import org.jbmi.shipper.Shipper;
import org.jbmi.shipper.ShipperServer;
import org.jbmi.zoid.forward.client.Launch;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.forward.wire.Attendance;
import org.jbmi.zoid.forward.wire.Attendance_InCodec;
import org.jbmi.zoid.forward.wire.Attendance_JoinInCodec;
import org.jbmi.zoid.forward.wire.Attendance_JoinOutCodec;
import org.jbmi.zoid.forward.wire.Attendance_OutCodec;
import org.jbmi.zoid.forward.wire.Broadcasting;
import org.jbmi.zoid.forward.wire.Broadcasting_InCodec;
import org.jbmi.zoid.forward.wire.Broadcasting_OutCodec;
import org.jbmi.zoid.forward.wire.Names;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/** Who receives broadcasts, and for how long. */
@Timeout(60)
class BroadcastsTest {
    private static final long KEY = 7;

    @TempDir Path folder;

    /** Every broadcast would wait for such a process. */
    @Test
    void aProcessThatHasLeftDoesNotBecomeAReceiver() {
        Processes processes = new Processes(1);
        Broadcasts broadcasts =
                new Broadcasts(processes, new Traffic().broadcast(), Duration.ofSeconds(1));
        ZoidProcess process =
                processes.come(new Attendance.In(KEY, -1, -1, "", List.of()), "address");
        assertThat(process).isNotNull();
        processes.admit(process);
        assertThat(broadcasts.add(process)).isTrue();
        processes.leave(process);
        broadcasts.forget(process);
        assertThat(broadcasts.add(process)).isFalse();
    }

    /** As a server does it for a client that makes as many calls as it may, or without memory. */
    @Test
    void aReceiverThatIsRefusedForNowAsksAgain() throws Exception {
        LoopbackHub hub = new LoopbackHub();
        Queue<ErrorCode> refusals =
                new ConcurrentLinkedQueue<>(List.of(ErrorCode.ETRYAGAIN, ErrorCode.ENOMEM));
        CountDownLatch taken = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        byte[] nothing = MessageDigest.getInstance("SHA-256").digest();
        try (Bmi serverBmi =
                        Bmi.builder()
                                .attach(LoopbackHub.class, hub)
                                .listen("loopback://server")
                                .open();
                ShipperServer server = Shipper.builder(serverBmi).server();
                Bmi clientBmi = Bmi.builder().attach(LoopbackHub.class, hub).open()) {
            server.register(
                    Names.ATTEND,
                    Attendance_InCodec.INSTANCE,
                    Attendance_OutCodec.INSTANCE,
                    _ -> {
                        end.await();
                        return new Attendance.Out(0);
                    });
            server.register(
                    Names.JOIN,
                    Attendance_JoinInCodec.INSTANCE,
                    Attendance_JoinOutCodec.INSTANCE,
                    _ -> new Attendance.JoinOut(0, 1, 1000, 0));
            server.register(
                    Names.ENROL,
                    Attendance_JoinInCodec.INSTANCE,
                    Attendance_OutCodec.INSTANCE,
                    _ -> new Attendance.Out(0));
            server.register(
                    Names.RECEIVE,
                    Broadcasting_InCodec.INSTANCE,
                    Broadcasting_OutCodec.INSTANCE,
                    call -> {
                        ErrorCode refusal = refusals.poll();
                        if (refusal != null) {
                            throw new BmiException(refusal, "Not now.");
                        }
                        if (call.input().next() == 1) {
                            taken.countDown();
                            end.await();
                        }
                        return new Broadcasting.Out(1, "/file", 0, 0, true, nothing);
                    });
            server.start();
            try (Zoid zoid =
                    Zoid.builder(clientBmi).launch(Launch.NONE).connect("loopback://server")) {
                zoid.receiveBroadcasts(folder);
                taken.await();
                assertThat(folder.resolve("file")).isEmptyFile();
            } finally {
                end.countDown();
            }
        }
    }
}
