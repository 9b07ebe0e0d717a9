package org.jbmi.shipper.client;

import org.jbmi.shipper.wire.Wire;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * The call slots of a session. A slot is taken until the server's reply has come; the number of a
 * call is its slot and its use of the slot. Guarded by the pump's lock.
 */
final class CallSlots {
    private final @Nullable PendingCall[] calls;
    private final short[] uses;
    private final int[] free;
    private int freeCount;

    CallSlots(int count) {
        calls = new PendingCall[count];
        uses = new short[count];
        free = new int[count];
        freeCount = count;
        for (int i = 0; i < count; i++) {
            free[i] = count - 1 - i;
        }
    }

    boolean isFull() {
        return freeCount == 0;
    }

    int taken() {
        return calls.length - freeCount;
    }

    void take(PendingCall call) {
        int slot = free[--freeCount];
        call.slot = slot;
        int use = Short.toUnsignedInt(++uses[slot]);
        call.number = (long) use << Wire.SLOT_BITS | slot;
        calls[slot] = call;
    }

    /** Frees the slot of a call; false if it has none. */
    boolean free(PendingCall call) {
        int slot = call.slot;
        if (slot < 0 || calls[slot] != call) {
            return false;
        }
        calls[slot] = null;
        free[freeCount++] = slot;
        return true;
    }

    @Nullable PendingCall find(long number) {
        int slot = (int) number & ((1 << Wire.SLOT_BITS) - 1);
        PendingCall call = slot < calls.length ? calls[slot] : null;
        return call != null && call.number == number ? call : null;
    }

    /** Ends calls whose deadline has passed. */
    void tick(long nowNs) {
        for (PendingCall call : calls) {
            if (call != null) {
                call.tick(nowNs);
            }
        }
    }

    List<PendingCall> all() {
        List<PendingCall> all = new ArrayList<>(taken());
        for (PendingCall call : calls) {
            if (call != null) {
                all.add(call);
            }
        }
        return all;
    }
}
