package org.jbmi.testsuite;

import org.jspecify.annotations.Nullable;

/**
 * How a case ended.
 *
 * @param conformanceCase the case
 * @param outcome in one word
 * @param reason why it was not run or failed, empty if it passed
 * @param failure the exception of a failed case, or null
 */
public record CaseResult(
        ConformanceCase conformanceCase,
        Outcome outcome,
        String reason,
        @Nullable Throwable failure) {
    /** The outcome in one word. */
    public enum Outcome {
        /** All checks passed. */
        PASSED,
        /** A check failed. */
        FAILED,
        /** Not run: the method lacks a capability of the case. */
        SKIPPED,
        /** Not run: it is in the file of exclusions. */
        EXCLUDED
    }

    @Override
    public String toString() {
        return conformanceCase.displayName()
                + ": "
                + outcome
                + (reason.isEmpty() ? "" : " (" + reason + ")");
    }
}
