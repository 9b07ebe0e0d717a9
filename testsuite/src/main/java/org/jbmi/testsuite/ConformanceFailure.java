package org.jbmi.testsuite;

import java.io.Serial;

/** A check of a case failed. */
public final class ConformanceFailure extends AssertionError {
    @Serial private static final long serialVersionUID = 1L;

    /**
     * Makes a failure.
     *
     * @param message what is wrong
     */
    public ConformanceFailure(String message) {
        super(message);
    }
}
