package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.zoidfs.server.observe.Fault;
import org.jbmi.zoidfs.server.observe.ServerLog;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * Memory for payload. It comes from the pool of the method, so that there is one copy between file
 * and message. If the pool gives no buffer, the call waits. In two cases the server allocates a
 * buffer outside of the pool: no call holds memory, or {@link #MAX_PASSES} newer calls have begun.
 * The free pieces of the pool may be too short. Owned by the ordering stage.
 */
final class PayloadMemory {
    /** How many newer calls may begin while one waits for the pool. */
    static final int MAX_PASSES = 256;

    private final Bmi bmi;

    /** What calls hold, each with its arena if it is outside of the pool. */
    private final IdentityHashMap<MemorySegment, @Nullable Arena> lent = new IdentityHashMap<>();

    PayloadMemory(Bmi bmi) {
        this.bmi = bmi;
    }

    /**
     * A buffer for messages of a call, or null if there is no memory now; {@link #free} ends it.
     *
     * @throws OutOfMemoryError if waiting would not help
     */
    @Nullable DataMove allocate(DataCall data) {
        MemorySegment memory = null;
        Arena arena = null;
        try {
            memory = data.call.peer.allocate(data.bufferBytes);
        } catch (BmiException e) {
            // The server is closing: the posts will fail.
        }
        if (memory == null && (lent.isEmpty() || data.passedInPool >= MAX_PASSES)) {
            arena = Arena.ofShared();
            try {
                memory = arena.allocate(data.bufferBytes, 64);
            } catch (RuntimeException | OutOfMemoryError e) {
                arena.close();
                throw e;
            }
        }
        return memory == null ? null : lend(data, memory, arena);
    }

    private DataMove lend(DataCall data, MemorySegment memory, @Nullable Arena arena) {
        try {
            DataMove buffer = new DataMove(data, memory);
            lent.put(memory, arena);
            return buffer;
        } catch (RuntimeException | Error e) {
            giveBack(memory, arena);
            throw e;
        }
    }

    /** Frees memory of a call. Does nothing after {@link #freeAll}. */
    void free(MemorySegment memory) {
        if (!lent.containsKey(memory)) {
            return;
        }
        giveBack(memory, lent.remove(memory));
    }

    /** Does not throw: who calls this has more to do. */
    private void giveBack(MemorySegment memory, @Nullable Arena arena) {
        try {
            if (arena != null) {
                arena.close();
            } else {
                bmi.free(memory);
            }
        } catch (BmiException | IllegalStateException | OutOfMemoryError e) {
            ServerLog.failed(Fault.PAYLOAD_FREED, e);
        }
    }

    /** Frees what calls hold. */
    void freeAll() {
        List.copyOf(lent.keySet()).forEach(this::free);
    }
}
