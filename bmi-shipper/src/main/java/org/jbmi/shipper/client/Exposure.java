package org.jbmi.shipper.client;

import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.shipper.pump.Awaited;
import org.jbmi.shipper.pump.SegmentList;

/** Memory that servers may use. Guarded by the pump's lock. */
public final class Exposure extends Awaited {
    private final long number;
    private final BulkHandle.Token owner;
    private final BulkHandle.Token key;
    private final SegmentList memory;
    private final Permission permission;
    private int transfers;
    private boolean revoked;

    Exposure(
            long number,
            BulkHandle.Token owner,
            BulkHandle.Token key,
            SegmentList memory,
            Permission permission) {
        this.number = number;
        this.owner = owner;
        this.key = key;
        this.memory = memory;
        this.permission = permission;
    }

    /** Its handle, without a close. */
    public BulkHandle handle() {
        return new BulkHandle(owner, key, number, memory.sizeBytes(), permission);
    }

    long number() {
        return number;
    }

    SegmentList memory() {
        return memory;
    }

    Permission permission() {
        return permission;
    }

    /** Compares all bits, so that the time does not depend on the result. */
    boolean hasKey(BulkHandle.Token other) {
        return ((key.high() ^ other.high()) | (key.low() ^ other.low())) == 0;
    }

    void beginTransfer() {
        transfers++;
    }

    void endTransfer() {
        transfers--;
        finishIfUnused();
    }

    void revoke() {
        revoked = true;
        finishIfUnused();
    }

    private void finishIfUnused() {
        if (revoked && transfers == 0 && !isFinished()) {
            finish();
        }
    }
}
