package org.jbmi.zoid.forward;

/**
 * One {@code int} that a function reads or changes. Not safe for use by several threads at once.
 */
public final class IntCell {
    private int value;

    /** A cell that holds zero. */
    public IntCell() {}

    /**
     * A cell that holds a value.
     *
     * @param value its value
     */
    public IntCell(int value) {
        this.value = value;
    }

    /**
     * The value of the cell.
     *
     * @return the value
     */
    public int get() {
        return value;
    }

    /**
     * Sets the value of the cell.
     *
     * @param newValue the new value
     */
    public void set(int newValue) {
        value = newValue;
    }

    @Override
    public String toString() {
        return Integer.toString(value);
    }
}
