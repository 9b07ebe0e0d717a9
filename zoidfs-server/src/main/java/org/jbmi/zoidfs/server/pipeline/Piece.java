package org.jbmi.zoidfs.server.pipeline;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/** A piece of a message that is one piece of a file. */
final class Piece {
    /** Which region of the request it belongs to. */
    final int region;

    final long offset;
    final MemorySegment segment;

    /** The operation that it is part of, once it is. */
    @Nullable LaneOperation operation;

    /** How many bytes were read or written. */
    long moved;

    Piece(int region, long offset, MemorySegment segment) {
        this.region = region;
        this.offset = offset;
        this.segment = segment;
    }

    /** Where it ends; below 0 if that is beyond what a file can have. */
    long end() {
        return offset < 0 ? -1 : offset + segment.byteSize();
    }
}
