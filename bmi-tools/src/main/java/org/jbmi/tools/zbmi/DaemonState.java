package org.jbmi.tools.zbmi;

import org.jbmi.tools.cli.ToolException;
import org.jbmi.zbmi.attach.RuntimeDirectory;
import org.jbmi.zbmi.host.place.HostInUse;

/** Checks that a host of the engine runs, because the counters of a killed one say nothing. */
final class DaemonState {
    private DaemonState() {}

    /**
     * Checks that a daemon or a server that hosts the engine runs.
     *
     * @throws ToolException if neither runs
     */
    static void checkAlive(RuntimeDirectory directory) throws ToolException {
        if (!HostInUse.isServed(directory)) {
            throw new ToolException(
                    "No zoid daemon or server is running in "
                            + directory.path()
                            + "; 'zbmi serve' starts a daemon.");
        }
    }
}
