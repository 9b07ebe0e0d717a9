package org.jbmi.spi;

import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;

/** For hash maps that outlive a lack of memory. */
public final class HashMaps {
    private HashMaps() {}

    /**
     * Gives a hash map its table now. A {@link HashMap} allocates its table in the first put.
     * Before that it changes its field {@code threshold}. If the allocation fails, the next put
     * uses that value as the size. Then the size is no power of two, and the map loses entries.
     * With a table, a put that fails loses nothing, though it may have added its entry. One case
     * remains: if many entries share a slot, the map can lose some when it grows, because the JDK
     * then creates objects.
     *
     * <p>Use this for long-lived maps that get entries while the heap may be full.
     *
     * @param <K> of its keys
     * @param <V> of its values
     * @param <M> its class
     * @param map an empty map, of this thread alone
     * @return the same map, still empty
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // the entry is gone before anybody sees it
    public static <K, V, M extends Map<K, V>> M prepared(M map) {
        map.put(null, null);
        map.remove(null);
        return map;
    }

    /**
     * An empty set with such a table.
     *
     * @param <E> of its elements
     * @return a set in no order
     */
    public static <E> Set<E> set() {
        return Collections.newSetFromMap(prepared(new HashMap<>()));
    }

    /**
     * An empty set with such a table.
     *
     * @param <E> of its elements
     * @return a set that keeps the order of insertion
     */
    public static <E> SequencedSet<E> linkedSet() {
        return Collections.newSequencedSetFromMap(prepared(new LinkedHashMap<>()));
    }
}
