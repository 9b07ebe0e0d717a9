package org.jbmi.zbmi.engine;

import org.jbmi.spi.LinkedNode;
import org.jspecify.annotations.Nullable;

/** One block in the region for unexpected messages, and the message in it; a pooled record. */
final class UnexpectedBlock extends LinkedNode {
    /** The state of a block. */
    enum State {
        FREE,
        /** Granted; its client is, or may be, writing into it. */
        MOVING,
        /** Its message is complete, and waits for older ones of its client. */
        WHOLE,
        /** The server holds it. */
        LENT,
        /** Granted, but its message will be dropped. */
        DOOMED,
        /** A server that may still live holds it. */
        STRANDED
    }

    State state = State.FREE;
    UnexpectedRegion.@Nullable Chunk chunk;
    long offset;
    long bytes;
    int client;
    int generation;
    int tag;
    int messageClass;

    UnexpectedBlock() {}
}
