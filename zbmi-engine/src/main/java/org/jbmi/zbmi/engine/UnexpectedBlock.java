package org.jbmi.zbmi.engine;

import org.jspecify.annotations.Nullable;

/** One block in the region for unexpected messages, and the message in it; a pooled record. */
final class UnexpectedBlock {
    /** Where it stands. */
    enum State {
        FREE,
        /** Granted; its client is, or may be, writing into it. */
        MOVING,
        /** Its message is whole, and waits for older ones of its client. */
        WHOLE,
        /** The server has it. */
        LENT,
        /** Granted, but its message will be dropped. */
        DOOMED,
        /** A server has it that may be gone. */
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
    @Nullable UnexpectedBlock previous;
    @Nullable UnexpectedBlock next;

    UnexpectedBlock() {}
}
