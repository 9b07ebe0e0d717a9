package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.ErrorCode;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/** A slot of the ring to the ordering stage. */
final class Inbound {
    /** The kind of event. */
    enum Kind {
        /** A request arrived. */
        REQUEST,
        /** A message of data was sent or received. */
        MOVED,
        /** A worker is done. */
        WORKED,
        /** There may be a result in the inbox. */
        TICK
    }

    Kind kind = Kind.TICK;
    @Nullable Call call;
    @Nullable MemorySegment message;
    @Nullable DataMove move;
    @Nullable DiskTask task;
    ErrorCode outcome = ErrorCode.SUCCESS;
    long sizeBytes;

    /** Whether the poller has put it here; its events keep their order. */
    boolean polled;

    Inbound() {}

    void clear() {
        call = null;
        message = null;
        move = null;
        task = null;
        polled = false;
    }
}
