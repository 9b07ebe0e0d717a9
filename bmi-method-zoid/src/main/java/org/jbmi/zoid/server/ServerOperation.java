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
 *      |   `-> SENT --'                     nobody waits for the reply any more
 *      `-> QUEUED -^                        no memory for a temporary block
 * </pre>
 *
 * <p>All of it with the lock of the half held, but for what a thread has in its own hands.
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

    /** What its post says, and the answer to that; the posting thread's. */
    final ServerPost post = new ServerPost();

    int state;

    /**
     * Whether a thread is at posting it: that thread has the last word, and events that come in
     * between are left for it to find.
     */
    boolean inPost;

    /** Not 0 if it was cancelled before it was registered. */
    int cancelCode;

    /** Whether a deferred cancel must still be sent. */
    boolean cancelDue;

    /** Whether the engine has been told of a cancel, or will be as soon as there is room. */
    boolean isCancelTold;

    /** The engine's name of it. */
    long zoidId;

    /** The outcome, once it is {@link #OVER}. */
    int outcome;

    long outcomeBytes;

    /** Where the payload is, in the segment. */
    long offset;

    /** Where its list is, {@link #NONE} for none. */
    long listOffset;

    int listEntries;

    /** The temporary block of foreign buffers, {@link #NONE} for none. */
    long temporary;

    /** What must be allocated for it. */
    long needBytes;

    /** Whether the operation's own buffers lie in the pool and are pinned. */
    boolean pinned;

    /** Its place in the no-memory queue while it is {@link #QUEUED}. */
    NoMemoryQueue.@Nullable Entry<ServerOperation> entry;

    ServerOperation(int index) {
        super(index);
    }

    /** Whether it has a block that is not the program's. */
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
