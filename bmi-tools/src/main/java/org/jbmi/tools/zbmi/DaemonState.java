package org.jbmi.tools.zbmi;

import org.jbmi.tools.cli.ToolException;
import org.jbmi.zbmi.host.HostInUse;
import org.jbmi.zbmi.link.RuntimeDirectory;

/** Whether there is a daemon: counters that one left behind when it was killed tell nothing. */
final class DaemonState {
    private DaemonState() {}

    /**
     * Checks that a daemon runs.
     *
     * @param directory where it would meet its peers
     * @throws ToolException with a sentence if none does
     */
    static void checkAlive(RuntimeDirectory directory) throws ToolException {
        if (!HostInUse.isServed(directory)) {
            throw new ToolException(
                    "No zoid daemon is running in "
                            + directory.path()
                            + "; 'zbmi serve' starts one.");
        }
    }
}
