package org.jbmi.tools.perf.worker;

import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Shipped;

/** What the functions of the patterns call, pull and push take and give. */
final class ShippedRecords {
    /** 64 bytes. */
    @Shipped
    record Words(long a, long b, long c, long d, long e, long f, long g, long h) {}

    /** Any number of bytes. */
    @Shipped
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Block(byte[] bytes) {}

    /** Memory of the client. */
    @Shipped
    record Region(BulkHandle memory) {}

    /** How much was moved. */
    @Shipped
    record Moved(long bytes) {}

    private ShippedRecords() {}
}
