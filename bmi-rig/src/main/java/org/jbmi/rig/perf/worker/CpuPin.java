package org.jbmi.rig.perf.worker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Keeps threads on one processor, by way of the program {@code taskset}. Threads that a pinned one
 * starts later stay there as well; those of the virtual machine go where they like.
 */
public final class CpuPin {
    /** Keeps nothing anywhere. */
    public static final int ANYWHERE = -1;

    private static final Path THIS_THREAD = Path.of("/proc/thread-self");
    private static final long PATIENCE_SECONDS = 10;

    // One for each instance, not static: it dies with this object.
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
     * Keeps the calling thread on the processor from now on.
     *
     * @throws IOException if that cannot be done
     * @throws InterruptedException if the thread is interrupted
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
