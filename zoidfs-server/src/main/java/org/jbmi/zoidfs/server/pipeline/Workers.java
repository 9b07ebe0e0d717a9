package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.os.SystemCalls;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The threads that wait for the disk. What is queued is bounded by what the ordering stage admits.
 * What was done a worker tells in a turn of its own as that stage, or by the ring.
 */
final class Workers {
    /** Takes turns as the ordering stage. */
    interface Stage {
        /** Tells it of a task that was run; false if it is taken just now. */
        boolean worked(DiskTask task);
    }

    /** Ends a worker. */
    private static final class End extends DiskTask {
        @Override
        void run(SystemCalls calls) {}

        @Override
        void done() {}
    }

    private final BlockingQueue<DiskTask> queue = new LinkedBlockingQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Feed feed;

    Workers(Feed feed) {
        this.feed = feed;
    }

    void start(int count, ExportRoot root, SystemCalls calls, Stage stage) {
        for (int i = 0; i < count; i++) {
            SystemCalls own = calls.forOtherThread();
            threads.add(
                    Thread.ofPlatform()
                            .name("zoidfs-disk-" + i)
                            .daemon()
                            .start(() -> work(root, own, stage)));
        }
    }

    void submit(DiskTask task) {
        queue.add(task);
    }

    int queued() {
        return queue.size();
    }

    private void work(ExportRoot root, SystemCalls calls, Stage stage) {
        if (!root.enter(calls)) {
            throw new IllegalStateException("The rights of the user are not given any more");
        }
        while (true) {
            DiskTask task;
            try {
                task = queue.take();
            } catch (InterruptedException e) {
                continue;
            }
            if (task instanceof End) {
                return;
            }
            task.run(calls);
            if (!stage.worked(task)) {
                feed.worked(task);
            }
        }
    }

    void close() throws InterruptedException {
        for (int i = 0; i < threads.size(); i++) {
            queue.add(new End());
        }
        for (Thread thread : threads) {
            thread.join(5_000);
        }
    }
}
