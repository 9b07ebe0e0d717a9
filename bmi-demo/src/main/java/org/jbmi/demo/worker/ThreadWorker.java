package org.jbmi.demo.worker;

import org.jbmi.tools.cli.Sentences;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A worker that is a thread of this process. */
public final class ThreadWorker implements Worker, WorkerChannel {
    private static final int MAX_COMMANDS = 64;

    private final String name;
    private final WorkerListener listener;
    private final BlockingQueue<WorkerCommand> commands = new LinkedBlockingQueue<>(MAX_COMMANDS);
    private final Thread thread;
    private volatile boolean stopped;

    private ThreadWorker(String name, Role role, WorkerListener listener) {
        this.name = name;
        this.listener = listener;
        thread = Thread.ofPlatform().name("demo " + name).daemon().unstarted(() -> work(role));
    }

    /** Starts a worker. */
    public static ThreadWorker start(String name, Role role, WorkerListener listener) {
        ThreadWorker worker = new ThreadWorker(name, role, listener);
        worker.thread.start();
        return worker;
    }

    private void work(Role role) {
        String how = "ended";
        try {
            role.work(this);
        } catch (Exception | Error e) {
            how = "failed";
            tell(WorkerEvent.of(WorkerEvent.Kind.FAILED, Sentences.of(e)));
        } finally {
            tell(WorkerEvent.of(WorkerEvent.Kind.ENDED, how));
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void command(WorkerCommand command) {
        stopped = stopped || command == WorkerCommand.QUIT;
        commands.add(command);
    }

    @Override
    public boolean awaitEnd(long timeoutMs) throws InterruptedException {
        return thread.join(Duration.ofMillis(timeoutMs));
    }

    @Override
    public void kill() {
        stopped = true;
        thread.interrupt();
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
    public void tell(WorkerEvent event) {
        listener.heard(this, event);
    }
}
