package org.jbmi.zoid.server;

import static org.jbmi.zoid.server.ServerOperation.NONE;

import org.jbmi.ErrorCode;
import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.pool.MemoryPool;
import org.jbmi.mempool.pool.PoolAllocator;
import org.jbmi.observe.Counter;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.spi.Payloads;
import org.jbmi.zbmi.protocol.ServerRequests;
import org.jbmi.zoid.common.SessionFailure;
import org.jbmi.zoid.common.SessionGuard;

import java.lang.foreign.MemorySegment;

/**
 * Finds a place in the segment for the payload of a server's operation. If the program's own
 * buffers lie in the pool, it pins them and uses them in place. Otherwise it takes a temporary
 * block, which costs a copy.
 *
 * <p>The lock of the half guards the pool, too, so that a pin costs no lock of its own. Of several
 * buffers each is pinned by itself, since the lock is held for a moment only.
 */
final class Placement {
    private static final System.Logger LOG = System.getLogger(Placement.class.getName());
    private static final long PREFERRED_ALIGNMENT = 16;

    private final MemoryPool pool;
    private final PoolAllocator allocator;
    private final SessionGuard guard;
    private final SharedMemory memory;
    private final Payloads payloads;
    private final Counter unaligned;

    Placement(MemoryPool pool, SharedMemory memory, ServerCounters counters, SessionGuard guard) {
        this.guard = guard;
        this.pool = pool;
        this.allocator = pool.allocator();
        this.memory = memory;
        this.payloads = new Payloads(counters.copies);
        this.unaligned = counters.unaligned;
    }

    /** Where a buffer lies in the segment; negative if it is not in the pool. Needs no lock. */
    long offsetOf(MemorySegment buffer) {
        if (buffer.address() % PREFERRED_ALIGNMENT != 0) {
            return -1; // to be counted
        }
        return pool.offsetOf(buffer);
    }

    /**
     * Checks an operation's buffers, and pins them if all lie in the pool.
     *
     * @param isHeld whether the lock is held, and there is one buffer
     * @return how many bytes must be allocated for it, or a negative code
     */
    long prepare(ServerOperation slot, boolean isHeld) {
        Operation operation = slot.operation();
        slot.offset = allocator.baseOffset();
        if (operation.sizeBytes() == 0 && !operation.poolOnly()) {
            return 0;
        }
        int pieces = pin(slot, operation, isHeld);
        if (pieces < 0) {
            if (operation.poolOnly()) {
                return ErrorCode.EINVAL.negativeValue();
            }
            return checked(slot, operation.sizeBytes(), isHeld);
        }
        slot.listEntries = pieces > 1 ? pieces : 0;
        return checked(slot, (long) slot.listEntries * ServerRequests.LIST_ENTRY_BYTES, isHeld);
    }

    private long checked(ServerOperation slot, long needBytes, boolean isHeld) {
        if (needBytes > allocator.capacityBytes()) {
            unpin(slot, isHeld);
            return ErrorCode.ENOMEM.negativeValue();
        }
        return needBytes;
    }

    // Returns how many buffers have bytes, or -1 if not all lie in the pool.
    private int pin(ServerOperation slot, Operation operation, boolean isHeld) {
        int pieces = 0;
        for (int i = 0; i < operation.bufferCount(); i++) {
            MemorySegment buffer = operation.buffer(i);
            if (buffer.address() % PREFERRED_ALIGNMENT != 0) {
                unaligned.increment();
            }
            if (buffer.byteSize() == 0 && !operation.poolOnly()) {
                continue;
            }
            lock(isHeld);
            long offset = pool.pin(buffer);
            unlock(isHeld);
            if (offset < 0) {
                unpinFirst(operation, i, isHeld);
                return -1;
            }
            if (buffer.byteSize() > 0) {
                slot.offset = offset;
                pieces++;
            }
        }
        slot.pinned = true;
        return pieces;
    }

    private void lock(boolean isHeld) {
        if (!isHeld) {
            guard.lock();
        }
    }

    private void unlock(boolean isHeld) {
        if (!isHeld) {
            guard.unlock();
        }
    }

    private void unpinFirst(Operation operation, int count, boolean isHeld) {
        for (int i = 0; i < count; i++) {
            MemorySegment buffer = operation.buffer(i);
            if (buffer.byteSize() > 0 || operation.poolOnly()) {
                lock(isHeld);
                allocator.unpin(pool.offsetOf(buffer));
                unlock(isHeld);
            }
        }
    }

    private void unpin(ServerOperation slot, boolean isHeld) {
        if (slot.pinned) {
            slot.pinned = false;
            Operation operation = slot.operation();
            unpinFirst(operation, operation.bufferCount(), isHeld);
        }
    }

    /**
     * Allocates what {@link #prepare} asked for; with the lock held.
     *
     * @return false if there is no memory
     */
    boolean allocate(ServerOperation slot, long needBytes) {
        if (needBytes == 0) {
            return true;
        }
        long block = allocator.allocate(needBytes);
        if (block == PoolAllocator.NO_MEMORY) {
            return false;
        }
        if (slot.pinned) {
            slot.listOffset = block;
        } else {
            slot.temporary = block;
            slot.offset = block;
        }
        return true;
    }

    /**
     * Writes the list, or copies a send's payload into its temporary block.
     *
     * @return false if the program's memory cannot be read: the program freed it, its file was cut
     *     off, or the heap is full. Only this operation fails
     */
    boolean fill(ServerOperation slot) {
        Operation operation = slot.operation();
        try {
            if (slot.listOffset != NONE) {
                writeList(slot, operation);
            } else if (slot.temporary != NONE && operation.kind() == OperationKind.SEND) {
                payloads.copyIn(operation, pool.segment(), slot.temporary);
            }
            return true;
        } catch (RuntimeException | InternalError | OutOfMemoryError e) {
            SessionFailure.warn(LOG, "a buffer cannot be read", e);
            return false;
        }
    }

    private void writeList(ServerOperation slot, Operation operation) {
        long at = slot.listOffset;
        for (int i = 0; i < operation.bufferCount(); i++) {
            MemorySegment buffer = operation.buffer(i);
            if (buffer.byteSize() > 0) {
                memory.setLongPlain(at, pool.offsetOf(buffer));
                memory.setLongPlain(at + Long.BYTES, buffer.byteSize());
                at += ServerRequests.LIST_ENTRY_BYTES;
            }
        }
    }

    /**
     * Copies a receive's payload from its temporary block, if it has one, to the program's buffers.
     *
     * @return false if the program's memory cannot be written
     */
    boolean copyOutIfNeeded(ServerOperation slot, long bytes) {
        Operation operation = slot.operation();
        if (slot.temporary == NONE || operation.kind() != OperationKind.RECEIVE) {
            return true;
        }
        try {
            payloads.copyOut(pool.segment(), slot.temporary, bytes, operation);
            return true;
        } catch (RuntimeException | InternalError | OutOfMemoryError e) {
            SessionFailure.warn(LOG, "a buffer cannot be written", e);
            return false;
        }
    }

    /**
     * Frees the block and the pins.
     *
     * @param isHeld whether the lock is held
     * @return whether a block was freed, so that other operations may find memory
     */
    boolean release(ServerOperation slot, boolean isHeld) {
        unpin(slot, isHeld);
        boolean frees = slot.hasBlock();
        slot.temporary = free(slot.temporary, isHeld);
        slot.listOffset = free(slot.listOffset, isHeld);
        return frees;
    }

    private long free(long block, boolean isHeld) {
        if (block != NONE) {
            lock(isHeld);
            allocator.free(block);
            unlock(isHeld);
        }
        return NONE;
    }
}
