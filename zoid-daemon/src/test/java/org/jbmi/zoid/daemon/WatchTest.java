package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.jbmi.zoid.forward.client.Launch;
import org.jbmi.zoid.forward.client.Zoid;
import org.jbmi.zoid.forward.client.ZoidException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What a server tells the flight recorder, and whom it names after a broadcast. */
@Timeout(60)
class WatchTest {
    private static final int BYTES = 5000;

    @TempDir Path folder;

    @Test
    void theFlightRecorderSeesCallsAndCounters() throws Exception {
        Path file = folder.resolve("calls.jfr");
        ZoidSettings settings = ZoidSettings.defaults().withUserBufferQuota(BYTES);
        try (Recording recording = new Recording();
                DaemonSetup setup = DaemonSetup.of("loopback", folder, settings)) {
            setup.functions.goesOn.countDown();
            recording.enable("org.jbmi.ForwardedCall");
            recording.enable("org.jbmi.ForwardedTraffic").with("period", "endChunk");
            recording.start();
            try (Zoid zoid = setup.client(Launch.NONE);
                    Arena arena = Arena.ofShared()) {
                HeldClient held = new HeldClient(zoid);
                held.keep(arena.allocate(BYTES), BYTES);
                assertThatThrownBy(() -> held.keep(arena.allocate(BYTES + 1), BYTES + 1))
                        .isInstanceOf(ZoidException.class);
            }
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        assertThat(events)
                .filteredOn(event -> event.hasField("function"))
                .extracting(
                        event ->
                                event.getString("function")
                                        + " "
                                        + event.getInt("error")
                                        + " "
                                        + (event.getLong("requestBytes") / BYTES)
                                        + " "
                                        + (event.getLong("replyBytes") > 0))
                .containsExactlyInAnyOrder("held.keep 0 1 true", "held.keep 122 1 false");
        assertThat(events)
                .filteredOn(event -> event.hasField("kind"))
                .filteredOn(event -> event.getString("kind").equals("Plugin 200"))
                .extracting(event -> event.getLong("receivedMessages"))
                .containsExactly(2L);
    }

    /** One that is killed in the middle: the others have the file, and nobody waits for it. */
    @Test
    void aReceiverThatGoesInTheMiddleIsNamedAtOnce() throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "text");
        Duration hour = Duration.ofHours(1);
        try (DaemonSetup setup = DaemonSetup.withBroadcastPatience(folder, hour);
                ZoidAdmin admin = ZoidAdmin.of(setup.clientBmi, setup.address());
                Zoid good = setup.client(Launch.NONE)) {
            good.receiveBroadcasts(folder.resolve("node"));
            Attendee silent = Attendee.enrolled(setup);
            CompletableFuture<ZoidAdmin.Broadcast> done =
                    CompletableFuture.supplyAsync(
                            () -> admin.broadcast(input.toString(), "/x"),
                            Thread::startVirtualThread);
            DaemonSetup.await(() -> Files.exists(folder.resolve("node/x")));
            silent.attendance().cancel();
            ZoidAdmin.Broadcast answer = done.get(50, TimeUnit.SECONDS);
            assertThat(answer.receivers()).isOne();
            assertThat(answer.trouble())
                    .startsWith("process " + silent.number() + " (")
                    .endsWith(": It has gone.");
        }
    }

    /** One that enrols and then never asks must not hold up a broadcast for ever. */
    @Test
    void aReceiverThatDoesNotGetOnIsLeftBehindAndNamed() throws Exception {
        Path input = Files.writeString(folder.resolve("input"), "text");
        try (DaemonSetup setup = DaemonSetup.withBroadcastPatience(folder, Duration.ofSeconds(1));
                ZoidAdmin admin = ZoidAdmin.of(setup.clientBmi, setup.address())) {
            Attendee silent = Attendee.enrolled(setup);
            ZoidAdmin.Broadcast done = admin.broadcast(input.toString(), "/x");
            assertThat(done.receivers()).isZero();
            assertThat(done.trouble())
                    .startsWith("process " + silent.number() + " (")
                    .endsWith(": It did not get on for 1 s.");
            silent.attendance().cancel();
        }
    }
}
