package org.jbmi.testsuite.support;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A process of its own that reads and prints lines of text. */
public final class LineProcess implements AutoCloseable {
    private static final long EXIT_SECONDS = 15;

    /** What the queue says when no line follows; no line is empty. */
    private static final String END = "";

    private final Process process;
    private final Writer in;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final Thread pump;

    private LineProcess(Process process) {
        this.process = process;
        in = process.outputWriter(StandardCharsets.UTF_8);
        pump = Thread.ofPlatform().daemon().name("lines-" + process.pid()).start(this::pump);
    }

    /**
     * Starts a process. What it prints on standard error goes to that of this process.
     *
     * @param command its command line
     * @return the process, to be closed
     * @throws IOException if it cannot be started
     */
    public static LineProcess start(List<String> command) throws IOException {
        return new LineProcess(
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    private void pump() {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line; (line = reader.readLine()) != null; ) {
                if (!line.isEmpty()) {
                    lines.add(line);
                }
            }
        } catch (IOException e) {
            // It was killed in the middle of a line.
        }
        lines.add(END);
    }

    /** {@return the process, perhaps one that has ended} */
    public Process process() {
        return process;
    }

    /**
     * Sends a line to its standard input.
     *
     * @param line without the end of the line
     * @throws IOException if the process does not read any more
     */
    public void tell(String line) throws IOException {
        in.write(line + "\n");
        in.flush();
    }

    /**
     * Waits for the next line that is not empty.
     *
     * @param seconds how long at most
     * @return the line, or null if none came in time or the process has ended
     * @throws InterruptedException if the thread is interrupted meanwhile
     */
    public @Nullable String next(long seconds) throws InterruptedException {
        String line = lines.poll(seconds, TimeUnit.SECONDS);
        if (END.equals(line)) {
            lines.add(END); // for the next one who asks
            return null;
        }
        return line;
    }

    /** {@return whether it has ended and all its lines were taken} */
    public boolean hasEnded() {
        return END.equals(lines.peek());
    }

    /**
     * Ends its standard input.
     *
     * @throws IOException if that fails
     */
    public void endInput() throws IOException {
        in.close();
    }

    /** Sends it a signal that it cannot ignore. */
    public void kill() {
        // By its handle: destroying a Process closes its streams under the reading thread.
        process.toHandle().destroyForcibly();
    }

    /**
     * Waits for its end, and for the last of its lines.
     *
     * @return whether it has ended; false after a while
     */
    public boolean awaitExit() {
        try {
            if (!process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS)) {
                return false;
            }
            pump.join();
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !process.isAlive();
        }
    }

    /**
     * Ends it, however it is. An interrupted thread waits for that end too, which comes at once.
     */
    @Override
    public void close() {
        kill();
        boolean wasInterrupted = Thread.interrupted();
        awaitExit();
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
