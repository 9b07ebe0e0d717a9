package org.jbmi.architecture.guilty;

/** Ends its host's process. */
public final class EndsTheProcess {

    /** Ends it. */
    public void end() {
        System.exit(1);
    }
}
