package org.jbmi.zbmi.engine;

import org.jspecify.annotations.Nullable;

/**
 * The unexpected messages of one client, in order. First come those that are accepted and not yet
 * handed to the server; behind them those that wait for memory or for their transfer.
 */
final class UnexpectedStream extends GrantStream {
    final OperationList pending = new OperationList();
    final BlockList accepted = new BlockList();

    /** The chunk from which its next block is cut, if there is room in it. */
    UnexpectedRegion.@Nullable Chunk currentChunk;

    int heldChunks;

    /** Links of the ring of clients that wait for memory. */
    boolean isWaiting;

    @Nullable UnexpectedStream ringPrevious;
    @Nullable UnexpectedStream ringNext;

    UnexpectedStream(ClientSession client) {
        super(client);
    }
}
