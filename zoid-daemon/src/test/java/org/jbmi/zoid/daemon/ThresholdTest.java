package org.jbmi.zoid.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.jbmi.zoid.forward.client.Launch;
import org.jbmi.zoid.forward.client.Zoid;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Requests above the threshold are announced, and brought one at a time. */
@Timeout(90)
class ThresholdTest {
    private static final int SENDERS = 3;
    private static final int CALLS = 8;
    private static final int LARGE_BYTES = 2_000_000;

    @TempDir Path folder;

    @AutoClose private final ExecutorService threads = Executors.newCachedThreadPool();

    private static ZoidSettings threshold(int packets) {
        return ZoidSettings.defaults().withThreshold(packets);
    }

    private static long pulledBytes(DaemonSetup setup) {
        return setup.serverBmi.counters().find("shipper.server.pulledBytes").get();
    }

    /** Eight packets of 240 bytes, as the original's configuration has it; and none for never. */
    @ParameterizedTest
    @CsvSource({"8,1920,false", "8,1921,true", "0,1921,false", "0,4100,false"})
    void aRequestIsAnnouncedFromTheThresholdOn(int packets, int bytes, boolean announced) {
        try (DaemonSetup setup = DaemonSetup.of("loopback", folder, threshold(packets));
                Zoid zoid = setup.client(Launch.NONE)) {
            HeldClient held = new HeldClient(zoid);
            held.say(1, "");
            int overhead = (int) zoid.traffic().sentBytes();
            assertThat(held.say(1, "x".repeat(bytes - overhead))).isEqualTo(-1);
            assertThat(zoid.traffic().sentBytes() - overhead).isEqualTo(bytes);
            assertThat(pulledBytes(setup) > 0).isEqualTo(announced);
        }
    }

    @Test
    void largeRequestsOfSeveralSendersAreBroughtOneAfterTheOther() throws Exception {
        Path file = folder.resolve("transfers.jfr");
        try (Recording recording = new Recording();
                DaemonSetup setup = DaemonSetup.of("loopback", folder, threshold(8))) {
            recording.enable("org.jbmi.BulkTransfer");
            recording.start();
            CyclicBarrier start = new CyclicBarrier(SENDERS);
            List<Future<?>> senders = new ArrayList<>();
            for (int i = 0; i < SENDERS; i++) {
                senders.add(threads.submit(() -> send(setup, start)));
            }
            for (Future<?> each : senders) {
                each.get(60, TimeUnit.SECONDS);
            }
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> pulls =
                RecordingFile.readAllEvents(file).stream()
                        .filter(event -> event.hasField("push") && !event.getBoolean("push"))
                        .sorted(Comparator.comparing(RecordedEvent::getStartTime))
                        .toList();
        assertThat(pulls).hasSize(SENDERS * CALLS);
        Instant end = Instant.EPOCH;
        for (RecordedEvent pull : pulls) {
            assertThat(pull.getLong("sizeBytes")).isEqualTo(LARGE_BYTES);
            assertThat(pull.getStartTime()).isAfterOrEqualTo(end);
            end = pull.getEndTime();
        }
    }

    private static Void send(DaemonSetup setup, CyclicBarrier start) throws Exception {
        try (Zoid zoid = setup.client(Launch.NONE);
                Arena arena = Arena.ofShared()) {
            HeldClient held = new HeldClient(zoid);
            MemorySegment in = arena.allocate(LARGE_BYTES);
            MemorySegment out = arena.allocate(LARGE_BYTES);
            start.await(30, TimeUnit.SECONDS);
            for (int i = 0; i < CALLS; i++) {
                assertThat(held.offsets(in, out, LARGE_BYTES)).isZero();
            }
        }
        return null;
    }
}
