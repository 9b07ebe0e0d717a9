package org.jbmi.tools.cli;

import org.jbmi.mempool.os.NativeAccess;

import java.util.Optional;

/** Checks what a command needs from the machine. */
public final class Requirements {
    private Requirements() {}

    /**
     * Checks shared memory and the system calls of zoid.
     *
     * @param advice what to do without them, as the end of a sentence; may be empty
     * @throws ToolException if the machine does not have them; the message says why
     */
    public static void zoid(String advice) throws ToolException {
        Optional<String> reason = NativeAccess.unavailabilityReason();
        if (reason.isPresent()) {
            throw new ToolException("zoid cannot be used here: " + reason.get() + advice + ".");
        }
    }
}
