package org.jbmi.zoidfs.server.pipeline;

import java.lang.foreign.MemorySegment;

/** One buffer of a read or write, and its present message. */
final class DataMove {
    final DataCall owner;

    /** The whole buffer. */
    final MemorySegment memory;

    /** The part that the present message takes. */
    MemorySegment message;

    /** Which message, counted from 0. */
    long index;

    /** Whether the message waits for its turn: to be sent, or to be written. */
    boolean ready;

    /** Whether it has a message. */
    boolean loaded;

    /** Whether another stage or a worker has it, or will get it. */
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
