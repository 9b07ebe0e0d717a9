package org.jbmi.zbmi.engine.state;

import org.jbmi.spi.LinkedNode;
import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * An offer to a client to move bytes. They move between an operation of the client and one of the
 * server, or into a block for an unexpected message. There is one record for each of the client's
 * grant slots.
 */
public final class Grant extends LinkedNode {
    public final int slot;

    public long id;
    public boolean inUse;

    /** Its number in its window. */
    public int index;

    /** Known to be claimed, since its window has been closed and it has left it. */
    public boolean claimed;

    public long bytes;
    public @Nullable GrantStream stream;

    /** Null when the client has been forgotten while it may still be moving. */
    public @Nullable Operation clientOperation;

    /** Null for an unexpected message, and when the server has been forgotten meanwhile. */
    public @Nullable Operation serverOperation;

    public @Nullable UnexpectedBlock block;

    public Grant(int slot) {
        this.slot = slot;
    }

    /** Whether the message is too long for the client's receive to which it is offered. */
    public boolean isTooLong() {
        Operation receive = clientOperation;
        return receive != null && receive.kind == Operation.Kind.RECEIVE && bytes > receive.bytes;
    }

    public GrantStream stream() {
        return Objects.requireNonNull(stream, "a grant that is not in use");
    }
}
