package org.jbmi.zoid.forward;

/**
 * One {@code byte} that a function reads or changes. Not safe for use by several threads at once.
 */
public final class ByteCell {
    private byte value;

    /** A cell that holds zero. */
    public ByteCell() {}

    /**
     * A cell that holds a value.
     *
     * @param value its value
     */
    public ByteCell(byte value) {
        this.value = value;
    }

    /**
     * The value of the cell.
     *
     * @return the value
     */
    public byte get() {
        return value;
    }

    /**
     * Sets the value of the cell.
     *
     * @param newValue the new value
     */
    public void set(byte newValue) {
        value = newValue;
    }

    @Override
    public String toString() {
        return Byte.toString(value);
    }
}
