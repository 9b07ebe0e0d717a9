package org.jbmi.spi;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the first failure of a sequence of steps, in which each step is taken even if an earlier
 * one fails. Any thread may call this; each thread keeps its own failure.
 */
public final class Failures {
    /** A step can be the cancel of one of many thousand operations. */
    private static final int MOST_SUPPRESSED = 8;

    private Failures() {}

    /**
     * The failure to throw when all steps are taken: the first one, which suppresses the next few.
     * Never fails: more steps may follow.
     *
     * @param before what this method returned for the steps before; null if none has failed
     * @param next what the last step threw
     * @return the failure for {@link #rethrow}
     */
    @SuppressWarnings("ReferenceEquality") // the very error, which the JVM may throw twice
    public static Throwable first(@Nullable Throwable before, Throwable next) {
        if (before == null) {
            return next;
        }
        try {
            if (before != next && before.getSuppressed().length < MOST_SUPPRESSED) {
                before.addSuppressed(next);
            }
        } catch (OutOfMemoryError e) {
            // The first one is thrown all the same.
        }
        return before;
    }

    /**
     * Throws the failure if there is one.
     *
     * @param failure an unchecked one, or null
     */
    public static void rethrow(@Nullable Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw (RuntimeException) failure;
        }
    }
}
