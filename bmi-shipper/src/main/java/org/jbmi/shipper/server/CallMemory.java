package org.jbmi.shipper.server;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** What a call moves and borrows; most calls have none. Guarded by the pump's lock. */
final class CallMemory {
    final List<ServerTransfer> transfers = new ArrayList<>(2);
    final List<MemorySegment> leases = new ArrayList<>(2);

    /** Leases that were closed while a transfer used them. */
    final List<MemorySegment> returned = new ArrayList<>(0);

    boolean hasTransferOf(MemorySegment memory) {
        for (ServerTransfer transfer : transfers) {
            if (transfer.touches(memory)) {
                return true;
            }
        }
        return false;
    }
}
