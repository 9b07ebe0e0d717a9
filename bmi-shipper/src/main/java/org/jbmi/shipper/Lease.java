package org.jbmi.shipper;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.server.Memory;
import org.jbmi.shipper.server.ServerCall;

import java.lang.foreign.MemorySegment;

/**
 * Memory of the server that is lent to a call: best suited for transfers with its client, and not
 * copied where the method has shared memory. Close it early; the end of the call takes it back at
 * the latest.
 */
public final class Lease implements AutoCloseable {
    private final Memory memory;
    private final ServerCall call;
    private final MemorySegment segment;

    Lease(Memory memory, ServerCall call, MemorySegment segment) {
        this.memory = memory;
        this.call = call;
        this.segment = segment;
    }

    /**
     * The memory; not to be touched after the close.
     *
     * @return a segment of the size asked for
     */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Gives it back; while a transfer of the call uses it, as soon as that is over.
     *
     * @throws BmiException with {@link ErrorCode#EBUSY} while an operation of the program uses it:
     *     it stays lent
     */
    @Override
    public void close() {
        memory.release(call, segment);
    }
}
