package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.os.SystemCalls;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The threads that wait for the disk. What is queued is bounded by what the ordering stage admits.
 */
final class Workers {
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

    Workers(int count, ExportRoot root, SystemCalls calls, Feed feed) {
        this.feed = feed;
        for (int i = 0; i < count; i++) {
            SystemCalls own = calls.forOtherThread();
            threads.add(
                    Thread.ofPlatform()
                            .name("zoidfs-disk-" + i)
                            .daemon()
                            .start(() -> work(root, own)));
        }
    }

    void submit(DiskTask task) {
        queue.add(task);
    }

    int queued() {
        return queue.size();
    }

    private void work(ExportRoot root, SystemCalls calls) {
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
            feed.worked(task);
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
