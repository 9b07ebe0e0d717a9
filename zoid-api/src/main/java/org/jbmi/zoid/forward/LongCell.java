package org.jbmi.zoid.forward;

/**
 * One {@code long} that a function reads or changes. Not safe for use by several threads at once.
 */
public final class LongCell {
    private long value;

    /** A cell that holds zero. */
    public LongCell() {}

    /**
     * A cell that holds a value.
     *
     * @param value what it holds
     */
    public LongCell(long value) {
        this.value = value;
    }

    /**
     * What the cell holds.
     *
     * @return the value
     */
    public long get() {
        return value;
    }

    /**
     * Changes what the cell holds.
     *
     * @param newValue what it holds from now on
     */
    public void set(long newValue) {
        value = newValue;
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
