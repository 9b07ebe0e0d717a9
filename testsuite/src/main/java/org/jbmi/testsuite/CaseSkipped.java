package org.jbmi.testsuite;

/** Ends a case that this machine cannot run. */
final class CaseSkipped extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** With what is missing. */
    CaseSkipped(String reason) {
        super(reason);
    }
}
