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
     * @param value what it holds
     */
    public FloatCell(float value) {
        this.value = value;
    }

    /**
     * What the cell holds.
     *
     * @return the value
     */
    public float get() {
        return value;
    }

    /**
     * Changes what the cell holds.
     *
     * @param newValue what it holds from now on
     */
    public void set(float newValue) {
        value = newValue;
    }

    @Override
    public String toString() {
        return Float.toString(value);
    }
}
