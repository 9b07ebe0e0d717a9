package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.observe.Fault;
import org.jbmi.zoidfs.server.observe.ServerLog;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The threads that wait for the disk. The ordering stage limits the number of queued tasks. A
 * worker that has finished a task runs the ordering stage for a pass to report it, or else reports
 * it through the ring.
 */
final class Workers {
    /** The ordering stage, as a worker uses it. */
    interface Stage {
        /** Reports a finished task; false if the stage runs in another thread. */
        boolean worked(DiskTask task);
    }

    /** Ends a worker. */
    private static final class End extends DiskTask {
        @Override
        void run(SystemCalls calls) {}

        @Override
        void done() {}
    }

    private static final long END_NS = TimeUnit.SECONDS.toNanos(5);

    private final BlockingQueue<DiskTask> queue = new LinkedBlockingQueue<>();
    private final List<Worker> threads = new ArrayList<>();
    private final Feed feed;

    Workers(Feed feed) {
        this.feed = feed;
    }

    void start(int count, ExportRoot root, SystemCalls calls, Stage stage) {
        for (int i = 0; i < count; i++) {
            Worker worker = new Worker("zoidfs-disk-" + i, root, calls.forOtherThread(), stage);
            threads.add(worker);
            worker.start();
        }
    }

    /** Adds a task; called by the thread that runs the ordering stage. */
    void submit(DiskTask task) {
        boolean isKept = Thread.currentThread() instanceof Worker worker && worker.keeps(task);
        if (!isKept) {
            queue.add(task);
        }
    }

    int queued() {
        return queue.size();
    }

    /** A worker thread. */
    private final class Worker extends Thread {
        private final ExportRoot root;
        private final SystemCalls calls;
        private final Stage stage;

        /**
         * The next task, which this worker gave itself in its turn: no thread must be woken for it.
         */
        private @Nullable DiskTask next;

        private boolean isStage;

        Worker(String name, ExportRoot root, SystemCalls calls, Stage stage) {
            super(name);
            this.root = root;
            this.calls = calls;
            this.stage = stage;
            setDaemon(true);
        }

        /** Keeps the first task of its turn, unless other tasks wait for a worker. */
        boolean keeps(DiskTask task) {
            if (!isStage || next != null || !queue.isEmpty()) {
                return false;
            }
            next = task;
            return true;
        }

        @Override
        public void run() {
            if (!root.enter(calls)) {
                throw new IllegalStateException("The rights of the user are not given any more");
            }
            while (true) {
                DiskTask task = next;
                next = null;
                try {
                    task = task == null ? queue.take() : task;
                } catch (InterruptedException e) {
                    continue;
                }
                if (task instanceof End) {
                    return;
                }
                try {
                    task.run(calls);
                } catch (RuntimeException | Error e) {
                    ServerLog.failed(Fault.WORKER, e);
                }
                try {
                    tell(task);
                } catch (RuntimeException | Error e) {
                    // The stage has seen it. This thread has other tasks.
                    ServerLog.failed(Fault.WORKER, e);
                }
            }
        }

        private void tell(DiskTask task) {
            isStage = true;
            boolean isTold;
            try {
                isTold = stage.worked(task);
            } finally {
                isStage = false;
            }
            if (!isTold) {
                feed.worked(task);
            }
        }
    }

    /** Tells the threads to end, behind the tasks that wait. */
    void end() {
        for (int i = 0; i < threads.size(); i++) {
            queue.add(new End());
        }
    }

    /** Waits a limited time for the ends of all threads together. */
    void join() throws InterruptedException {
        long deadlineNs = System.nanoTime() + END_NS;
        for (Worker thread : threads) {
            thread.join(Duration.ofNanos(deadlineNs - System.nanoTime()));
        }
    }

    /** Whether a thread still waits for a disk. */
    boolean areAlive() {
        return threads.stream().anyMatch(Thread::isAlive);
    }
}
