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
     * @param value its value
     */
    public DoubleCell(double value) {
        this.value = value;
    }

    /**
     * The value of the cell.
     *
     * @return the value
     */
    public double get() {
        return value;
    }

    /**
     * Sets the value of the cell.
     *
     * @param newValue the new value
     */
    public void set(double newValue) {
        value = newValue;
    }

    @Override
    public String toString() {
        return Double.toString(value);
    }
}
