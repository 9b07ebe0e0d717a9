package org.jbmi.testsuite;

import org.jspecify.annotations.Nullable;

/**
 * How a case ended.
 *
 * @param conformanceCase which
 * @param outcome in one word
 * @param reason why it was not run or failed, empty if it passed
 * @param failure the exception of a failed case, or null
 */
public record CaseResult(
        ConformanceCase conformanceCase,
        Outcome outcome,
        String reason,
        @Nullable Throwable failure) {
    /** In one word. */
    public enum Outcome {
        /** Everything was as it should be. */
        PASSED,
        /** Something was not. */
        FAILED,
        /** Not run: the method does not have what the case needs. */
        SKIPPED,
        /** Not run: it stands in the file of exclusions. */
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
