package org.jbmi.tools.zbmi;

import org.jbmi.tools.cli.ToolException;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.host.place.HostInUse;

/** Checks that a daemon runs, because the counters of a killed one say nothing. */
final class DaemonState {
    private DaemonState() {}

    /**
     * Checks that a daemon runs.
     *
     * @param directory its runtime directory
     * @throws ToolException if no daemon runs
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
