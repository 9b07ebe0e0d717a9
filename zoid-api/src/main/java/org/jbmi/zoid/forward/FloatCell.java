package org.jbmi.zoid.forward;

/**
 * One {@code float} that a function reads or changes. Not safe for use by several threads at once.
 */
public final class FloatCell {
    private float value;

    /** A cell that holds zero. */
    public FloatCell() {}

    /**
     * A cell that holds a value.
     *
     * @param value its value
     */
    public FloatCell(float value) {
        this.value = value;
    }

    /**
     * The value of the cell.
     *
     * @return the value
     */
    public float get() {
        return value;
    }

    /**
     * Sets the value of the cell.
     *
     * @param newValue the new value
     */
    public void set(float newValue) {
        value = newValue;
    }

    @Override
    public String toString() {
        return Float.toString(value);
    }
}
