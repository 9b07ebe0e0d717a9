package org.jbmi.zbmi.engine;

import org.jbmi.spi.LinkedNode;
import org.jspecify.annotations.Nullable;

/**
 * An offer to a client to move bytes: between an operation of its own and one of the server's, or
 * into a block for an unexpected message. One record for each of the client's grant slots.
 */
final class Grant extends LinkedNode {
    final int slot;

    long id;
    boolean inUse;

    /** Its number in its window. */
    int index;

    /** Known to be claimed, since its window has been closed and it has left it. */
    boolean claimed;

    long bytes;
    @Nullable GrantStream stream;

    /** Null when the client has been forgotten while it may still be moving. */
    @Nullable Operation clientOperation;

    /** Null for an unexpected message, and when the server has been forgotten meanwhile. */
    @Nullable Operation serverOperation;

    @Nullable UnexpectedBlock block;

    Grant(int slot) {
        this.slot = slot;
    }

    /** Whether the message is too long for the client's receive to which it is offered. */
    boolean isTooLong() {
        Operation receive = clientOperation;
        return receive != null && receive.kind == Operation.Kind.RECEIVE && bytes > receive.bytes;
    }

    GrantStream stream() {
        GrantStream of = stream;
        if (of == null) {
            throw new IllegalStateException("a grant that is not in use");
        }
        return of;
    }
}
