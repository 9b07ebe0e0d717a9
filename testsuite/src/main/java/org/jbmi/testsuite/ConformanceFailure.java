package org.jbmi.testsuite;

import java.io.Serial;

/** Something is not as a case expects it. */
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
