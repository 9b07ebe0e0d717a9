package org.jbmi.zbmi.engine;

import org.jspecify.annotations.Nullable;

/** A part of the region for unexpected messages that one client has at a time. */
final class Chunk {
    final int index;

    /** Who has it; null if it is free, or if its client is gone and only blocks in it are left. */
    @Nullable UnexpectedStream owner;

    /** Bytes cut off so far. */
    int used;

    /** Blocks in it that are not free. */
    int live;

    Chunk(int index) {
        this.index = index;
    }
}
