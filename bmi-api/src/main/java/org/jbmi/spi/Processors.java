package org.jbmi.spi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How many processors this process may use, and why there are not more. Somebody who has pinned a
 * process to one of many expects its peers on the others, and they do go on while it spins; one
 * that has but a share of one processor, or a machine with a single one, can wait for nothing that
 * way.
 */
final class Processors {
    private static final String ALLOWED = "Cpus_allowed_list:";

    private Processors() {}

    /**
     * Whether this process is pinned to one processor of a machine that has more.
     *
     * @param status what the system says of the process
     * @param online the processors of the machine, as a list of ranges
     * @return false also where the system does not say
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

    /** Whether this thread, and so what it starts, is, as Linux says. */
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
