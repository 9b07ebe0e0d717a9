package org.jbmi.shipper.client;

import org.jbmi.shipper.wire.Wire;
import org.jbmi.spi.HashMaps;

import java.util.HashMap;
import java.util.Map;

/**
 * The index of each function in all sessions of a client. Their number is limited: calls of later
 * functions carry the names. Guarded by the pump's lock.
 */
final class FunctionIndexes {
    private final Map<Named, Integer> indexes = HashMaps.prepared(new HashMap<>());

    /** A function with a signature: the numbers of both. */
    private record Named(long function, long fingerprint) {}

    /** The index of a function, the same each time; 0 for none. */
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
