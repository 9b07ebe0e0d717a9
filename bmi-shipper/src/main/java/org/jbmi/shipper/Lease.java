package org.jbmi.shipper;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.server.Memory;
import org.jbmi.shipper.server.ServerCall;

import java.lang.foreign.MemorySegment;

/**
 * Memory of the server for a call: suits transfers with its client best, and needs no copy where
 * the method has shared memory. Close it early; the server frees it at the latest when the call
 * ends. If the answer is deferred, the server frees the memory after {@link
 * DeferredAnswer#complete} or {@link DeferredAnswer#fail}, even if the client has given up.
 */
public final class Lease implements AutoCloseable {
    private final Memory memory;
    private final ServerCall call;
    private final MemorySegment segment;
    private boolean isClosed;

    Lease(Memory memory, ServerCall call, MemorySegment segment) {
        this.memory = memory;
        this.call = call;
        this.segment = segment;
    }

    /**
     * The memory; must not be used after the close.
     *
     * @return a segment of the size asked for
     */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Frees it; if a transfer of the call uses it, when the transfer ends. A further close does
     * nothing: the same memory may be lent again, even to this call.
     *
     * @throws BmiException with {@link ErrorCode#EBUSY} while an operation of the program uses it:
     *     the lease goes on
     */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            memory.release(call, segment);
            isClosed = true;
        }
    }
}
