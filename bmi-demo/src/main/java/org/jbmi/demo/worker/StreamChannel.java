package org.jbmi.demo.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Commands and events over the standard streams of a process. */
final class StreamChannel implements WorkerChannel {
    private static final int MAX_COMMANDS = 64;

    private final BufferedReader in;
    private final PrintStream out;
    private final BlockingQueue<WorkerCommand> commands = new LinkedBlockingQueue<>(MAX_COMMANDS);
    private volatile boolean stopped;
    private volatile boolean orphaned;

    StreamChannel(InputStream in, PrintStream out) {
        this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        this.out = out;
    }

    /** Reads commands until there are no more; then stops the worker. */
    void pump() {
        try {
            String line = in.readLine();
            while (line != null && takes(WorkerCommand.parse(line))) {
                line = in.readLine();
            }
            orphaned = line == null && !stopped;
        } catch (IOException e) {
            tell(WorkerEvent.of(WorkerEvent.Kind.SAID, "It cannot hear: " + e.getMessage() + "."));
        }
        stop();
    }

    private boolean takes(WorkerCommand command) {
        return command != WorkerCommand.QUIT && commands.offer(command);
    }

    /** Whether the coordinator has gone without a command to end. */
    boolean isOrphaned() {
        return orphaned;
    }

    /** Tells the worker to end. */
    void stop() {
        stopped = true;
        commands.clear();
        commands.add(WorkerCommand.QUIT);
    }

    @Override
    public WorkerCommand next() throws InterruptedException {
        return commands.take();
    }

    @Override
    public boolean isStopped() {
        return stopped;
    }

    @Override
    public synchronized void tell(WorkerEvent event) {
        out.println(event.line());
        out.flush();
    }
}
