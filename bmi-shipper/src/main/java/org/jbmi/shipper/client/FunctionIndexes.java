package org.jbmi.shipper.client;

import org.jbmi.shipper.wire.Wire;

import java.util.HashMap;
import java.util.Map;

/**
 * By which index a client calls each function, in all its sessions. There are only so many: of the
 * later functions each call has the names. Guarded by the pump's lock.
 */
final class FunctionIndexes {
    private final Map<Named, Integer> indexes = new HashMap<>();

    /** A function with a signature: the numbers of both. */
    private record Named(long function, long fingerprint) {}

    /** The same for the same function each time; 0 for none. */
    int of(long function, long fingerprint) {
        Named named = new Named(function, fingerprint);
        Integer known = indexes.get(named);
        if (known != null) {
            return known;
        }
        if (indexes.size() == Wire.MAX_FUNCTION_INDEX) {
            return 0;
        }
        int index = indexes.size() + 1;
        indexes.put(named, index);
        return index;
    }
}
