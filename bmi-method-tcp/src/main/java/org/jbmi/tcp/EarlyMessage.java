package org.jbmi.tcp;

import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jspecify.annotations.Nullable;

/**
 * An expected message that came before its receive. It stands in a match table in the place of a
 * send, which it is: the peer's. Guarded by the method's lock; its bytes belong to the thread that
 * reads until it is whole, and then to whoever takes it out of the table.
 */
final class EarlyMessage extends Operation {
    /** Where its bytes lie in the memory for early messages. */
    long offset;

    /** Bytes that have come. */
    long arrivedBytes;

    /** A receive that was posted while it was still coming. */
    @Nullable Operation claimant;

    /** The next one that is free to be used. */
    @Nullable EarlyMessage nextFree;

    void begin(int newTag, long newSizeBytes, long newOffset) {
        kind = OperationKind.SEND;
        tag = newTag;
        sizeBytes = newSizeBytes;
        offset = newOffset;
        arrivedBytes = 0;
        claimant = null;
    }
}
