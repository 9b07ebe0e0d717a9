package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.zoidfs.protocol.Status;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** An operation on one file; operations on the same bytes keep their order. */
final class FileOperation {
    /** Which operations may run at the same time. */
    enum Kind {
        /** Beside other reads, and writes elsewhere. */
        READ,
        /** Alone on its bytes. */
        WRITE,
        /** Alone on the file. */
        EXCLUSIVE
    }

    /** A piece of a message that is one piece of a file. */
    static final class Piece {
        /** The index of its region in the request. */
        final int region;

        final long offset;
        final MemorySegment segment;

        /** The operation of this piece, once it has one. */
        @Nullable FileOperation operation;

        /** How many bytes were read or written. */
        long moved;

        Piece(int region, long offset, MemorySegment segment) {
            this.region = region;
            this.offset = offset;
            this.segment = segment;
        }

        /** Whether all of it was read or written. */
        boolean isWhole() {
            return moved == segment.byteSize();
        }

        /** Its end; below 0 if that is beyond the longest file. */
        long end() {
            return offset < 0 ? -1 : offset + segment.byteSize();
        }
    }

    final Kind kind;
    final List<Piece> pieces;

    /** For an exclusive operation: its task. */
    final @Nullable DiskTask task;

    /** Called in the ordering stage when it is over. */
    final Runnable whenOver;

    final long begin;
    final long end;

    /** Whether pieces of a write overlap, so that their order decides about the bytes. */
    final boolean overlaps;

    /**
     * Whether it depends on the length of the file. Then it waits for earlier writes behind the
     * bytes that it reads too, because the server may have answered them already.
     */
    boolean seesEnd;

    int status = Status.OK;
    long diskNs;

    /** Whether its batch came to its end. If not, bytes that were not read are perhaps no zeros. */
    boolean ended;

    private FileOperation(
            Kind kind, List<Piece> pieces, @Nullable DiskTask task, Runnable whenOver) {
        this.kind = kind;
        this.pieces = pieces;
        this.task = task;
        this.whenOver = whenOver;
        long low = Long.MAX_VALUE;
        long high = 0;
        for (Piece piece : pieces) {
            piece.operation = this;
            // Bytes beyond the longest file conflict with no operation.
            low = Math.min(low, piece.offset < 0 ? Long.MAX_VALUE : piece.offset);
            high = Math.max(high, piece.end());
        }
        begin = low;
        end = high;
        overlaps = kind == Kind.WRITE && overlap(pieces);
    }

    private static boolean overlap(List<Piece> pieces) {
        if (pieces.size() < 2) {
            return false;
        }
        List<Piece> sorted = new ArrayList<>(pieces);
        sorted.sort(Comparator.comparingLong(piece -> piece.offset));
        for (int i = 1; i < sorted.size(); i++) {
            if (sorted.get(i).offset < sorted.get(i - 1).end()) {
                return true;
            }
        }
        return false;
    }

    static FileOperation moving(boolean writing, List<Piece> pieces, Runnable whenOver) {
        return new FileOperation(writing ? Kind.WRITE : Kind.READ, pieces, null, whenOver);
    }

    static FileOperation exclusive(DiskTask task, Runnable whenOver) {
        return new FileOperation(Kind.EXCLUSIVE, List.of(), task, whenOver);
    }

    boolean conflictsWith(FileOperation other) {
        if (kind == Kind.EXCLUSIVE || other.kind == Kind.EXCLUSIVE) {
            return true;
        }
        if (kind == other.kind) {
            return kind == Kind.WRITE && begin < other.end && other.begin < end;
        }
        FileOperation read = kind == Kind.READ ? this : other;
        FileOperation write = kind == Kind.READ ? other : this;
        return read.begin < write.end && (read.seesEnd || write.begin < read.end);
    }

    long sizeBytes() {
        long sum = 0;
        for (Piece piece : pieces) {
            sum += piece.segment.byteSize();
        }
        return sum;
    }
}
