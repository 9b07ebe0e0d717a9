package org.jbmi.spi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Why a process has one processor only. If it is pinned to one of several processors, it may spin,
 * since its peers may run on the others. Spinning only delays the peers on a machine with one
 * processor, or in a container that may use as much time as one processor has.
 */
final class Processors {
    private static final String ALLOWED = "Cpus_allowed_list:";

    private Processors() {}

    /**
     * Whether this process is pinned to one processor of a machine that has more.
     *
     * @param status the system's status file of the process
     * @param online the processors of the machine, as a list of ranges
     * @return false also if the system does not show it
     */
    static boolean isPinned(Path status, Path online) {
        try {
            String allowed =
                    Files.readAllLines(status).stream()
                            .filter(line -> line.startsWith(ALLOWED))
                            .map(line -> line.substring(ALLOWED.length()).strip())
                            .findFirst()
                            .orElse("");
            return count(allowed) == 1 && count(Files.readString(online).strip()) > 1;
        } catch (IOException | NumberFormatException e) {
            return false;
        }
    }

    /** Whether this thread, and so its children, is pinned, as Linux reports. */
    static boolean isPinned() {
        return isPinned(
                Path.of("/proc/thread-self/status"), Path.of("/sys/devices/system/cpu/online"));
    }

    // "0-3,8" are five.
    private static int count(String ranges) {
        int count = 0;
        for (String range : ranges.split(",", -1)) {
            String[] ends = range.split("-", 2);
            count += Integer.parseInt(ends[ends.length - 1]) - Integer.parseInt(ends[0]) + 1;
        }
        return count;
    }
}
