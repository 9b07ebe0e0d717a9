package org.jbmi.zoid.server;

import org.jbmi.observe.Counter;
import org.jbmi.zbmi.protocol.ServerEvents;
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
    /** In the no-memory queue. */
    static final int QUEUED = 2;

    /** Sent; the reply will come as an event. */
    static final int SENT = 3;

    /** The engine has it; the completion will come as an event. */
    static final int REGISTERED = 4;

    /** No block. */
    static final long NONE = -1;

    /** The post message and its answer; the posting thread uses it. */
    final ServerPost post = new ServerPost();

    /** Whether a deferred cancel must still be sent. */
    boolean cancelDue;

    /** Whether the engine was told of a cancel, or will be as soon as there is room. */
    boolean isCancelTold;

    /** The engine's id of it. */
    long zoidId;

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

    ServerOperation(int index, Counter protocolErrors) {
        super(index, protocolErrors);
    }

    /**
     * Takes the answer to its post.
     *
     * @param kind of {@link ServerEvents}
     * @param value its value, see {@link ServerEvents#answer}; it is checked
     */
    void take(int kind, long value) {
        switch (kind) {
            case ServerEvents.REGISTERED -> {
                zoidId = value;
                state = REGISTERED;
            }
            case ServerEvents.POST_COMPLETED -> over(0, value);
            case ServerEvents.POST_REFUSED -> over(codeOf((int) value), 0);
            default -> over(codeOf(0), 0);
        }
    }

    /** Whether it has a block that the program did not allocate. */
    boolean hasBlock() {
        return temporary != NONE || listOffset != NONE;
    }

    @Override
    protected void reset() {
        super.reset();
        cancelDue = false;
        isCancelTold = false;
        zoidId = 0;
        offset = 0;
        listOffset = NONE;
        listEntries = 0;
        temporary = NONE;
        needBytes = 0;
        pinned = false;
        entry = null;
    }
}
