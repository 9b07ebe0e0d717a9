package org.jbmi.zbmi.attach;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.SharedSegment;

import java.lang.foreign.MemorySegment;

/** The memory of a session as one process maps it: a segment, or simulated memory. */
public interface PeerMapping extends AutoCloseable {
    /**
     * For control words and payload.
     *
     * @return gone after {@link #close}
     */
    SharedMemory memory();

    /**
     * The whole of it, native memory.
     *
     * @return gone after {@link #close}
     */
    MemorySegment segment();

    /** Lets go of it. */
    @Override
    void close();

    /**
     * A mapped segment.
     *
     * @param segment owned by what is returned
     */
    static PeerMapping of(SharedSegment segment) {
        return new PeerMapping() {
            @Override
            public SharedMemory memory() {
                return segment.memory();
            }

            @Override
            public MemorySegment segment() {
                return segment.segment();
            }

            @Override
            public void close() {
                segment.close();
            }
        };
    }
}
