package org.jbmi.shipper;

import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Shipped;

/** What the functions of the tests take and give. */
final class Records {
    @Shipped
    record Number(long value) {}

    @Shipped
    record Text(String text) {}

    @Shipped
    record Bytes(byte[] bytes) {}

    @Shipped
    record Nothing() {}

    /** Refuses 0, as a record of a program may. */
    @Shipped
    record Positive(long value) {
        Positive {
            if (value <= 0) {
                throw new IllegalArgumentException("The value must be positive.");
            }
        }
    }

    /** Throws what is no exception for an unlucky number, as an assertion in a record may. */
    @Shipped
    record Fussy(byte[] bytes) {
        Fussy {
            if (bytes.length > 0 && bytes[0] == 13) {
                throw new AssertionError("13 is not wanted");
            }
        }
    }

    /** Memory to be moved, and a load that makes a call a large one. */
    @Shipped
    record Die(BulkHandle data, byte[] load) {}

    @Shipped
    record Move(BulkHandle data, long offset, long length) {}

    private Records() {}
}
