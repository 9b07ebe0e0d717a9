package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.files.FileFailure;
import org.jbmi.zoidfs.server.files.OpenFile;
import org.jbmi.zoidfs.server.observe.Fault;
import org.jbmi.zoidfs.server.observe.ServerLog;
import org.jbmi.zoidfs.server.os.SystemCalls;

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
        if (queue.awaitingEnd.isEmpty()) {
            SizeTask task = new SizeTask(queue);
            queues.submit(queue, FileOperation.exclusive(task, () -> found(queue, task, next)));
        }
        queue.awaitingEnd.add(data);
    }

    private void found(FileQueue queue, SizeTask task, Consumer<DataCall> next) {
        boolean isPlaced = true;
        try {
            placeAll(queue, task);
        } catch (RuntimeException | OutOfMemoryError e) {
            ServerLog.failed(Fault.APPEND_PLACES, e);
            isPlaced = false;
        }
        for (DataCall data = queue.awaitingEnd.poll();
                data != null;
                data = queue.awaitingEnd.poll()) {
            if (!isPlaced) {
                data.fail(Status.OTHER);
            }
            try {
                next.accept(data);
            } catch (RuntimeException | OutOfMemoryError e) {
                ServerLog.failed(Fault.APPEND_GOES_ON, e);
            }
        }
    }

    private static void placeAll(FileQueue queue, SizeTask task) {
        if (task.status == Status.OK) {
            queue.appendEnd = behindAll(queue, task.size);
        }
        // All have their offsets before one goes on: the end is unknown again when the last is
        // over.
        for (DataCall data : queue.awaitingEnd) {
            if (task.status == Status.OK) {
                give(queue, data);
            } else {
                data.fail(task.status);
            }
        }
        if (queue.appends.isEmpty()) {
            queue.appendEnd = FileQueue.UNKNOWN;
        }
    }

    /**
     * The end of a file, of unfinished appends and of writes that wait: the server may have
     * answered such a write.
     */
    private static long behindAll(FileQueue queue, long sizeBytes) {
        long end = sizeBytes;
        for (DataCall data : queue.appends) {
            end = Math.max(end, data.appendOffset + data.transfer.totalBytes());
        }
        for (FileOperation operation : queue.waiting) {
            if (operation.kind == FileOperation.Kind.WRITE) {
                end = Math.max(end, operation.end);
            }
        }
        return end;
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
        queue.appendEnd = behindAll(queue, sizeBytes);
    }

    /** Another write may have moved the end. */
    void written(FileQueue queue, long end) {
        if (queue.appendEnd != FileQueue.UNKNOWN) {
            queue.appendEnd = Math.max(queue.appendEnd, end);
        }
    }

    /**
     * A write has failed, so the file may not be as long as the server thought. The next append
     * asks for its length again, and does not come behind an append that has failed.
     */
    void failed(FileQueue queue, DataCall data) {
        queue.appends.remove(data);
        queue.appendEnd = FileQueue.UNKNOWN;
    }

    /**
     * A call is over; after the last append the end is unknown. Also after one whose data has not
     * come, so that the next append leaves no room for it.
     */
    void over(DataCall data) {
        FileQueue queue = data.queue;
        if (queue != null && data.appendOffset != FileQueue.UNKNOWN) {
            queue.appends.remove(data);
            boolean isWhole = data.movedBytes() == data.transfer.totalBytes();
            if (!isWhole || queue.appends.isEmpty()) {
                queue.appendEnd = FileQueue.UNKNOWN;
            }
        }
    }

    /** Asks for the length of a file. */
    private final class SizeTask extends DiskTask {
        private final FileQueue queue;
        int status = Status.OTHER;
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
                    status = Status.OK;
                } finally {
                    root.release(calls, file);
                }
            } catch (FileFailure e) {
                status = e.status();
            } catch (RuntimeException | Error e) {
                ServerLog.failed(Fault.FILE_LENGTH, e);
            }
        }

        @Override
        void done() {}
    }
}
