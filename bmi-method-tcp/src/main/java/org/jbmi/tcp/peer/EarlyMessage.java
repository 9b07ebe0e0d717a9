package org.jbmi.tcp.peer;

import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.tcp.memory.PeerMemory;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * An expected message that came before its receive. It stands in a match table in the place of a
 * send, which it is: the peer's. Guarded by the method's lock; its bytes belong to the thread that
 * reads until it is whole, and then to whoever takes it out of the table.
 */
final class EarlyMessage extends Operation {
    /** Where its bytes lie in the memory for early messages. */
    MemorySegment memory = MemorySegment.NULL;

    /** Where they begin there. */
    long offset;

    /** What the memory is given back with. */
    long token;

    /** A receive that was posted while it was still coming. */
    @Nullable Operation claimant;

    /** The next one that is free to be used. */
    @Nullable EarlyMessage nextFree;

    void begin(int newTag, long newSizeBytes, long newToken, MemorySegment newMemory) {
        kind = OperationKind.SEND;
        tag = newTag;
        sizeBytes = newSizeBytes;
        token = newToken;
        memory = newMemory;
        offset = PeerMemory.offset(newToken);
        claimant = null;
    }
}
