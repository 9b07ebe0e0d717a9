package org.jbmi.tools.cli;

import java.io.Serial;

/** Something failed while a command ran. Its message is the one sentence that the user sees. */
public final class ToolException extends Exception {
    @Serial private static final long serialVersionUID = 1L;

    /**
     * Makes an exception.
     *
     * @param sentence what happened and, where it is not plain, what to do
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
