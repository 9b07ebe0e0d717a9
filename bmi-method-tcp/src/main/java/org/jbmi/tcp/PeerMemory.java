package org.jbmi.tcp;

import org.jbmi.mempool.MemoryPool;
import org.jbmi.mempool.PoolAllocator;
import org.jbmi.observe.Counter;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * Memory that peers fill: a pool with a bound for all and a bound for each, made when it is first
 * needed. A message is named by its offset; its block is never empty, so that no two messages begin
 * at the same address. A quarter of the pool is out of reach for peers that hold much already, so
 * that one flood does not lock the others out.
 *
 * <p>Guarded by its own monitor, under which nothing else is locked but the allocator.
 */
final class PeerMemory {
    private static final long NONE = PoolAllocator.NO_MEMORY;
    private static final int SMALL_SHARE = 16;

    private final long sizeBytes;
    private final long peerBytes;
    private final int index;
    private final Counter heldBytes;
    private @Nullable TcpPeer[] holders = new TcpPeer[0];
    private @Nullable MemoryPool pool;
    private boolean closed;

    /**
     * Memory of one kind.
     *
     * @param index of the kind's account in each peer
     */
    PeerMemory(long sizeBytes, long peerBytes, int index, Counter heldBytes) {
        this.sizeBytes = sizeBytes;
        this.peerBytes = peerBytes;
        this.index = index;
        this.heldBytes = heldBytes;
    }

    /** Takes memory for a peer; negative if there is none now. */
    synchronized long allocate(TcpPeer peer, long messageBytes) {
        if (closed || messageBytes > sizeBytes) {
            return NONE;
        }
        MemoryPool open = pool;
        if (open == null) {
            open = MemoryPool.privatePool(sizeBytes);
            pool = open;
            holders = new TcpPeer[Math.toIntExact(sizeBytes / PoolAllocator.ALIGNMENT_BYTES)];
        }
        PoolAllocator allocator = open.allocator();
        long held = peer.heldBytes[index];
        boolean small = held <= sizeBytes / SMALL_SHARE;
        if (held > 0 && held + messageBytes > peerBytes) {
            return NONE;
        }
        if (!small && allocator.freeBytes() - messageBytes < sizeBytes / 4) {
            return NONE;
        }
        long offset = allocator.allocate(Math.max(1, messageBytes));
        if (offset >= 0) {
            account(peer, allocator.blockSize(offset));
            holders[slot(offset)] = peer;
        }
        return offset;
    }

    /** Gives memory back. */
    synchronized void free(long offset) {
        MemoryPool open = pool;
        if (closed || open == null || offset < 0 || offset >= sizeBytes) {
            return;
        }
        TcpPeer peer = holders[slot(offset)];
        if (peer != null) {
            holders[slot(offset)] = null;
            account(peer, -open.allocator().blockSize(offset));
            open.allocator().free(offset);
        }
    }

    /** Where the bytes lie; only while something is allocated. */
    synchronized MemorySegment segment() {
        MemoryPool open = pool;
        if (open == null) {
            throw new IllegalStateException("No message was ever kept here.");
        }
        return open.segment();
    }

    synchronized void close() {
        if (!closed) {
            closed = true;
            MemoryPool open = pool;
            if (open != null) {
                heldBytes.add(-open.allocator().usedBytes());
                open.close();
            }
        }
    }

    private void account(TcpPeer peer, long bytes) {
        peer.heldBytes[index] += bytes;
        heldBytes.add(bytes);
    }

    private static int slot(long offset) {
        return (int) (offset / PoolAllocator.ALIGNMENT_BYTES);
    }
}
