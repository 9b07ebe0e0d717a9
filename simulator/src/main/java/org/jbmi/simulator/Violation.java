package org.jbmi.simulator;

/** A check of a guarantee has failed. It is an Error, so that no code catches it on the way. */
public final class Violation extends Error {
    private static final long serialVersionUID = 1;

    /**
     * A failed check.
     *
     * @param sentence what failed
     */
    public Violation(String sentence) {
        super(sentence);
    }

    Violation(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
