package org.jbmi.mempool;

import org.jbmi.testsuite.support.ChildJvm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A second process for the tests: does one thing with a segment, and says on its output how far.
 */
final class SegmentChild implements AutoCloseable {
    static final long COUNT_OFFSET = 4096 + 512;
    static final long OWN_WORD = 4096;
    static final long PARENT_WORD = 4096 + 128;

    private final Process process;
    private final BufferedReader output;

    private SegmentChild(Process process) {
        this.process = process;
        this.output =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    static SegmentChild start(String... arguments) throws IOException {
        return new SegmentChild(ChildJvm.start(SegmentChild.class, List.of("-Xmx64m"), arguments));
    }

    String line() throws IOException {
        return output.readLine();
    }

    long pid() {
        return process.pid();
    }

    int awaitExit() throws InterruptedException {
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            throw new AssertionError("the child process does not end");
        }
        return process.exitValue();
    }

    void kill() {
        process.destroyForcibly();
        process.onExit().orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() throws IOException {
        kill();
        output.close();
    }

    public static void main(String[] args) throws Exception {
        Path file = Path.of(args[1]);
        switch (args[0]) {
            case "own" -> own(file);
            case "dieInCreation" -> dieInCreation(file);
            case "echo" -> echo(file, Integer.parseInt(args[2]));
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    /** Owns a segment until the input ends, then closes it. */
    private static void own(Path file) throws IOException {
        try (SharedSegment segment = SharedSegment.create(file, 64 << 10)) {
            segment.memory().setLongRelease(COUNT_OFFSET, 4711);
            System.out.println("ready " + segment.generation());
            while (System.in.read() >= 0) {
                continue;
            }
        }
    }

    /** Stops in the middle of a creation, to be killed there. */
    private static void dieInCreation(Path file) {
        SegmentOptions stuck =
                SegmentOptions.defaults()
                        .withInitializer(
                                _ -> {
                                    System.out.println("creating");
                                    awaitEndOfInput();
                                });
        SharedSegment.create(file, 64 << 10, stuck).close();
    }

    private static void awaitEndOfInput() {
        try {
            while (System.in.read() >= 0) {
                continue;
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Answers each count of the parent with its negative, asleep in between. */
    private static void echo(Path file, int rounds) {
        try (SharedSegment segment = SharedSegment.open(file)) {
            SharedMemory memory = segment.memory();
            FutexWaiting waiting = new FutexWaiting();
            WaitWord own = new WaitWord(memory, OWN_WORD, waiting);
            WaitWord parent = new WaitWord(memory, PARENT_WORD, waiting);
            int timeouts = 0;
            for (long i = 1; i <= rounds; i++) {
                int ticket = own.ticket();
                while (memory.getLongAcquire(COUNT_OFFSET) != i) {
                    if (!own.await(ticket, TimeUnit.SECONDS.toNanos(20))) {
                        timeouts++;
                    }
                    ticket = own.ticket();
                }
                memory.setLongRelease(COUNT_OFFSET, -i);
                parent.signal();
            }
            System.out.println("timeouts " + timeouts);
        }
    }
}
