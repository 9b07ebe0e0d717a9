package org.jbmi.conformance.cost;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the code that a {@link CountingLoader} loaded has done, in all threads. It is loaded once
 * and called by the code that is counted.
 */
public final class Counts {
    private static final Map<String, AtomicLong> LOCKED = new ConcurrentHashMap<>();
    private static final AtomicLong CLOCKS = new AtomicLong();
    private static final AtomicLong PARKS = new AtomicLong();
    private static final Set<String> TYPES = new ConcurrentSkipListSet<>();
    private static final Set<String> UNKNOWN = new ConcurrentSkipListSet<>();

    private Counts() {}

    /** Called before an instruction that the processor locks, with the method it stands in. */
    public static void locked(String where) {
        LOCKED.computeIfAbsent(where, any -> new AtomicLong()).getAndIncrement();
    }

    /** Called before a call that makes two of them. */
    public static void lockedTwice(String where) {
        locked(where);
        locked(where);
    }

    /** Called before the clock is read. */
    public static void clock() {
        CLOCKS.getAndIncrement();
    }

    /** Called before a thread parks, or another one is woken. */
    public static void park() {
        PARKS.getAndIncrement();
    }

    /** Called where a method begins, with its class, and before an interface is called. */
    public static void touched(String type) {
        TYPES.add(type);
    }

    /** Called before a call of which it is not known what it costs. */
    public static void unknown(String call) {
        UNKNOWN.add(call);
    }

    /** Begins anew. */
    public static void reset() {
        LOCKED.clear();
        CLOCKS.set(0);
        PARKS.set(0);
        TYPES.clear();
        UNKNOWN.clear();
    }

    /** What was done since then. */
    public static Cost read() {
        Map<String, Long> locked = new TreeMap<>();
        LOCKED.forEach((where, count) -> locked.put(where, count.get()));
        return new Cost(locked, CLOCKS.get(), PARKS.get(), Set.copyOf(TYPES), Set.copyOf(UNKNOWN));
    }
}
