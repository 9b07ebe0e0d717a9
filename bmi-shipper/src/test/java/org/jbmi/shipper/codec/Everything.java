package org.jbmi.shipper.codec;

import java.util.List;
import java.util.Optional;

/** One component of each type that travels. */
@Shipped
record Everything(
        int count,
        long offset,
        short port,
        byte flags,
        float ratio,
        double exact,
        boolean sync,
        String name,
        byte[] body,
        Mode mode,
        List<Long> sizes,
        List<List<String>> words,
        Optional<Inner> inner,
        Inner always,
        BulkHandle data) {
    enum Mode {
        READ,
        WRITE
    }

    @Shipped
    record Inner(int value, String in) {}

    @Shipped
    record Many(List<String> names, List<List<Long>> sizes) {}

    @Shipped
    record Nothing() {}
}
