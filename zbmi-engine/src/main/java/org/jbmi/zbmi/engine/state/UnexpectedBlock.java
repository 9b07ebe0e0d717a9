package org.jbmi.zbmi.engine.state;

import org.jbmi.spi.LinkedNode;
import org.jspecify.annotations.Nullable;

/**
 * One block of memory for unexpected messages, and the message in it; a pooled record. The block
 * lies in the region for unexpected messages, or is an eager slot that its client has lent.
 */
public final class UnexpectedBlock extends LinkedNode {
    /** The state of a block. */
    public enum State {
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

    public State state = State.FREE;

    /** The eager slot that it is; -1 for a block of the region. */
    public int slot = -1;

    public UnexpectedRegion.@Nullable Chunk chunk;
    public long offset;
    public long bytes;
    public int client;
    public int generation;
    public int tag;
    public int messageClass;

    public UnexpectedBlock() {}
}
