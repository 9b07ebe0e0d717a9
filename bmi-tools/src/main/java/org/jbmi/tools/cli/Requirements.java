package org.jbmi.tools.cli;

import org.jbmi.mempool.os.NativeAccess;

import java.util.Optional;

/** What a command needs of the machine. */
public final class Requirements {
    private Requirements() {}

    /**
     * Needs shared memory and the system calls that zoid makes.
     *
     * @param advice what to do without, as the end of a sentence; may be empty
     * @throws ToolException with a sentence if the machine does not have them
     */
    public static void zoid(String advice) throws ToolException {
        Optional<String> reason = NativeAccess.unavailabilityReason();
        if (reason.isPresent()) {
            throw new ToolException("zoid cannot be used here: " + reason.get() + advice + ".");
        }
    }
}
