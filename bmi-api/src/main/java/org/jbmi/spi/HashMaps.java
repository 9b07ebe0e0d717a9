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
     * Gives a hash map its table now. A {@link HashMap} that is made lazily allocates the table in
     * its first put, and notes the size of a later one before that. If there is no memory for the
     * table, the map takes the note for the size: it is no power of two, and the map loses entries
     * for good. With a table, a put that fails loses nothing, though it may have added its entry.
     * One case is left: a table of which many entries share a slot can lose some when it grows,
     * since the JDK makes objects while it moves such entries.
     *
     * <p>For maps of a long life, such as that of an instance, an engine, a host or a server, which
     * get entries while the heap may be full.
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
