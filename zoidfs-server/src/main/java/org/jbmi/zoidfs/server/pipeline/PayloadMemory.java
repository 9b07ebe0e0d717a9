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
 * and message. If the pool gives no buffer and no call holds one, the server allocates one outside
 * of the pool. Owned by the ordering stage.
 */
final class PayloadMemory {
    private final Bmi bmi;
    private final Map<Long, Arena> outside = new HashMap<>();
    private int lent;

    PayloadMemory(Bmi bmi) {
        this.bmi = bmi;
    }

    /**
     * Memory for a message of a call, or null if there is none now.
     *
     * @throws OutOfMemoryError if no call holds memory, so that waiting would not help
     */
    @Nullable MemorySegment allocate(DataCall data) {
        MemorySegment memory = null;
        try {
            memory = data.call.peer.allocate(data.bufferBytes);
        } catch (BmiException e) {
            // The peer was removed: its posts will fail.
        }
        if (memory == null && lent == 0) {
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
