package org.jbmi.shipper;

import org.jbmi.shipper.client.ClientCore;
import org.jbmi.shipper.client.Exposure;
import org.jbmi.shipper.codec.BulkHandle;

/** The handle that expose returned to the owner. Its close revokes the access. */
final class ExposedMemory extends BulkHandle {
    private final ClientCore core;
    private final Exposure exposure;

    ExposedMemory(ClientCore core, Exposure exposure, BulkHandle names) {
        super(names.owner(), names.key(), names.number(), names.sizeBytes(), names.permission());
        this.core = core;
        this.exposure = exposure;
    }

    @Override
    public void close() {
        core.revoke(exposure);
    }
}
