package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.zoidfs.protocol.FileHandle;
import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.observe.ServerCounters;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Gathers operations on each file into batches. Operations on the same bytes keep their order;
 * others, of any client, are gathered while workers are busy with the file. One batch of a file
 * writes at a time: file systems allow one writer, and others would wait for its lock. Owned by the
 * ordering stage.
 */
final class Lanes {
    /**
     * The most batches of one file with the workers, if there are at least twice as many workers.
     */
    private static final int MAX_BATCHES = 4;

    private static final int MAX_BATCH_OPERATIONS = 16;

    /**
     * With more bytes a saved system call does not matter, and the first operations wait for the
     * last.
     */
    private static final long MAX_BATCH_BYTES = 1 << 20;

    /** The stage itself reads one longer batch at most, after workers have the others. */
    private static final long LONG_BYTES = 128 << 10;

    /** How many operations behind one that must wait are considered. */
    private static final int WINDOW = 128;

    /** Errors that no commit asks for are dropped, the oldest first. */
    private static final int MAX_STORED = 65_536;

    private final ExportRoot root;
    private final ServerCounters counters;
    private final Consumer<DiskTask> workers;
    private final Quick quick;

    /** At most half of the workers serve one file, so that some are left for other files. */
    private final int batchesOfAFile;

    private final Map<FileHandle, Lane> lanes = new HashMap<>();
    private final Map<FileHandle, Lane> failed = new LinkedHashMap<>();
    private final List<Lane> marked = new ArrayList<>();

    /** A long batch that the stage may read itself, after all others were started. */
    private @Nullable Batch last;

    Lanes(
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
    }

    /** Runs batches that need no disk. */
    interface Quick {
        /** Runs one; false if a worker must run it, or the rest of it. */
        boolean run(Batch batch, FileHandle handle);
    }

    /** The lane of a file, or null if nothing is under way on it. */
    @Nullable Lane find(FileHandle handle) {
        return lanes.get(handle);
    }

    /** The lane of a file, added if there is none; {@link #settle} removes it. */
    Lane of(FileHandle handle) {
        return lanes.computeIfAbsent(handle, Lane::new);
    }

    void submit(Lane lane, LaneOperation operation) {
        lane.waiting.add(operation);
        mark(lane);
    }

    private void mark(Lane lane) {
        if (!lane.marked) {
            lane.marked = true;
            marked.add(lane);
        }
    }

    /** Starts batches; called when the stage has handled all events. */
    void flush() {
        do {
            for (int i = 0; i < marked.size(); i++) {
                Lane lane = marked.get(i);
                lane.marked = false;
                start(lane);
            }
            marked.clear();
        } while (ranLast());
    }

    private boolean ranLast() {
        Batch batch = last;
        last = null;
        return batch != null && ran(batch);
    }

    /** Keeps an error for the next commit. */
    void store(Lane lane, int status) {
        if (lane.storedStatus == Status.OK) {
            lane.storedStatus = status;
            failed.put(lane.handle, lane);
            if (failed.size() > MAX_STORED) {
                Iterator<Lane> oldest = failed.values().iterator();
                Lane forgotten = oldest.next();
                oldest.remove();
                forgotten.storedStatus = Status.OK;
                settle(forgotten);
            }
        }
    }

    /** The error that was kept, reported once. */
    int takeStored(Lane lane) {
        int status = lane.storedStatus;
        lane.storedStatus = Status.OK;
        failed.remove(lane.handle);
        return status;
    }

    /** Removes a lane without operations. */
    void settle(Lane lane) {
        if (lane.isIdle() && lane.storedStatus == Status.OK) {
            // Not a newer lane of the same file.
            lanes.remove(lane.handle, lane);
        }
    }

    private void start(Lane lane) {
        while (lane.batches < batchesOfAFile) {
            List<LaneOperation> chosen = choose(lane);
            if (chosen.isEmpty()) {
                break;
            }
            lane.waiting.removeAll(chosen);
            lane.running.addAll(chosen);
            lane.batches++;
            LaneOperation first = chosen.get(0);
            lane.isWriting |= first.kind == LaneOperation.Kind.WRITE;
            DiskTask task = first.task;
            if (task != null) {
                workers.accept(new Exclusive(lane, first, task));
            } else {
                run(new Batch(lane, chosen, root, counters, this::over));
            }
        }
        settle(lane);
    }

    private void run(Batch batch) {
        if (!batch.isReading() || batch.sizeBytes() <= LONG_BYTES) {
            ran(batch);
        } else if (last == null) {
            last = batch;
        } else {
            workers.accept(batch);
        }
    }

    /** Whether a batch was run here; if not, a worker has it. */
    private boolean ran(Batch batch) {
        boolean isOver = quick.run(batch, batch.lane().handle);
        if (isOver) {
            over(batch);
        } else {
            workers.accept(batch);
        }
        return isOver;
    }

    private static List<LaneOperation> choose(Lane lane) {
        List<LaneOperation> chosen = new ArrayList<>();
        List<LaneOperation> passed = new ArrayList<>();
        long bytes = 0;
        int seen = 0;
        for (LaneOperation operation : lane.waiting) {
            if (++seen > WINDOW || chosen.size() == MAX_BATCH_OPERATIONS) {
                break;
            }
            boolean fits =
                    chosen.isEmpty()
                            ? !lane.isWriting || operation.kind != LaneOperation.Kind.WRITE
                            : operation.kind == chosen.get(0).kind
                                    && bytes + operation.sizeBytes() <= MAX_BATCH_BYTES;
            if (fits
                    && conflictsWithNone(operation, lane.running)
                    && conflictsWithNone(operation, passed)
                    && conflictsWithNone(operation, chosen)) {
                chosen.add(operation);
                bytes += operation.sizeBytes();
            } else {
                passed.add(operation);
            }
            if (operation.kind == LaneOperation.Kind.EXCLUSIVE) {
                break;
            }
        }
        return chosen;
    }

    private static boolean conflictsWithNone(LaneOperation operation, List<LaneOperation> others) {
        for (LaneOperation other : others) {
            if (operation.conflictsWith(other)) {
                return false;
            }
        }
        return true;
    }

    private void over(Batch batch) {
        over(batch.lane(), batch.operations());
    }

    private void over(Lane lane, List<LaneOperation> operations) {
        lane.batches--;
        lane.isWriting &= operations.get(0).kind != LaneOperation.Kind.WRITE;
        lane.running.removeAll(operations);
        for (LaneOperation operation : operations) {
            operation.whenOver.run();
        }
        mark(lane);
    }

    /** A task that has the file for itself. */
    private final class Exclusive extends DiskTask {
        private final Lane lane;
        private final LaneOperation operation;
        private final DiskTask task;

        Exclusive(Lane lane, LaneOperation operation, DiskTask task) {
            this.lane = lane;
            this.operation = operation;
            this.task = task;
        }

        @Override
        void run(SystemCalls calls) {
            task.run(calls);
        }

        @Override
        void done() {
            over(lane, List.of(operation));
        }
    }
}
