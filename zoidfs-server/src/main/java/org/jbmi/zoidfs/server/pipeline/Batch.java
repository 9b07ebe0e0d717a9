package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.zoidfs.protocol.Status;
import org.jbmi.zoidfs.server.files.ExportRoot;
import org.jbmi.zoidfs.server.files.FileFailure;
import org.jbmi.zoidfs.server.files.OpenFile;
import org.jbmi.zoidfs.server.observe.ServerCounters;
import org.jbmi.zoidfs.server.observe.ServerLog;
import org.jbmi.zoidfs.server.os.Errno;
import org.jbmi.zoidfs.server.os.SystemCalls;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** Reads of one file, or writes, run by one worker; pieces that touch become one system call. */
final class Batch extends DiskTask {
    private final Lane lane;
    private final List<LaneOperation> operations;
    private final boolean writing;
    private final ExportRoot root;
    private final ServerCounters counters;
    private final Consumer<Batch> whenDone;

    Batch(
            Lane lane,
            List<LaneOperation> operations,
            ExportRoot root,
            ServerCounters counters,
            Consumer<Batch> whenDone) {
        this.lane = lane;
        this.operations = operations;
        this.writing = operations.get(0).kind == LaneOperation.Kind.WRITE;
        this.root = root;
        this.counters = counters;
        this.whenDone = whenDone;
    }

    Lane lane() {
        return lane;
    }

    List<LaneOperation> operations() {
        return operations;
    }

    @Override
    void done() {
        whenDone.accept(this);
    }

    @Override
    void run(SystemCalls calls) {
        long begin = System.nanoTime();
        try {
            OpenFile file = root.use(calls, lane.handle);
            try {
                move(calls, file.content(calls, writing));
            } finally {
                root.release(calls, file);
            }
        } catch (FileFailure e) {
            operations.forEach(operation -> fail(operation, e.status()));
        } catch (RuntimeException | Error e) {
            operations.forEach(operation -> fail(operation, Status.OTHER));
            ServerLog.failed("A worker failed on a file", e);
        }
        if (!writing) {
            zeroTheRest();
        }
        long took = System.nanoTime() - begin;
        operations.forEach(operation -> operation.diskNs = took);
    }

    /** What was not read is sent all the same, and must not be what the memory held before. */
    private void zeroTheRest() {
        for (LaneOperation operation : operations) {
            for (Piece piece : operation.pieces) {
                if (piece.moved < piece.segment.byteSize()) {
                    piece.segment.asSlice(piece.moved).fill((byte) 0);
                }
            }
        }
    }

    private static void fail(LaneOperation operation, int status) {
        if (operation.status == Status.OK) {
            operation.status = status;
        }
    }

    private void move(SystemCalls calls, int file) {
        List<Piece> pieces = new ArrayList<>();
        for (LaneOperation operation : operations) {
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
        // Pieces of one operation may overlap: then the last one wins, so their order must stay.
        if (operations.size() > 1) {
            pieces.sort(Comparator.comparingLong(piece -> piece.offset));
        }
        int from = 0;
        while (from < pieces.size()) {
            int to = from + 1;
            while (to < pieces.size()
                    && to - from < SystemCalls.MAX_SEGMENTS
                    && pieces.get(to).offset == pieces.get(to - 1).end()) {
                to++;
            }
            if (to - from > 1) {
                counters.merged(to - from - 1);
            }
            moveRun(calls, file, pieces.subList(from, to));
            from = to;
        }
    }

    /** Moves pieces that touch; what one call leaves is tried again until an error or the end. */
    private void moveRun(SystemCalls calls, int file, List<Piece> run) {
        MemorySegment[] segments = new MemorySegment[run.size()];
        int first = 0;
        while (first < run.size()) {
            int count = 0;
            for (int i = first; i < run.size(); i++) {
                Piece piece = run.get(i);
                segments[count++] = piece.segment.asSlice(piece.moved);
            }
            Piece head = run.get(first);
            long offset = head.offset + head.moved;
            long moved = moveOnce(calls, file, segments, count, offset);
            if (moved == -Errno.EINTR) {
                continue;
            }
            if (moved <= 0) {
                if (moved < 0 || writing) {
                    int status = moved == 0 ? Status.IO : FileFailure.status(moved);
                    for (Piece piece : run.subList(first, run.size())) {
                        fail(Objects.requireNonNull(piece.operation), status);
                    }
                }
                return;
            }
            while (first < run.size() && moved > 0) {
                Piece piece = run.get(first);
                long part = Math.min(moved, piece.segment.byteSize() - piece.moved);
                piece.moved += part;
                moved -= part;
                if (piece.moved == piece.segment.byteSize()) {
                    first++;
                }
            }
        }
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
