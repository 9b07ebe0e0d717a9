package org.jbmi.tcp.peer;

import org.jbmi.tcp.io.Sockets;
import org.jbmi.tcp.settings.TcpCodes;

import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The end of a method: messages on the wire are finished within a bounded time, other operations
 * end.
 */
final class Closing {
    private static final long PAUSE_NS = 200_000;

    private final TcpState state;
    private final Endings endings;
    private final Writer writer;
    private final Dialer dialer;
    private final Directory directory;

    Closing(TcpState state, Endings endings, Writer writer, Dialer dialer, Directory directory) {
        this.state = state;
        this.endings = endings;
        this.writer = writer;
        this.dialer = dialer;
        this.directory = directory;
    }

    /** Ends everything, and waits until a deadline, which may be very far. */
    void close(List<Acceptor> acceptors, Selector selector, long deadlineNs) {
        List<Connection> open;
        List<TcpPeer> dialed = new ArrayList<>();
        synchronized (state.lock) {
            if (state.closed) {
                return;
            }
            state.closed = true;
            open = new ArrayList<>(state.connections);
            state.dials.forEach(dial -> dialed.add(dial.peer));
            for (Connection connection : open) {
                state.completeAll(connection.peer.sends, TcpCodes.ECANCEL);
            }
        }
        acceptors.forEach(Acceptor::close);
        dialed.forEach(peer -> dialer.abandon(peer, TcpCodes.ECANCEL));
        flush(open, deadlineNs);
        open.forEach(connection -> endings.end(connection, TcpCodes.ECANCEL));
        synchronized (state.lock) {
            for (TcpPeer peer : directory.lookedUp()) {
                state.completeAll(peer.sends, TcpCodes.ECANCEL);
                endings.failReceives(peer, TcpCodes.ECANCEL);
            }
        }
        Sockets.closeQuietly(selector);
        freeMemory(deadlineNs);
    }

    /** Frees each memory, whether or not a native call of the program holds another one. */
    private void freeMemory(long deadlineNs) {
        try {
            state.unexpected.close(deadlineNs);
        } finally {
            try {
                state.early.close(deadlineNs);
            } finally {
                state.counters.leakedBlocks.add(state.pool.close(deadlineNs));
            }
        }
    }

    /** Finishes messages of which a part is on the wire. */
    private void flush(List<Connection> open, long deadlineNs) {
        long nowNs = System.nanoTime();
        long leftNs = deadlineNs == Long.MAX_VALUE ? deadlineNs : deadlineNs - nowNs;
        long endNs = nowNs + Math.min(state.settings.closeFlushNs, leftNs);
        while (hasUnfinished(open) && System.nanoTime() - endNs < 0) {
            LockSupport.parkNanos(this, PAUSE_NS);
            boolean interrupted = Thread.interrupted();
            open.forEach(writer::writable);
            if (interrupted) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private boolean hasUnfinished(List<Connection> open) {
        synchronized (state.lock) {
            for (Connection connection : open) {
                boolean isUnfinished = connection.blocked || connection.writing;
                if (!connection.ended && isUnfinished && connection.writeError == 0) {
                    return true;
                }
            }
            return false;
        }
    }
}
