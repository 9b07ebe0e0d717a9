package org.jbmi.zoid.daemon.launch;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.time.Duration;

/**
 * A thread that passes on what a process writes, until the process has closed its side. If it
 * cannot be written, the thread closes the pipe, and the process gets SIGPIPE when it writes.
 */
public final class Pump {
    /** Small, because a job may have thousands of ranks. */
    private static final long STACK_BYTES = 256 << 10;

    private final Thread thread;

    /** Whether the pipe is empty. */
    private volatile boolean waits;

    private volatile boolean lost;

    /**
     * Starts the thread.
     *
     * @param from what the process writes
     * @param to gets it, whole lines at a time
     */
    public Pump(InputStream from, PrintStream to) {
        // A read of a pipe keeps the carrier of a virtual thread, and there are 256 at most.
        this.thread =
                Thread.ofPlatform()
                        .name("zoid-pump")
                        .daemon()
                        .stackSize(STACK_BYTES)
                        .start(() -> run(from, new Lines(to)));
    }

    private void run(InputStream from, Lines lines) {
        byte[] piece = new byte[8192];
        try (from) {
            int count;
            do {
                waits = from.available() == 0;
                count = from.read(piece);
                waits = false;
                lines.write(piece, count);
                lost = lines.isLost();
            } while (count >= 0 && !lost);
        } catch (IOException e) {
            // The process has ended, and with it its output.
        }
        lines.flush();
    }

    /**
     * Whether it has output that is not written yet. It has none either for a moment before it sees
     * the end.
     *
     * @return false if it waits for the process, and after its end
     */
    public boolean delivers() {
        return thread.isAlive() && !waits;
    }

    /**
     * Whether output could not be written. If the process gets SIGPIPE for that, this is true
     * before.
     *
     * @return whether a write has failed
     */
    public boolean isLost() {
        return lost;
    }

    /**
     * Waits for the end.
     *
     * @param patience how long at most
     * @throws InterruptedException if the thread is interrupted
     */
    public void join(Duration patience) throws InterruptedException {
        thread.join(patience);
    }
}
