package org.jbmi.zoid.forward;

/**
 * One {@code double} that a function reads or changes. Not safe for use by several threads at once.
 */
public final class DoubleCell {
    private double value;

    /** A cell that holds zero. */
    public DoubleCell() {}

    /**
     * A cell that holds a value.
     *
     * @param value what it holds
     */
    public DoubleCell(double value) {
        this.value = value;
    }

    /**
     * What the cell holds.
     *
     * @return the value
     */
    public double get() {
        return value;
    }

    /**
     * Changes what the cell holds.
     *
     * @param newValue what it holds from now on
     */
    public void set(double newValue) {
        value = newValue;
    }

    @Override
    public String toString() {
        return Double.toString(value);
    }
}
