package org.jbmi.spi;

import org.jspecify.annotations.Nullable;

/**
 * Whether a method can be used on this machine.
 *
 * @param reason null if it can, else one sentence that says why not
 */
public record Availability(@Nullable String reason) {
    /** It can be used. */
    public static final Availability AVAILABLE = new Availability(null);

    /**
     * It cannot be used.
     *
     * @param reason one sentence
     * @return the result
     */
    public static Availability unavailable(String reason) {
        return new Availability(reason);
    }

    /**
     * The result.
     *
     * @return true if the method can be used
     */
    public boolean isAvailable() {
        return reason == null;
    }
}
