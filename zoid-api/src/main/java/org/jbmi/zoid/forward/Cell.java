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

    /** A cell that holds nothing yet. */
    public Cell() {}

    /**
     * A cell that holds a value.
     *
     * @param value what it holds
     */
    public Cell(T value) {
        this.value = Objects.requireNonNull(value);
    }

    /**
     * What the cell holds.
     *
     * @return the value, or null if none was set
     */
    public @Nullable T get() {
        return value;
    }

    /**
     * Changes what the cell holds.
     *
     * @param newValue what it holds from now on
     */
    public void set(T newValue) {
        value = Objects.requireNonNull(newValue);
    }

    @Override
    public String toString() {
        return String.valueOf(value);
    }
}
