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
     * @param value its value
     */
    public LongCell(long value) {
        this.value = value;
    }

    /**
     * The value of the cell.
     *
     * @return the value
     */
    public long get() {
        return value;
    }

    /**
     * Sets the value of the cell.
     *
     * @param newValue the new value
     */
    public void set(long newValue) {
        value = newValue;
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
