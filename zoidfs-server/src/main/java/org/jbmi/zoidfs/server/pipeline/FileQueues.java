package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.spi.HashMaps;
import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Operation;
import org.jbmi.zoidfs.protocol.Request;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.files.WriteErrors;
import org.jbmi.zoidfs.server.observe.Fault;
import org.jbmi.zoidfs.server.observe.ServerCounters;
import org.jbmi.zoidfs.server.observe.ServerLog;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The queues of operations on files. They gather operations, of any client, into batches while
 * workers are busy with the file. Operations on the same bytes keep their order. Only one batch of
 * a file writes at a time, because a file system allows one writer and others would wait for its
 * lock. Owned by the ordering stage.
 */
final class FileQueues {
    /**
     * The most batches of one file with the workers, if there are at least twice as many workers.
     */
    private static final int MAX_BATCHES = 4;

    private static final int MAX_BATCH_OPERATIONS = 16;

    /**
     * In a longer batch a saved system call would matter little, and the first operations would
     * wait for the last.
     */
    private static final long MAX_BATCH_BYTES = 1 << 20;

    /** Of longer batches the stage reads at most one itself, after the workers have the others. */
    private static final long LONG_BYTES = 128 << 10;

    /** How many waiting operations to examine for a batch. */
    private static final int WINDOW = 128;

    private static final int MOST_ERRORS = 65_536;

    /** Errors of writes that were answered before they were in their files. */
    final WriteErrors errors = new WriteErrors(MOST_ERRORS);

    private final ExportRoot root;
    private final ServerCounters counters;
    private final Consumer<DiskTask> workers;
    private final Quick quick;

    /** At most half of the workers serve one file, so that some are left for other files. */
    private final int batchesOfAFile;

    private final Map<FileHandle, FileQueue> queues = HashMaps.prepared(new HashMap<>());

    /** The queues to visit; to add one takes no memory. */
    private final IntrusiveQueue<FileQueue> marked = new IntrusiveQueue<>();

    private long nextTidyingNs;
    private boolean isTidying;

    /** A long batch that the stage may read itself, after it has started all others. */
    private @Nullable Batch last;

    FileQueues(
            ExportRoot root,
            ServerCounters counters,
            int workerCount,
            Consumer<DiskTask> workers,
            Quick quick) {
        this.root = root;
        this.batchesOfAFile = Math.clamp(workerCount / 2, 1, MAX_BATCHES);
        this.counters = counters;
        this.workers = workers;
        this.quick = quick;
        this.nextTidyingNs = System.nanoTime() + idleFileNs();
    }

    private long idleFileNs() {
        return TimeUnit.MILLISECONDS.toNanos(root.idleFileMs());
    }

    /** Runs batches that need no disk. */
    interface Quick {
        /** Runs one; false if a worker must run it, or the rest of it. */
        boolean run(Batch batch, FileHandle handle);
    }

    /** The queue of a file, or null if nothing is under way on it. */
    @Nullable FileQueue find(FileHandle handle) {
        return queues.get(handle);
    }

    /** The queue of a file, added if there is none; {@link #settle} removes it. */
    FileQueue of(FileHandle handle) {
        return queues.computeIfAbsent(handle, FileQueue::new);
    }

    /**
     * The queue for an operation that must have its file for itself; null for another operation.
     * The former must see earlier writes, or not overtake them, and no write may overtake it.
     */
    @Nullable FileQueue ofExclusive(Request request) {
        FileHandle handle = request.handle();
        if (handle == null) {
            return null;
        }
        if (request.operation() == Operation.COMMIT || request.operation() == Operation.RESIZE) {
            return of(handle);
        }
        FileQueue queue = find(handle);
        return queue != null && queue.unwritten > 0 ? queue : null;
    }

    void submit(FileQueue queue, FileOperation operation) {
        mark(queue);
        queue.waiting.add(operation);
    }

    private void mark(FileQueue queue) {
        if (!queue.marked) {
            queue.marked = true;
            marked.addLast(queue);
        }
    }

    private @Nullable FileQueue takeMarked() {
        FileQueue queue = marked.poll();
        if (queue != null) {
            queue.marked = false;
        }
        return queue;
    }

    /** Starts batches; called when the stage has handled all events. */
    void flush() {
        do {
            for (FileQueue queue = takeMarked(); queue != null; queue = takeMarked()) {
                boolean isStarted = false;
                try {
                    start(queue);
                    isStarted = true;
                } finally {
                    if (!isStarted) {
                        mark(queue);
                    }
                }
            }
        } while (ranLast());
    }

    private boolean ranLast() {
        Batch batch = last;
        last = null;
        return batch != null && ran(batch);
    }

    /** Takes the error of earlier writes of a file, for one commit; OK if there is none. */
    int takeError(FileQueue queue) {
        int stored = errors.take(queue.handle);
        int own = queue.error;
        queue.error = Status.OK;
        return stored == Status.OK ? own : stored;
    }

    /** Removes a queue without operations. */
    void settle(FileQueue queue) {
        if (queue.isIdle()) {
            // Not a newer queue of the same file.
            queues.remove(queue.handle, queue);
        }
    }

    private void start(FileQueue queue) {
        while (queue.batches < batchesOfAFile) {
            List<FileOperation> chosen = choose(queue);
            if (chosen.isEmpty()) {
                break;
            }
            start(queue, chosen);
        }
        settle(queue);
    }

    private void start(FileQueue queue, List<FileOperation> chosen) {
        FileOperation first = chosen.get(0);
        DiskTask task = first.task;
        // First what needs memory: an operation that is in no list would have no end.
        DiskTask whole =
                task == null
                        ? new Batch(queue, chosen, root, counters, this::over)
                        : new Exclusive(queue, first, task);
        queue.running.addAll(chosen);
        for (int i = 0; i < chosen.size(); i++) {
            queue.waiting.remove(chosen.get(i));
        }
        queue.batches++;
        queue.isWriting |= first.kind == FileOperation.Kind.WRITE;
        if (whole instanceof Batch batch) {
            run(batch);
        } else {
            whole.give(workers);
        }
    }

    private void run(Batch batch) {
        if (!batch.isReading() || batch.sizeBytes() <= LONG_BYTES) {
            ran(batch);
        } else if (last == null) {
            last = batch;
        } else {
            batch.give(workers);
        }
    }

    /** Runs a batch here, or gives it to a worker and returns false. */
    private boolean ran(Batch batch) {
        boolean isOver = false;
        try {
            isOver = quick.run(batch, batch.queue().handle);
        } catch (RuntimeException | OutOfMemoryError e) {
            ServerLog.failed(Fault.FILE, e); // a worker runs the rest
        }
        if (isOver) {
            over(batch);
        } else {
            batch.give(workers);
        }
        return isOver;
    }

    private static List<FileOperation> choose(FileQueue queue) {
        List<FileOperation> chosen = new ArrayList<>();
        List<FileOperation> passed = new ArrayList<>();
        long bytes = 0;
        int seen = 0;
        for (FileOperation operation : queue.waiting) {
            if (++seen > WINDOW || chosen.size() == MAX_BATCH_OPERATIONS) {
                break;
            }
            boolean fits =
                    chosen.isEmpty()
                            ? !queue.isWriting || operation.kind != FileOperation.Kind.WRITE
                            : operation.kind == chosen.get(0).kind
                                    && bytes + operation.sizeBytes() <= MAX_BATCH_BYTES;
            if (fits
                    && conflictsWithNone(operation, queue.running)
                    && conflictsWithNone(operation, passed)
                    && conflictsWithNone(operation, chosen)) {
                chosen.add(operation);
                bytes += operation.sizeBytes();
            } else {
                passed.add(operation);
            }
            if (operation.kind == FileOperation.Kind.EXCLUSIVE) {
                break;
            }
        }
        return chosen;
    }

    private static boolean conflictsWithNone(FileOperation operation, List<FileOperation> others) {
        for (FileOperation other : others) {
            if (operation.conflictsWith(other)) {
                return false;
            }
        }
        return true;
    }

    private void over(Batch batch) {
        over(batch.queue(), batch.operations());
    }

    private void over(FileQueue queue, List<FileOperation> operations) {
        queue.batches--;
        queue.isWriting &= operations.get(0).kind != FileOperation.Kind.WRITE;
        queue.running.removeAll(operations);
        for (int i = 0; i < operations.size(); i++) {
            try {
                operations.get(i).whenOver.run();
            } catch (RuntimeException | OutOfMemoryError e) {
                ServerLog.failed(Fault.FILE_OPERATION_END, e);
            }
        }
        mark(queue);
    }

    /**
     * From time to time a worker closes files that no call uses, and finds out which files with
     * errors are gone: nobody commits these.
     */
    void tidy() {
        if (!isTidying
                && System.nanoTime() - nextTidyingNs >= 0
                && (root.openFiles() > 0 || !errors.isEmpty())) {
            workers.accept(new Tidying());
            // Not before: if there is no memory for the task, a later pass tries again.
            isTidying = true;
        }
    }

    /** Closes files that nobody uses, and forgets the errors of files that are gone. */
    private final class Tidying extends DiskTask {
        private final List<FileHandle> gone = new ArrayList<>();
        private final List<FileHandle> withErrors = errors.files();

        @Override
        void run(SystemCalls calls) {
            try {
                root.closeUnused(calls);
                for (FileHandle file : withErrors) {
                    if (root.isGone(calls, file)) {
                        gone.add(file);
                    }
                }
            } catch (RuntimeException | Error e) {
                ServerLog.failed(Fault.UNUSED_FILES, e);
            }
        }

        @Override
        void done() {
            isTidying = false;
            nextTidyingNs = System.nanoTime() + idleFileNs();
            gone.forEach(errors::take);
            // There may be memory now for errors that their queues kept.
            queues.values().removeIf(FileQueues.this::hasHandedItsErrorOver);
        }
    }

    /** Whether a queue kept an error that is with the others now, and has nothing else. */
    private boolean hasHandedItsErrorOver(FileQueue queue) {
        if (queue.error == Status.OK) {
            return false;
        }
        queue.handErrorTo(errors);
        return queue.isIdle();
    }

    /** A task that has the file for itself. */
    private final class Exclusive extends DiskTask {
        private final FileQueue queue;
        private final List<FileOperation> operations;
        private final DiskTask task;

        Exclusive(FileQueue queue, FileOperation operation, DiskTask task) {
            this.queue = queue;
            this.operations = List.of(operation);
            this.task = task;
        }

        @Override
        @Nullable Call call() {
            return task.call();
        }

        @Override
        void begin() {
            task.begin();
        }

        @Override
        void run(SystemCalls calls) {
            task.run(calls);
        }

        @Override
        void done() {
            over(queue, operations);
        }
    }
}
