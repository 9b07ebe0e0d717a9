package org.jbmi.tcp.peer;

import org.jbmi.tcp.io.SocketTable;
import org.jbmi.tcp.settings.TcpCodes;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Checks whether the peers of connections that are not read, for lack of memory, are still
 * connected. It reads the system's list of connections in a virtual thread, since that takes long
 * where there are many. It does so at most once a second. It does so less often where that would
 * take more than a twentieth of the time, but after five seconds at the latest.
 */
final class PeerCheck {
    private static final long PAUSE_NS = 1_000_000_000;
    private static final long MOST_PAUSE_NS = 5_000_000_000L;
    private static final long SHARE = 20;

    private static final System.Logger LOG = System.getLogger("org.jbmi.tcp");

    private final TcpState state;
    private final Executor threads;
    private final List<Connection> waiting = new ArrayList<>();
    private long lastNs;
    private boolean hasLooked;
    private volatile boolean running;
    private volatile long costNs;

    PeerCheck(TcpState state) {
        this(state, task -> Thread.ofVirtual().name("jbmi-tcp-peers").start(task));
    }

    /** A check that runs in threads of somebody else. */
    PeerCheck(TcpState state, Executor threads) {
        this.state = state;
        this.threads = threads;
    }

    /**
     * Checks connections that have waited for too long, if there are any; called by the lead. The
     * result is in {@link Connection#goneCode} a moment later.
     */
    void look(List<Connection> connections, long nowNs) {
        // The cost includes waits for a processor, so it may be large on a busy machine.
        long pauseNs = Math.clamp(SHARE * costNs, PAUSE_NS, MOST_PAUSE_NS);
        if (running || (hasLooked && nowNs - lastNs < pauseNs)) {
            return;
        }
        waiting.clear();
        for (int i = 0; i < connections.size(); i++) {
            if (isOverdue(connections.get(i), nowNs)) {
                waiting.add(connections.get(i));
            }
        }
        if (!waiting.isEmpty()) {
            List<Connection> asked = List.copyOf(waiting); // first: it may run out of memory
            waiting.clear();
            lastNs = nowNs;
            hasLooked = true;
            running = true;
            state.counters.peerChecks.increment();
            start(asked);
        }
    }

    private void start(List<Connection> asked) {
        try {
            threads.execute(() -> run(asked));
        } catch (RuntimeException | Error e) {
            running = false; // there is no thread for it: a later look tries again
            LOG.log(System.Logger.Level.WARNING, "Closed peers are not looked for now.", e);
        }
    }

    /** Whether a connection has waited so long for memory that its peer may have gone. */
    boolean isOverdue(Connection connection, long nowNs) {
        long since = connection.incoming.parkedSinceNs;
        return since != 0 && !connection.ended && nowNs - since >= state.settings.earlyLingerNs;
    }

    private void run(List<Connection> asked) {
        long beginNs = System.nanoTime();
        try {
            SocketTable table = new SocketTable();
            for (Connection connection : asked) {
                want(table, connection);
            }
            table.read();
            for (Connection connection : asked) {
                connection.goneCode = codeOf(table, connection);
            }
            costNs = System.nanoTime() - beginNs;
        } finally {
            running = false;
        }
    }

    private static void want(SocketTable table, Connection connection) {
        try {
            table.want(connection.channel.getLocalAddress(), connection.channel.getRemoteAddress());
        } catch (IOException e) {
            // It is closed, so it is not checked.
        }
    }

    private static int codeOf(SocketTable table, Connection connection) {
        try {
            int fate =
                    table.stateOf(
                            connection.channel.getLocalAddress(),
                            connection.channel.getRemoteAddress());
            return switch (fate) {
                case SocketTable.THERE -> 0;
                case SocketTable.CLOSED -> TcpCodes.EPIPE;
                default -> TcpCodes.ECONNRESET;
            };
        } catch (IOException e) {
            return TcpCodes.ECONNRESET;
        }
    }
}
