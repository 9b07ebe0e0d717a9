package org.jbmi.shipper.client;

import org.jbmi.shipper.wire.Wire;
import org.jbmi.spi.SlotTable;
import org.jspecify.annotations.Nullable;

/**
 * The call slots of a session. A slot is taken until the server's reply has come; the number of a
 * call is its slot and its use of the slot. Guarded by the pump's lock.
 */
final class CallSlots {
    private static final int USE_BITS = 16;

    /** A place, with the call that has it. */
    private static final class Place extends SlotTable.Slot {
        @Nullable PendingCall call;

        Place(int index) {
            super(index);
        }
    }

    private final SlotTable<Place> places;
    private final int count;

    CallSlots(int count) {
        this.count = count;
        places = new SlotTable<>(Wire.SLOT_BITS, USE_BITS, count, Place::new);
    }

    boolean isFull() {
        return taken() == count;
    }

    int taken() {
        return places.used();
    }

    /** Gives a call a place; one must be free. */
    void take(PendingCall call) {
        Place place = places.take();
        if (place == null) {
            throw new IllegalStateException("All places are taken.");
        }
        place.call = call;
        call.number = place.reference();
    }

    /** Frees the slot of a call; false if it has none. */
    boolean free(PendingCall call) {
        Place place = places.find(call.number);
        if (place == null || place.call != call) {
            return false;
        }
        place.call = null;
        places.release(place);
        return true;
    }

    @Nullable PendingCall find(long number) {
        Place place = places.find(number);
        return place == null ? null : place.call;
    }

    /** Ends calls whose deadline has passed. */
    void tick(long nowNs) {
        for (int i = 0; i < made(); i++) {
            PendingCall call = callAt(i);
            if (call != null) {
                call.tick(nowNs);
            }
        }
    }

    /** How many places there are, taken or not. */
    int made() {
        return places.made();
    }

    /** The call of a place; null if it is free. */
    @Nullable PendingCall callAt(int index) {
        Place place = places.inUse(index);
        return place == null ? null : place.call;
    }
}
