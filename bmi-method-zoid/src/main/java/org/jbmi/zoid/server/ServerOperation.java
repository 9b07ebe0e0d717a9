package org.jbmi.zoid.server;

import org.jbmi.zbmi.protocol.ServerPost;
import org.jbmi.zoid.common.Slot;
import org.jspecify.annotations.Nullable;

/**
 * A pending operation of the server.
 *
 * <pre>
 *   POSTING ----> REGISTERED ----> OVER     the usual way
 *      |  \           ^
 *      |   `-> SENT --'                     the post stopped waiting for the reply
 *      `-> QUEUED -^                        no memory for a temporary block
 * </pre>
 *
 * <p>The lock of the half guards it, except for the fields that one thread alone uses.
 */
final class ServerOperation extends Slot {
    /** Sent, or about to be. */
    static final int POSTING = 0;

    /** In the no-memory queue. */
    static final int QUEUED = 1;

    /** Sent; the reply will come as an event. */
    static final int SENT = 2;

    /** The engine has it; the completion will come as an event. */
    static final int REGISTERED = 3;

    /** The outcome is known. */
    static final int OVER = 4;

    /** No block. */
    static final long NONE = -1;

    /** The post message and its answer; the posting thread uses it. */
    final ServerPost post = new ServerPost();

    int state;

    /**
     * Whether a thread is inside its post: that thread decides the outcome, and leaves events of
     * that time in the slot until it has finished.
     */
    boolean inPost;

    /** Not 0 if it was cancelled before it was registered. */
    int cancelCode;

    /** Whether a deferred cancel must still be sent. */
    boolean cancelDue;

    /** Whether the engine was told of a cancel, or will be as soon as there is room. */
    boolean isCancelTold;

    /** The engine's id of it. */
    long zoidId;

    /** The outcome, once it is {@link #OVER}. */
    int outcome;

    long outcomeBytes;

    /** The offset of the payload in the segment. */
    long offset;

    /** The offset of its list, {@link #NONE} for none. */
    long listOffset;

    int listEntries;

    /** The temporary block for buffers outside of the pool, {@link #NONE} for none. */
    long temporary;

    /** How many bytes must be allocated for it. */
    long needBytes;

    /** Whether the operation's own buffers lie in the pool and are pinned. */
    boolean pinned;

    /** Its entry in the no-memory queue while it is {@link #QUEUED}. */
    NoMemoryQueue.@Nullable Entry<ServerOperation> entry;

    ServerOperation(int index) {
        super(index);
    }

    /** Whether it has a block that the program did not allocate. */
    boolean hasBlock() {
        return temporary != NONE || listOffset != NONE;
    }

    @Override
    protected void reset() {
        state = POSTING;
        inPost = true;
        cancelCode = 0;
        cancelDue = false;
        isCancelTold = false;
        zoidId = 0;
        outcome = 0;
        outcomeBytes = 0;
        offset = 0;
        listOffset = NONE;
        listEntries = 0;
        temporary = NONE;
        needBytes = 0;
        pinned = false;
        entry = null;
    }
}
