package org.jbmi.zoidfs.server.pipeline;

import java.lang.foreign.MemorySegment;

/** One buffer of a read or write with the message that it carries now. */
final class DataMove {
    final DataCall owner;

    /** All of the buffer, as it was allocated. */
    final MemorySegment memory;

    /** The part that the present message takes. */
    MemorySegment message;

    /** Which message, counted from 0. */
    long index;

    /** Whether its content is there, for one that is read and waits to be sent in its turn. */
    boolean ready;

    /** Whether it has a message at all. */
    boolean loaded;

    /** Whether somebody else has it now: the posting stage, a worker, or the line to one. */
    boolean underWay;

    DataMove(DataCall owner, MemorySegment memory) {
        this.owner = owner;
        this.memory = memory;
        this.message = memory;
    }

    void carry(long newIndex, long sizeBytes) {
        index = newIndex;
        message = memory.asSlice(0, sizeBytes);
        ready = false;
        loaded = true;
    }
}
