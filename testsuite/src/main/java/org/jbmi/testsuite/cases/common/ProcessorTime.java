package org.jbmi.testsuite.cases.common;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.Map;

/**
 * The processor time that the threads of this process use from now on, also those of the method. A
 * thread that has ended is left out, so it does not hide what the others use.
 */
public final class ProcessorTime {
    private final Map<Long, Long> beforeNs = readNs();

    /** Begins now. */
    public ProcessorTime() {}

    /** The sum over all threads that are there. */
    public long usedNs() {
        return readNs().entrySet().stream()
                .mapToLong(each -> each.getValue() - beforeNs.getOrDefault(each.getKey(), 0L))
                .sum();
    }

    private static Map<Long, Long> readNs() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Map<Long, Long> all = new HashMap<>();
        for (long id : threads.getAllThreadIds()) {
            long ns = threads.getThreadCpuTime(id);
            if (ns >= 0) {
                all.put(id, ns);
            }
        }
        return all;
    }
}
