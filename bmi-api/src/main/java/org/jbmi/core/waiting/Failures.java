package org.jbmi.core.waiting;

import org.jspecify.annotations.Nullable;

/** For steps of which each is taken even if one before it fails. */
public final class Failures {
    private Failures() {}

    /**
     * The failure to throw when all steps are taken: the first one, which suppresses the others.
     */
    @SuppressWarnings("ReferenceEquality") // the very error, which the JVM may throw twice
    public static Throwable first(@Nullable Throwable before, Throwable next) {
        if (before == null) {
            return next;
        }
        if (before != next) {
            before.addSuppressed(next);
        }
        return before;
    }

    /** Throws the failure if there is one. It must be an unchecked one. */
    public static void rethrow(@Nullable Throwable failure) {
        switch (failure) {
            case null -> {}
            case Error error -> throw error;
            case RuntimeException exception -> throw exception;
            default -> throw new IllegalStateException(failure);
        }
    }
}
