package org.jbmi.zoidfs.protocol;

import java.io.Serial;

/** A message that is shorter than it must be, or whose fields contradict each other. */
public final class XdrException extends Exception {
    @Serial private static final long serialVersionUID = 1L;

    /** Makes an exception that says which field is wrong. */
    public XdrException(String message) {
        super(message);
    }
}
