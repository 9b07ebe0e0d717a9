package org.jbmi.rig.perf.phase;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;

import org.jbmi.Bmi;
import org.jbmi.observe.Counter;
import org.jbmi.shipper.codec.Shipped;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongBinaryOperator;

/** Reads what a process has spent: processor time, allocation, copies. */
public final class Meter {
    /**
     * What a process has spent since its start.
     *
     * @param allocatedBytes on the heap, by all of its threads
     * @param copies of payload, as its instances counted them
     * @param cpuNs processor time of all threads
     * @param threadNs processor time of the measuring or answering threads
     * @param compilerMs working time of its JIT compilers for finished compilations
     */
    @Shipped
    public record Reading(
            long allocatedBytes, long copies, long cpuNs, long threadNs, long compilerMs) {
        /** Nothing. */
        public static final Reading NONE = new Reading(0, 0, 0, 0, 0);

        /** What was spent since an earlier reading. */
        public Reading minus(Reading before) {
            return each(before, (now, then) -> now - then);
        }

        /** The sum of two readings. */
        Reading plus(Reading other) {
            return each(other, Long::sum);
        }

        /** The later of two readings of one process; no figure ever falls. */
        Reading later(Reading other) {
            return each(other, Math::max);
        }

        private Reading each(Reading other, LongBinaryOperator of) {
            return new Reading(
                    of.applyAsLong(allocatedBytes, other.allocatedBytes),
                    of.applyAsLong(copies, other.copies),
                    of.applyAsLong(cpuNs, other.cpuNs),
                    of.applyAsLong(threadNs, other.threadNs),
                    of.applyAsLong(compilerMs, other.compilerMs));
        }
    }

    private static final String COPIES = ".copies";

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final OperatingSystemMXBean system =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
    private final List<Bmi> instances;
    private final Set<Long> measuring = ConcurrentHashMap.newKeySet();
    private final AtomicLong leftOutNs = new AtomicLong();

    /** Makes a meter. */
    public Meter(Bmi... instances) {
        this(List.of(instances));
    }

    /** Makes a meter. */
    public Meter(List<Bmi> instances) {
        this.instances = List.copyOf(instances);
    }

    /** Counts the calling thread as a measuring or answering thread. */
    public void watchThisThread() {
        measuring.add(Thread.currentThread().threadId());
    }

    /** {@return the processor time of the calling thread, for {@link #leaveOut}} */
    public long ownNs() {
        return threads.getCurrentThreadCpuTime();
    }

    /**
     * Leaves out what the calling thread, which is watched, has spent since an earlier moment: work
     * of the rig itself, which is no part of a message.
     *
     * @param sinceNs what {@link #ownNs} or this method gave then
     * @return the processor time of the calling thread now
     */
    public long leaveOut(long sinceNs) {
        long now = ownNs();
        leftOutNs.addAndGet(now - sinceNs);
        return now;
    }

    /** {@return what the process has spent until now, without what was left out} */
    public Reading read() {
        long copies = 0;
        for (Bmi bmi : instances) {
            for (Counter counter : bmi.counters().all()) {
                if (counter.spec().label().endsWith(COPIES)) {
                    copies += counter.get();
                }
            }
        }
        // Before the clocks: nothing may be left out that the clocks do not contain yet.
        long without = leftOutNs.get();
        long threadNs = -without;
        for (long id : measuring) {
            threadNs += Math.max(0, threads.getThreadCpuTime(id));
        }
        boolean tells = compilers != null && compilers.isCompilationTimeMonitoringSupported();
        return new Reading(
                threads.getTotalThreadAllocatedBytes(),
                copies,
                system.getProcessCpuTime() - without,
                threadNs,
                tells ? compilers.getTotalCompilationTime() : 0);
    }
}
