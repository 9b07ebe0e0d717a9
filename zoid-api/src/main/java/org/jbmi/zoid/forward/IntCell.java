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
     * @param value what it holds
     */
    public IntCell(int value) {
        this.value = value;
    }

    /**
     * What the cell holds.
     *
     * @return the value
     */
    public int get() {
        return value;
    }

    /**
     * Changes what the cell holds.
     *
     * @param newValue what it holds from now on
     */
    public void set(int newValue) {
        value = newValue;
    }

    @Override
    public String toString() {
        return Integer.toString(value);
    }
}
