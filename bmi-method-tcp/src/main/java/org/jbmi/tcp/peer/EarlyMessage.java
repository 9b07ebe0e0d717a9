package org.jbmi.tcp.peer;

import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.tcp.memory.PeerMemory;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * An expected message that came before its receive. It is in a match table in place of the peer's
 * send. The method's lock guards it. The reading thread owns its bytes until it is complete, then
 * the thread that takes it out of the table.
 */
final class EarlyMessage extends Operation {
    /** The memory for early messages that holds it. */
    MemorySegment memory = MemorySegment.NULL;

    /** Its offset there. */
    long offset;

    /** The token to free the memory with. */
    long token;

    /** A receive that was posted while it was still coming. */
    @Nullable Operation claimant;

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
