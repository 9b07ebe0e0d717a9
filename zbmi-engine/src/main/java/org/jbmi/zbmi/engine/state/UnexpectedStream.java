package org.jbmi.zbmi.engine.state;

import org.jbmi.spi.IntrusiveList;
import org.jspecify.annotations.Nullable;

/**
 * The unexpected messages of one client, in order. First come those that are accepted and not yet
 * handed to the server; behind them those that wait for memory or for their transfer. It is listed
 * while its client waits for memory, or in {@link ClientSession#ready} for a grant.
 */
public final class UnexpectedStream extends GrantStream {
    public final IntrusiveList<Operation> pending = new IntrusiveList<>();
    public final IntrusiveList<UnexpectedBlock> accepted = new IntrusiveList<>();

    /** The chunk from which its next block is cut, if there is room in it. */
    public UnexpectedRegion.@Nullable Chunk currentChunk;

    public int heldChunks;

    public UnexpectedStream(ClientSession client) {
        super(client);
    }

    /** Whether its next message waits for memory. */
    public boolean waitsForMemory() {
        return isListed() && !client.ready.contains(this);
    }
}
