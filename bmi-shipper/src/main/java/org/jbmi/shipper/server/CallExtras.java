package org.jbmi.shipper.server;

import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.watch.ServedCallEvent;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The state that few calls need: memory that they move or lease. Guarded by the pump's lock. */
final class CallExtras {
    final List<ServerTransfer> transfers = new ArrayList<>(2);
    final List<MemorySegment> leases = new ArrayList<>(2);

    /** Leases that were closed while a transfer used them. */
    final List<MemorySegment> returned = new ArrayList<>(0);

    @Nullable BulkHandle inputHandle;

    /** An output that does not fit the reply. */
    @Nullable HeldOutput held;

    /** Whether the client has passed a handle for it. */
    boolean fetched;

    /** The event of the flight recorder, if it records. */
    @Nullable ServedCallEvent event;

    boolean hasTransferOf(MemorySegment memory) {
        for (ServerTransfer transfer : transfers) {
            if (transfer.touches(memory)) {
                return true;
            }
        }
        return false;
    }
}
