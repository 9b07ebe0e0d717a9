package org.jbmi.zoidfs.protocol;

import java.util.Locale;

/** The form of a server's replies. A request does not say which one its sender expects. */
public enum Dialect {
    /** No reply carries hints. */
    MAIN,
    /** The replies of get_attr, set_attr and write end with hints. */
    SFP;

    /** Its name on the command line. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether a successful reply of an operation ends with hints. */
    public boolean repliesHints(Operation operation) {
        return this == SFP
                && (operation == Operation.GET_ATTR
                        || operation == Operation.SET_ATTR
                        || operation == Operation.WRITE);
    }
}
