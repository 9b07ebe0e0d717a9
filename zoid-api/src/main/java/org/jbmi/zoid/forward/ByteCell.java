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
     * @param value what it holds
     */
    public ByteCell(byte value) {
        this.value = value;
    }

    /**
     * What the cell holds.
     *
     * @return the value
     */
    public byte get() {
        return value;
    }

    /**
     * Changes what the cell holds.
     *
     * @param newValue what it holds from now on
     */
    public void set(byte newValue) {
        value = newValue;
    }

    @Override
    public String toString() {
        return Byte.toString(value);
    }
}
