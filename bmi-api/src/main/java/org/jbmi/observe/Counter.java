package org.jbmi.observe;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * One 64-bit number that goes up or, as a gauge, up and down. {@link #add} is atomic; {@link
 * #addBySingleWriter} and {@link #set} are for one writing thread. Nothing here allocates, and any
 * thread may read. Other processes read a counter in a mapped file while it counts.
 */
public final class Counter {
    private static final VarHandle VALUE = ValueLayout.JAVA_LONG.varHandle();

    // For the only thread that writes. Without a check of the alignment a store takes half the
    // time, and half of the rest if the thread does not read the memory. The store is a plain one
    // of a whole word. Others see it when this thread next releases a lock or publishes a message,
    // so no loop that moves messages keeps it back.
    private static final VarHandle OWN_VALUE = ValueLayout.JAVA_LONG_UNALIGNED.varHandle();

    /** The value, where only one thread writes. */
    private long own;

    private final MemorySegment memory;
    private final long offset;
    private final CounterSpec spec;

    Counter(MemorySegment memory, long offset, CounterSpec spec) {
        this.memory = memory;
        this.offset = offset;
        this.spec = spec;
    }

    /** Adds one. */
    public void increment() {
        add(1);
    }

    /**
     * Adds a number.
     *
     * @param delta any
     */
    public void add(long delta) {
        VALUE.getAndAdd(memory, offset, delta);
    }

    /**
     * Adds a number where only one thread at a time ever writes this counter, and never with {@link
     * #add}: cheaper than that.
     *
     * @param delta any
     */
    public void addBySingleWriter(long delta) {
        own += delta;
        OWN_VALUE.set(memory, offset, own);
    }

    /**
     * Overwrites it, for gauges with a single writer.
     *
     * @param value any
     */
    public void set(long value) {
        own = value;
        VALUE.setOpaque(memory, offset, value);
    }

    /**
     * Its present value.
     *
     * @return any number; wraps around after 2^64
     */
    public long get() {
        return (long) VALUE.getVolatile(memory, offset);
    }

    /**
     * What it is.
     *
     * @return its number, label and unit
     */
    public CounterSpec spec() {
        return spec;
    }
}
