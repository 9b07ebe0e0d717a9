package org.jbmi.zbmi.socket;

import org.jbmi.spi.Operation;
import org.jspecify.annotations.Nullable;

/** An offer that a client has claimed, until it has the gateway's word on how that ended. */
final class LinkTransfer {
    /** {@link #end}: nothing was heard yet. */
    static final int OPEN = 0;

    /** {@link #end}: over, with {@link #status}. */
    static final int MOVED = 1;

    /** {@link #end}: the claim came too late. */
    static final int VOID = 2;

    final OperationCursor cursor = new OperationCursor();
    long reference;
    long operationId;
    long claim;
    long bytes;
    long moved;
    @Nullable Operation operation;

    /** Why the program's own memory could not be used; 0 if it could. */
    int failure;

    int end;
    int status;

    /** Whether a new offer came while bytes for the old one were still being written. */
    boolean isOfferedAnew;

    /** Whether the gateway was told, or is about to be told, that this side is through with it. */
    boolean isEndDue;

    void begin(long newReference, long newOperationId, long newClaim, long newBytes) {
        reference = newReference;
        operationId = newOperationId;
        claim = newClaim;
        bytes = newBytes;
        moved = 0;
        operation = null;
        failure = 0;
        end = OPEN;
        status = 0;
        isEndDue = false;
        isOfferedAnew = false;
    }

    /** Claims again, after a claim that came too late. */
    void beginAgain(long newClaim) {
        Operation kept = operation;
        begin(reference, operationId, newClaim, bytes);
        operation = kept;
        if (kept != null) {
            cursor.begin(kept);
        }
    }

    /** Lets go of the program's memory. */
    void release() {
        operation = null;
        cursor.end();
    }
}
