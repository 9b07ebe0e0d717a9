package org.jbmi.zoid.forward;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * One object that a function reads or changes. Not safe for use by several threads at once.
 *
 * @param <T> a record, or {@code String}
 */
public final class Cell<T> {
    private @Nullable T value;

    /** A cell without a value. */
    public Cell() {}

    /**
     * A cell that holds a value.
     *
     * @param value its value
     */
    public Cell(T value) {
        this.value = Objects.requireNonNull(value);
    }

    /**
     * The value of the cell.
     *
     * @return the value, or null if none was set
     */
    public @Nullable T get() {
        return value;
    }

    /**
     * Sets the value of the cell.
     *
     * @param newValue the new value
     */
    public void set(T newValue) {
        value = Objects.requireNonNull(newValue);
    }

    @Override
    public String toString() {
        return String.valueOf(value);
    }
}
