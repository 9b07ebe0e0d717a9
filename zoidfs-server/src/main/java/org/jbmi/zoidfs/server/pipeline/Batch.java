package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.files.FileFailure;
import org.jbmi.zoidfs.server.files.OpenFile;
import org.jbmi.zoidfs.server.observe.Fault;
import org.jbmi.zoidfs.server.observe.ServerCounters;
import org.jbmi.zoidfs.server.observe.ServerLog;
import org.jbmi.zoidfs.server.os.AtOnceCalls;
import org.jbmi.zoidfs.server.os.Errno;
import org.jbmi.zoidfs.server.os.SystemCalls;
import org.jbmi.zoidfs.server.pipeline.FileOperation.Piece;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** Reads of one file, or writes, run by one worker; adjacent pieces become one system call. */
final class Batch extends DiskTask {
    private final FileQueue queue;
    private final List<FileOperation> operations;
    private final boolean writing;
    private final ExportRoot root;
    private final ServerCounters counters;
    private final Consumer<Batch> whenDone;

    Batch(
            FileQueue queue,
            List<FileOperation> operations,
            ExportRoot root,
            ServerCounters counters,
            Consumer<Batch> whenDone) {
        this.queue = queue;
        this.operations = operations;
        this.writing = operations.get(0).kind == FileOperation.Kind.WRITE;
        this.root = root;
        this.counters = counters;
        this.whenDone = whenDone;
    }

    FileQueue queue() {
        return queue;
    }

    List<FileOperation> operations() {
        return operations;
    }

    boolean isReading() {
        return !writing;
    }

    long sizeBytes() {
        long sum = 0;
        for (FileOperation operation : operations) {
            sum += operation.sizeBytes();
        }
        return sum;
    }

    /**
     * Reads cached bytes, in the ordering stage.
     *
     * @return whether all bytes were read; if not, a worker reads the rest
     */
    boolean readAtOnce(AtOnceCalls calls, int file) {
        long begin = System.nanoTime();
        boolean whole = move((segments, count, at) -> calls.read(file, segments, count, at), true);
        if (whole) {
            end(begin);
        }
        return whole;
    }

    @Override
    void done() {
        for (int i = 0; i < operations.size(); i++) {
            FileOperation operation = operations.get(i);
            if (!operation.ended) {
                fail(operation, Status.OTHER);
            }
        }
        whenDone.accept(this);
    }

    @Override
    void run(SystemCalls calls) {
        long begin = System.nanoTime();
        try {
            OpenFile file = root.use(calls, queue.handle);
            try {
                int content = file.content(calls, writing);
                move((segments, count, at) -> moveOnce(calls, content, segments, count, at), false);
            } finally {
                root.release(calls, file);
            }
        } catch (FileFailure e) {
            operations.forEach(operation -> fail(operation, e.status()));
        } catch (RuntimeException | Error e) {
            operations.forEach(operation -> fail(operation, Status.OTHER));
            ServerLog.failed(Fault.FILE, e);
        }
        end(begin);
    }

    private void end(long beginNs) {
        if (!writing) {
            zeroTheRest();
        }
        long took = System.nanoTime() - beginNs;
        for (FileOperation operation : operations) {
            operation.diskNs += took;
            operation.ended = true;
        }
    }

    /** Clears the bytes that were not read: the server sends them too. */
    private void zeroTheRest() {
        for (FileOperation operation : operations) {
            for (Piece piece : operation.pieces) {
                if (piece.moved < piece.segment.byteSize()) {
                    piece.segment.asSlice(piece.moved).fill((byte) 0);
                }
            }
        }
    }

    private static void fail(FileOperation operation, int status) {
        if (operation.status == Status.OK) {
            operation.status = status;
        }
    }

    /** A system call that moves segments from or to one place of the file. */
    private interface Mover {
        long move(MemorySegment[] segments, int count, long offset);
    }

    /**
     * Moves all pieces; false if the system call would wait, which only calls of {@link
     * AtOnceCalls} report.
     */
    private boolean move(Mover mover, boolean atOnce) {
        List<Piece> pieces = new ArrayList<>();
        for (FileOperation operation : operations) {
            for (Piece piece : operation.pieces) {
                if (piece.end() < 0) {
                    if (writing) {
                        fail(operation, Status.FBIG);
                    }
                } else if (piece.segment.byteSize() > 0) {
                    pieces.add(piece);
                }
            }
        }
        // If pieces of one operation overlap, the last one wins, so they keep their order.
        if (operations.size() > 1
                && operations.stream().noneMatch(operation -> operation.overlaps)) {
            pieces.sort(Comparator.comparingLong(piece -> piece.offset));
        }
        int merged = 0;
        int from = 0;
        while (from < pieces.size()) {
            int to = from + 1;
            while (to < pieces.size()
                    && to - from < SystemCalls.MAX_SEGMENTS
                    && pieces.get(to).offset == pieces.get(to - 1).end()) {
                to++;
            }
            merged += to - from - 1;
            if (!moveRun(mover, pieces.subList(from, to), atOnce)) {
                return false;
            }
            from = to;
        }
        if (merged > 0) {
            counters.merged(merged);
        }
        return true;
    }

    /**
     * Moves adjacent pieces; repeats a short call until the end of the file. After an error each
     * operation has calls of its own, because the error may be of the bytes of one of them.
     */
    private boolean moveRun(Mover mover, List<Piece> run, boolean atOnce) {
        MemorySegment[] segments = new MemorySegment[run.size()];
        boolean apart = operations.size() == 1;
        // The next call begins after the bytes that are already moved.
        int first = 0;
        while (first < run.size() && run.get(first).isWhole()) {
            first++;
        }
        while (first < run.size()) {
            int count = 0;
            Piece head = run.get(first);
            for (Piece piece : run.subList(first, run.size())) {
                if (apart && piece.operation != head.operation) {
                    break;
                }
                segments[count++] = piece.segment.asSlice(piece.moved);
            }
            long offset = head.offset + head.moved;
            long moved = mover.move(segments, count, offset);
            if (moved < 0 && atOnce) {
                return false;
            }
            if (moved == -Errno.EINTR) {
                continue;
            }
            if (moved == 0 && !writing) {
                return true;
            }
            if (moved <= 0) {
                if (apart) {
                    int status = moved == 0 ? Status.IO : FileFailure.status(moved);
                    fail(Objects.requireNonNull(head.operation), status);
                    first += count;
                }
                apart = true;
                continue;
            }
            while (first < run.size() && moved > 0) {
                Piece piece = run.get(first);
                long part = Math.min(moved, piece.segment.byteSize() - piece.moved);
                piece.moved += part;
                moved -= part;
                if (piece.isWhole()) {
                    first++;
                }
            }
        }
        return true;
    }

    private long moveOnce(
            SystemCalls calls, int file, MemorySegment[] segments, int count, long offset) {
        if (count > 1) {
            return calls.moveList(writing, file, segments, count, offset);
        }
        return writing
                ? calls.write(file, segments[0], offset)
                : calls.read(file, segments[0], offset);
    }
}
