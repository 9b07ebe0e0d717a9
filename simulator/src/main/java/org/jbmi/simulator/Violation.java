package org.jbmi.simulator;

/** Something that was promised does not hold. An error, so that nothing on the way swallows it. */
public final class Violation extends Error {
    private static final long serialVersionUID = 1;

    /**
     * Something that does not hold.
     *
     * @param sentence what
     */
    public Violation(String sentence) {
        super(sentence);
    }

    Violation(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
