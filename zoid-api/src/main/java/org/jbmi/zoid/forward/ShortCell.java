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
     * @param value its value
     */
    public ShortCell(short value) {
        this.value = value;
    }

    /**
     * The value of the cell.
     *
     * @return the value
     */
    public short get() {
        return value;
    }

    /**
     * Sets the value of the cell.
     *
     * @param newValue the new value
     */
    public void set(short newValue) {
        value = newValue;
    }

    @Override
    public String toString() {
        return Short.toString(value);
    }
}
