package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.Bmi;
import org.jbmi.BmiException;
import org.jbmi.zoidfs.server.observe.ServerLog;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/**
 * Memory for payload. It comes from the pool of the method, so that there is one copy between file
 * and message. If the pool gives no buffer, the call waits for one; the server allocates one
 * outside of the pool if no call holds memory, or if {@link #MAX_PASSES} newer calls have begun
 * meanwhile: the pool may have room in pieces that are too short. Owned by the ordering stage.
 */
final class PayloadMemory {
    /** How many newer calls may begin while one waits for the pool. */
    static final int MAX_PASSES = 256;

    private final Bmi bmi;
    private final Map<Long, Arena> outside = new HashMap<>();
    private int lent;

    PayloadMemory(Bmi bmi) {
        this.bmi = bmi;
    }

    /**
     * Memory for a message of a call, or null if there is none now.
     *
     * @throws OutOfMemoryError if waiting would not help
     */
    @Nullable MemorySegment allocate(DataCall data) {
        MemorySegment memory = null;
        try {
            memory = data.call.peer.allocate(data.bufferBytes);
        } catch (BmiException e) {
            // The server is closing: the posts will fail.
        }
        if (memory == null && (lent == 0 || data.passedInPool >= MAX_PASSES)) {
            Arena arena = Arena.ofShared();
            try {
                memory = arena.allocate(data.bufferBytes, 64);
            } catch (RuntimeException | OutOfMemoryError e) {
                arena.close();
                throw e;
            }
            outside.put(memory.address(), arena);
        }
        if (memory != null) {
            lent++;
        }
        return memory;
    }

    void free(MemorySegment memory) {
        lent--;
        Arena arena = outside.remove(memory.address());
        if (arena != null) {
            arena.close();
            return;
        }
        try {
            bmi.free(memory);
        } catch (BmiException e) {
            ServerLog.failed("Payload memory could not be freed", e);
        }
    }
}
