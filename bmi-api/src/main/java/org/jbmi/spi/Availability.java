package org.jbmi.spi;

import org.jspecify.annotations.Nullable;

/**
 * Whether a method can be used here.
 *
 * @param reason null if it can, else one sentence that says why not
 */
public record Availability(@Nullable String reason) {
    /** It can. */
    public static final Availability AVAILABLE = new Availability(null);

    /**
     * It cannot.
     *
     * @param reason one sentence
     * @return the verdict
     */
    public static Availability unavailable(String reason) {
        return new Availability(reason);
    }

    /**
     * The verdict.
     *
     * @return true if the method can be used
     */
    public boolean isAvailable() {
        return reason == null;
    }
}
