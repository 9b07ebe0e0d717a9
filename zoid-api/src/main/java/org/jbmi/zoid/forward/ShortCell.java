package org.jbmi.zoid.forward;

/**
 * One {@code short} that a function reads or changes. Not safe for use by several threads at once.
 */
public final class ShortCell {
    private short value;

    /** A cell that holds zero. */
    public ShortCell() {}

    /**
     * A cell that holds a value.
     *
     * @param value what it holds
     */
    public ShortCell(short value) {
        this.value = value;
    }

    /**
     * What the cell holds.
     *
     * @return the value
     */
    public short get() {
        return value;
    }

    /**
     * Changes what the cell holds.
     *
     * @param newValue what it holds from now on
     */
    public void set(short newValue) {
        value = newValue;
    }

    @Override
    public String toString() {
        return Short.toString(value);
    }
}
