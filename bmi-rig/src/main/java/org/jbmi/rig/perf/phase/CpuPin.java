package org.jbmi.rig.perf.phase;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Pins threads to one processor with the program {@code taskset}. A thread that a pinned one starts
 * later is pinned too; the JVM's own threads are not.
 */
public final class CpuPin {
    /** No pinning. */
    public static final int ANYWHERE = -1;

    private static final Path THIS_THREAD = Path.of("/proc/thread-self");
    private static final long PATIENCE_SECONDS = 10;

    // Not static: it must end with this object.
    @SuppressWarnings("ThreadLocalUsage")
    private final ThreadLocal<Boolean> pinned = ThreadLocal.withInitial(() -> false);

    private final int cpu;

    /**
     * Makes a pin.
     *
     * @param cpu number of the processor, or {@link #ANYWHERE}
     */
    public CpuPin(int cpu) {
        this.cpu = cpu;
    }

    /**
     * Pins the calling thread to the processor, from the first call on.
     *
     * @throws IOException if that is not possible
     */
    public void pinOnce() throws IOException, InterruptedException {
        if (cpu == ANYWHERE || pinned.get()) {
            return;
        }
        pinned.set(true);
        String thread = Files.readSymbolicLink(THIS_THREAD).getFileName().toString();
        Process taskset =
                new ProcessBuilder("taskset", "-p", "-c", Integer.toString(cpu), thread)
                        .redirectErrorStream(true)
                        .start();
        String said =
                new String(taskset.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (!taskset.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || taskset.exitValue() != 0) {
            throw new IOException("A thread could not be kept on processor " + cpu + ": " + said);
        }
    }
}
