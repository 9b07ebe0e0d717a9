package org.jbmi.tools.cli;

import java.io.Serial;

/** A command has failed while it ran. The user sees the message, which is one sentence. */
public final class ToolException extends Exception {
    @Serial private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     *
     * @param sentence what happened and, if it is not obvious, what to do
     */
    public ToolException(String sentence) {
        super(sentence);
    }

    /**
     * Makes an exception with a cause.
     *
     * @param sentence what happened
     * @param cause shown with {@code --verbose}
     */
    public ToolException(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
