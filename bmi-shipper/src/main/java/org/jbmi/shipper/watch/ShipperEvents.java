package org.jbmi.shipper.watch;

import jdk.jfr.Event;

import org.jbmi.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * The flight recorder's events. No event object is made while nobody records: one event of each
 * kind is kept for asking.
 */
public final class ShipperEvents {
    private final ShippedCallEvent shipped = new ShippedCallEvent();
    private final ServedCallEvent served = new ServedCallEvent();
    private final BulkTransferEvent transfer = new BulkTransferEvent();

    /** Makes the ones that are asked. */
    public ShipperEvents() {}

    /** Begins to time a call of a client; null while recording is off. */
    public @Nullable ShippedCallEvent beginShipped() {
        return shipped.isEnabled() ? begun(new ShippedCallEvent()) : null;
    }

    /** Begins to time a call on a server; null while recording is off. */
    public @Nullable ServedCallEvent beginServed() {
        return served.isEnabled() ? begun(new ServedCallEvent()) : null;
    }

    /** Begins to time a transfer; null while recording is off. */
    public @Nullable BulkTransferEvent beginTransfer() {
        return transfer.isEnabled() ? begun(new BulkTransferEvent()) : null;
    }

    private static <E extends Event> E begun(E event) {
        event.begin();
        return event;
    }

    /** How an outcome, 0 or a negative code, is called; empty for success. */
    public static String words(int code) {
        ErrorCode known = ErrorCode.of(code);
        return code == 0 ? "" : known == null ? Integer.toString(code) : known.name();
    }
}
