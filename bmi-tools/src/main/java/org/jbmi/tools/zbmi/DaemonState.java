package org.jbmi.tools.zbmi;

import org.jbmi.mempool.ProcessLiveness;
import org.jbmi.tools.cli.ToolException;
import org.jbmi.zbmi.link.RuntimeDirectory;

import java.io.IOException;
import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether there is a daemon: counters that one left behind when it was killed tell nothing. */
final class DaemonState {
    /** Process id and start time. */
    private static final Pattern HOLDER = Pattern.compile("(\\d{1,10}) (\\d{1,18})\\s*");

    private static final int MAX_BYTES = 64;

    private DaemonState() {}

    /**
     * Checks that a daemon runs.
     *
     * @param directory where it would meet its peers
     * @throws ToolException with a sentence if none does
     */
    static void checkAlive(RuntimeDirectory directory) throws ToolException {
        if (!directory.check() || !isAlive(directory)) {
            throw new ToolException(
                    "No zoid daemon is running in "
                            + directory.path()
                            + "; 'zbmi serve' starts one.");
        }
    }

    private static boolean isAlive(RuntimeDirectory directory) {
        try {
            if (Files.size(directory.pid()) > MAX_BYTES) {
                return false;
            }
            Matcher holder = HOLDER.matcher(Files.readString(directory.pid()));
            return holder.matches()
                    && new ProcessLiveness()
                            .isAlive(
                                    Long.parseLong(holder.group(1)),
                                    Long.parseLong(holder.group(2)));
        } catch (IOException e) {
            return false;
        }
    }
}
