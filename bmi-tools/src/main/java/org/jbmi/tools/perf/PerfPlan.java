package org.jbmi.tools.perf;

import org.jbmi.tools.perf.worker.Phase;
import org.jbmi.tools.perf.worker.WaitMode;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What is to be measured.
 *
 * @param target a method, to start both sides; or the address of a server that is there
 * @param phase the messages, with the first size
 * @param sizes of messages, in bytes
 * @param clients processes that ask
 * @param threads in each process
 * @param waiting how everyone waits
 * @param cpus where everyone runs
 * @param warmUpMillis before each size, which are not counted
 * @param millis for each size, all rounds together
 * @param rounds into which the time is cut
 * @param versus baselines to compare with
 * @param knobs of our instances and of the daemon
 * @param daemon whether zoid gets a daemon
 * @param countsCalls whether system calls are counted
 * @param plot where to draw, or null
 */
public record PerfPlan(
        String target,
        Phase phase,
        List<Integer> sizes,
        int clients,
        int threads,
        WaitMode waiting,
        CpuPlacement cpus,
        long warmUpMillis,
        long millis,
        int rounds,
        List<String> versus,
        Map<String, String> knobs,
        boolean daemon,
        boolean countsCalls,
        @Nullable Path plot) {
    /** The knob that says where zoid's engine runs. */
    static final String HOST_KNOB = "zoid.host";

    private static final String SCHEME_END = "://";

    /** Whether the server is somebody else's to start. */
    boolean isAddress() {
        return target.contains(SCHEME_END);
    }

    /** Whether every message passes through a daemon; else one only looks on. */
    boolean isRelayed() {
        return "daemon".equals(knobs.get(HOST_KNOB));
    }

    /** The method's name. */
    String scheme() {
        int end = target.indexOf(SCHEME_END);
        return end < 0 ? target : target.substring(0, end);
    }
}
