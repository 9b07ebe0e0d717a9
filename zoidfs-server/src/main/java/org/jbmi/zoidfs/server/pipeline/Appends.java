package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.files.FileFailure;
import org.jbmi.zoidfs.server.files.OpenFile;
import org.jbmi.zoidfs.server.observe.ServerLog;
import org.jbmi.zoidfs.server.os.SystemCalls;

import java.util.List;
import java.util.function.Consumer;

/**
 * Gives each append an offset of its own at the end of the file. While appends are under way it
 * computes the end from them; otherwise a worker reads the end from the file. Owned by the ordering
 * stage.
 */
final class Appends {
    private final ExportRoot root;
    private final FileQueues queues;

    Appends(ExportRoot root, FileQueues queues) {
        this.root = root;
        this.queues = queues;
    }

    /** Finds the offset of an append, and then continues the append. */
    void place(DataCall data, Consumer<DataCall> next) {
        FileQueue queue = queues.of(data.handle);
        if (queue.appendEnd != FileQueue.UNKNOWN) {
            give(queue, data);
            next.accept(data);
            return;
        }
        queue.awaitingEnd.add(data);
        if (queue.awaitingEnd.size() == 1) {
            SizeTask task = new SizeTask(queue);
            queues.submit(queue, FileOperation.exclusive(task, () -> found(queue, task, next)));
        }
    }

    private void found(FileQueue queue, SizeTask task, Consumer<DataCall> next) {
        List<DataCall> all = List.copyOf(queue.awaitingEnd);
        queue.awaitingEnd.clear();
        queue.appendEnd = task.status == Status.OK ? task.size : FileQueue.UNKNOWN;
        for (DataCall data : all) {
            if (task.status == Status.OK) {
                give(queue, data);
            } else {
                data.fail(task.status);
            }
            next.accept(data);
        }
    }

    private static void give(FileQueue queue, DataCall data) {
        long total = data.transfer.totalBytes();
        if (queue.appendEnd + total < 0) {
            data.fail(Status.FBIG);
            return;
        }
        data.appendOffset = queue.appendEnd;
        queue.appendEnd += total;
        queue.appends.add(data);
    }

    /**
     * The file has a new length. Unfinished appends and writes keep their offsets, so the next
     * append comes after them.
     */
    void resized(FileQueue queue, long sizeBytes) {
        if (queue.appendEnd == FileQueue.UNKNOWN) {
            return;
        }
        long end = sizeBytes;
        for (DataCall data : queue.appends) {
            end = Math.max(end, data.appendOffset + data.transfer.totalBytes());
        }
        for (FileOperation operation : queue.waiting) {
            if (operation.kind == FileOperation.Kind.WRITE) {
                end = Math.max(end, operation.end);
            }
        }
        queue.appendEnd = end;
    }

    /** Another write may have moved the end. */
    void written(FileQueue queue, long end) {
        if (queue.appendEnd != FileQueue.UNKNOWN) {
            queue.appendEnd = Math.max(queue.appendEnd, end);
        }
    }

    /** A call is over; after the last append the end is unknown. */
    void over(DataCall data) {
        FileQueue queue = data.queue;
        if (queue != null && data.appendOffset != FileQueue.UNKNOWN) {
            queue.appends.remove(data);
            if (queue.appends.isEmpty()) {
                queue.appendEnd = FileQueue.UNKNOWN;
            }
        }
    }

    /** Asks for the length of a file. */
    private final class SizeTask extends DiskTask {
        private final FileQueue queue;
        int status = Status.OK;
        long size;

        SizeTask(FileQueue queue) {
            this.queue = queue;
        }

        @Override
        void run(SystemCalls calls) {
            try {
                OpenFile file = root.use(calls, queue.handle);
                try {
                    size = file.size(calls);
                } finally {
                    root.release(calls, file);
                }
            } catch (FileFailure e) {
                status = e.status();
            } catch (RuntimeException | Error e) {
                status = Status.OTHER;
                ServerLog.failed("A worker failed on the length of a file", e);
            }
        }

        @Override
        void done() {}
    }
}
