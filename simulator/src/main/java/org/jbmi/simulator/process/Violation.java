package org.jbmi.simulator.process;

/** A check of a guarantee has failed. It is an Error, so that no code catches it on the way. */
public final class Violation extends Error {
    private static final long serialVersionUID = 1;

    /** A failed check. */
    public Violation(String sentence) {
        super(sentence);
    }

    /** A failed check that an error has caused. */
    public Violation(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
