package org.jbmi.benchmarks.aeron;

import io.aeron.Aeron;
import io.aeron.CommonContext;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.jbmi.rig.perf.baseline.Baseline;
import org.jbmi.rig.perf.baseline.Link;
import org.jbmi.rig.perf.phase.WaitMode;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Two publications over Aeron's shared memory, one each way. The media driver runs in the answering
 * process, on a thread that sleeps while it has no work; messages do not pass through it.
 */
public final class AeronIpc implements Baseline {
    private static final int MAX_BYTES = 1 << 20;
    private static final int TERM_BYTES = 16 << 20;
    private static final int REQUESTS = 1001;
    private static final int REPLIES = 1002;
    private static final long SPINS = 10;
    private static final long YIELDS = 20;
    private static final long SHORTEST_PARK_NS = 1000;
    private static final long LONGEST_PARK_US = 1000;

    @Override
    public String name() {
        return "aeron";
    }

    @Override
    public List<String> jvmOptions() {
        return List.of(
                "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow");
    }

    @Override
    public String setup(WaitMode waiting) {
        return "Aeron "
                + version()
                + " IPC, exclusive publications, terms of 16 MiB; driver embedded in the answering"
                + " process, one thread for all of it that backs off to 1 ms and is not pinned;"
                + " both sides "
                + (waiting.isBlocking() ? "look again each 20 us" : "busy spin");
    }

    private static String version() {
        String found = Aeron.class.getPackage().getImplementationVersion();
        return found == null ? "" : found;
    }

    @Override
    public int maxBytes() {
        return MAX_BYTES;
    }

    @Override
    public Link listen(Meeting meeting) throws IOException {
        MediaDriver driver =
                MediaDriver.launch(
                        new MediaDriver.Context()
                                .aeronDirectoryName(directory(meeting))
                                .dirDeleteOnStart(true)
                                .dirDeleteOnShutdown(true)
                                .threadingMode(ThreadingMode.SHARED)
                                .sharedIdleStrategy(
                                        new BackoffIdleStrategy(
                                                SPINS,
                                                YIELDS,
                                                SHORTEST_PARK_NS,
                                                TimeUnit.MICROSECONDS.toNanos(LONGEST_PARK_US)))
                                .ipcTermBufferLength(TERM_BYTES));
        return new AeronLink(connect(meeting, REPLIES, REQUESTS), driver);
    }

    @Override
    public Link connect(Meeting meeting) throws IOException {
        return new AeronLink(connect(meeting, REQUESTS, REPLIES), null);
    }

    private static AeronLink.Streams connect(Meeting meeting, int out, int in) {
        Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(directory(meeting)));
        return new AeronLink.Streams(
                aeron,
                aeron.addExclusivePublication(CommonContext.IPC_CHANNEL, out),
                aeron.addSubscription(CommonContext.IPC_CHANNEL, in),
                meeting.waiting());
    }

    private static String directory(Meeting meeting) {
        return meeting.directory() + "/aeron";
    }
}
