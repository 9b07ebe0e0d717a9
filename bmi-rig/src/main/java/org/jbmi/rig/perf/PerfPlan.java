package org.jbmi.rig.perf;

import org.jbmi.rig.perf.worker.Phase;
import org.jbmi.rig.perf.worker.WaitMode;
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
 * @param clients who asks
 * @param serverThreads who answers
 * @param waiting how everyone waits
 * @param cpus where everyone runs
 * @param times how long
 * @param peers whom to compare with
 * @param knobs of our instances and of the daemon
 * @param daemon whether zoid gets a daemon
 * @param countsCalls whether system calls are counted
 * @param plot where to draw, or null
 */
public record PerfPlan(
        String target,
        Phase phase,
        List<Integer> sizes,
        Clients clients,
        int serverThreads,
        WaitMode waiting,
        CpuPlacement cpus,
        Times times,
        Peers peers,
        Map<String, String> knobs,
        boolean daemon,
        boolean countsCalls,
        @Nullable Path plot) {
    /**
     * Who asks.
     *
     * @param processes how many
     * @param instances in each process, each with a connection of its own
     * @param threads for each instance
     */
    public record Clients(int processes, int instances, int threads) {
        /** One of each. */
        public static final Clients ONE = new Clients(1, 1, 1);

        /**
         * All connections.
         *
         * @return 1 or more
         */
        public int connections() {
            return processes * instances;
        }

        /**
         * All threads.
         *
         * @return 1 or more
         */
        public int flows() {
            return connections() * threads;
        }
    }

    /**
     * How long.
     *
     * @param warmUpMillis at most, before each size: until then compilers shall rest
     * @param millis for each size and side, all rounds together
     * @param rounds into which the time is cut, 0 for as many as leave each long enough
     */
    public record Times(long warmUpMillis, long millis, int rounds) {}

    /**
     * Whom to compare with.
     *
     * @param names of baselines
     * @param commands of programs that take their turns by a protocol of lines
     */
    public record Peers(List<String> names, List<String> commands) {
        /** The target itself, with few receives pending. */
        public static final String FEW_PENDING = "few-pending";

        /** Receives that are pending there. */
        public static final int FEW = 10;

        /** Nobody. */
        public static final Peers NONE = new Peers(List.of(), List.of());

        boolean isEmpty() {
            return names.isEmpty() && commands.isEmpty();
        }
    }

    /** The knob that says where zoid's engine runs. */
    public static final String HOST_KNOB = "zoid.host";

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
