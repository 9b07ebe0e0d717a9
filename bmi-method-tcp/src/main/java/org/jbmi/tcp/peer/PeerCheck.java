package org.jbmi.tcp.peer;

import org.jbmi.tcp.io.SocketTable;
import org.jbmi.tcp.settings.TcpCodes;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds out whether the peers of connections that are not read, for lack of memory, are still
 * there. It asks the system's list of connections in a virtual thread of its own, since that takes
 * long where there are many; never more often than once a second, and for no more than a twentieth
 * of the time.
 */
final class PeerCheck {
    private static final long PAUSE_NS = 1_000_000_000;
    private static final long SHARE = 20;

    private final TcpState state;
    private final List<Connection> waiting = new ArrayList<>();
    private long lastNs;
    private boolean hasLooked;
    private volatile boolean running;
    private volatile long costNs;

    PeerCheck(TcpState state) {
        this.state = state;
    }

    /**
     * Looks after those that have waited for too long, if there are any; called by the lead. What
     * is found stands in {@link Connection#goneCode} a moment later.
     */
    void look(List<Connection> connections, long nowNs) {
        long pauseNs = Math.max(PAUSE_NS, SHARE * costNs);
        if (running || (hasLooked && nowNs - lastNs < pauseNs)) {
            return;
        }
        for (int i = 0; i < connections.size(); i++) {
            if (isOverdue(connections.get(i), nowNs)) {
                waiting.add(connections.get(i));
            }
        }
        if (!waiting.isEmpty()) {
            lastNs = nowNs;
            hasLooked = true;
            running = true;
            state.counters.peerChecks.increment();
            List<Connection> asked = List.copyOf(waiting);
            waiting.clear();
            Thread.ofVirtual().name("jbmi-tcp-peers").start(() -> run(asked));
        }
    }

    /** Whether a connection waits so long for memory that its peer may be gone. */
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
            // It is closed, and so it is not asked for.
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
