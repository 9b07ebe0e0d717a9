package org.jbmi.rig.perf;

import org.jbmi.rig.perf.phase.Pattern;
import org.jbmi.rig.perf.phase.Phase;
import org.jbmi.rig.perf.phase.WaitMode;
import org.jbmi.rig.perf.phase.WorkerPlan;
import org.jbmi.rig.perf.phase.WorkerPlan.Role;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What to measure.
 *
 * @param target a method, to start both sides; or the address of a running server
 * @param phase the messages, with the first size
 * @param sizes of messages, in bytes
 * @param knobs of our instances and of the daemon
 * @param host where zoid's engine runs, see {@link Knobs#zoidHost}
 * @param plot the file of the plot, or null
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
        String host,
        boolean countsCalls,
        @Nullable Path plot) {
    /**
     * The clients.
     *
     * @param instances in each process, each with a connection of its own
     * @param threads for each instance
     */
    public record Clients(int processes, int instances, int threads) {
        /** One process with one connection and one thread. */
        public static final Clients ONE = new Clients(1, 1, 1);

        /** {@return the number of all connections} */
        public int connections() {
            return processes * instances;
        }

        /** {@return the number of all threads} */
        public int flows() {
            return connections() * threads;
        }
    }

    /**
     * The times of a run.
     *
     * @param warmUpMillis the longest warm-up before each size; it ends when the JIT compilers are
     *     idle
     * @param millis for each size and side, all rounds together
     * @param rounds the number of rounds in this time, 0 to choose it by their least length
     */
    public record Times(long warmUpMillis, long millis, int rounds) {}

    /**
     * What to compare with.
     *
     * @param commands of programs that take their turns by a protocol of lines
     */
    public record Peers(List<String> names, List<String> commands) {
        /** The target itself, with few receives pending. */
        public static final String FEW_PENDING = "few-pending";

        /** The number of pending receives of this peer. */
        public static final int FEW = 10;
    }

    /** The knob that says where zoid's engine runs. */
    public static final String HOST_KNOB = "zoid.host";

    /** The knob that names a command channel to an engine in the daemon. */
    public static final String CHANNEL_KNOB = "zoid.commandChannel";

    /** The engine runs in the daemon. */
    static final String IN_DAEMON = "daemon";

    private static final String EMBEDDED = "embedded";
    private static final String ZOID = "zoid";

    private static final String SCHEME_END = "://";

    /** The arguments of a process of a baseline, which may use the processors given. */
    WorkerPlan ofBaseline(Role role, String address, String name, List<Integer> processors) {
        return new WorkerPlan(role, address, waiting, 1, 1, cpus.of(processors), name, Map.of());
    }

    /** Whether the target is a running server. */
    boolean isAddress() {
        return target.contains(SCHEME_END);
    }

    /** Whether every message passes through a daemon. */
    boolean isRelayed() {
        return host.equals(IN_DAEMON);
    }

    /** Threads that wait as {@link #waiting} says. */
    record Waiters(int threads, int processors) {
        boolean areCrowded() {
            return threads > processors;
        }
    }

    /**
     * The threads of this machine that measure or answer: those that are kept on one processor, and
     * all together.
     */
    List<Waiters> waiters(int processors) {
        int senders = clients.flows();
        // A plug-in's server has threads of its own. One thread is both sides of "local".
        boolean isServedElsewhere =
                isAddress()
                        || phase.pattern() == Pattern.FORWARD
                        || phase.pattern() == Pattern.LOCAL;
        int servers = isServedElsewhere ? 0 : serverThreads;
        int relays = !isAddress() && scheme().equals(ZOID) && isRelayed() ? 1 : 0;
        Waiters all = new Waiters(senders + servers + relays, processors);
        return switch (cpus) {
            case FREE -> List.of(all);
            case SAME -> List.of(new Waiters(senders + servers, 1), all);
            case SPLIT ->
                    processors > 1
                            ? List.of(new Waiters(senders, 1), new Waiters(servers, 1), all)
                            : List.of(all);
        };
    }

    /** Whether zoid needs a daemon. */
    boolean daemon() {
        return !host.equals(EMBEDDED);
    }

    /** The method's name. */
    String scheme() {
        int end = target.indexOf(SCHEME_END);
        return end < 0 ? target : target.substring(0, end);
    }
}
