package org.jbmi.tools.perf.worker;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;

import org.jbmi.Bmi;
import org.jbmi.observe.Counter;

import java.lang.management.ManagementFactory;
import java.util.List;

/** Reads what a process has spent. */
public final class Meter {
    /**
     * What a process has spent since its start.
     *
     * @param allocatedBytes on the heap, by all of its threads
     * @param copies of payload that its instances counted
     * @param cpuNs processor time
     */
    public record Reading(long allocatedBytes, long copies, long cpuNs) {
        Reading minus(Reading before) {
            return new Reading(
                    allocatedBytes - before.allocatedBytes,
                    copies - before.copies,
                    cpuNs - before.cpuNs);
        }
    }

    private static final String COPIES = ".copies";

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final OperatingSystemMXBean system =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final List<Bmi> instances;

    /**
     * Makes a meter.
     *
     * @param instances whose copies are read
     */
    public Meter(Bmi... instances) {
        this.instances = List.of(instances);
    }

    /**
     * Reads.
     *
     * @return what was spent until now
     */
    public Reading read() {
        long copies = 0;
        for (Bmi bmi : instances) {
            for (Counter counter : bmi.counters().all()) {
                if (counter.spec().label().endsWith(COPIES)) {
                    copies += counter.get();
                }
            }
        }
        return new Reading(
                threads.getTotalThreadAllocatedBytes(), copies, system.getProcessCpuTime());
    }
}
