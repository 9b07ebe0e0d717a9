package org.jbmi.tcp.peer;

import org.jbmi.spi.Failures;
import org.jbmi.tcp.io.Sockets;
import org.jbmi.tcp.settings.TcpCodes;
import org.jspecify.annotations.Nullable;

import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

/**
 * The end of a method: messages on the wire are finished within a bounded time, other operations
 * end. Each step is taken even if one before it fails, since no later close takes it. The heap may
 * be full: what ends operations and frees memory of the method allocates nothing. Without memory,
 * unread bytes stay in a socket that is closed, and the peer may see a reset. The JDK allocates
 * when it closes a socket or a selector. If it cannot, a listening socket stays open. So a close
 * first releases reserved memory.
 */
final class Closing {
    private static final long PAUSE_NS = 200_000;
    private static final int RESERVE_BYTES = 16 << 10;

    private final TcpState state;
    private final Endings endings;
    private final Writer writer;
    private final Dialer dialer;
    private final Directory directory;
    private final BiConsumer<String, TcpPeer> endPeer = this::endPeer;

    @SuppressWarnings("unused") // it only takes up memory until the close
    private byte @Nullable [] reserve = new byte[RESERVE_BYTES];

    /** The first failure of the thread that closes. */
    private @Nullable Throwable failure;

    Closing(TcpState state, Endings endings, Writer writer, Dialer dialer, Directory directory) {
        this.state = state;
        this.endings = endings;
        this.writer = writer;
        this.dialer = dialer;
        this.directory = directory;
    }

    /** Ends everything, and waits until a deadline, which may be very far. */
    void close(List<Acceptor> acceptors, Selector selector, long deadlineNs) {
        synchronized (state.lock) {
            if (state.closed) {
                return;
            }
            state.closed = true;
            reserve = null;
            endSends();
        }
        closeAcceptors(acceptors);
        endDials();
        flush(deadlineNs);
        endConnections();
        synchronized (state.lock) {
            endPeers();
        }
        try {
            Sockets.closeQuietly(selector);
        } catch (RuntimeException | Error e) {
            failed(e);
        }
        try {
            freeMemory(deadlineNs);
        } catch (RuntimeException | Error e) {
            failed(e);
        }
        Failures.rethrow(failure);
    }

    private void failed(Throwable next) {
        failure = Failures.first(failure, next);
    }

    private void endSends() {
        for (int i = 0; i < state.connections.size(); i++) {
            try {
                state.completeAll(state.connections.get(i).peer.sends, TcpCodes.ECANCEL);
            } catch (RuntimeException | Error e) {
                failed(e);
            }
        }
    }

    private void closeAcceptors(List<Acceptor> acceptors) {
        for (int i = 0; i < acceptors.size(); i++) {
            try {
                acceptors.get(i).close();
            } catch (RuntimeException | Error e) {
                failed(e);
            }
        }
    }

    private void endDials() {
        for (Dial dial = lastDial(); dial != null; dial = lastDial()) {
            try {
                dialer.abandon(dial, TcpCodes.ECANCEL);
            } catch (RuntimeException | Error e) {
                failed(e);
            }
        }
    }

    private @Nullable Dial lastDial() {
        synchronized (state.lock) {
            return state.dials.isEmpty() ? null : state.dials.getLast();
        }
    }

    // From the last connection to the first, since each leaves the list.
    private void endConnections() {
        for (int i = connectionCount() - 1; i >= 0; i--) {
            try {
                Connection connection = connectionAt(i);
                if (connection != null) {
                    endings.end(connection, TcpCodes.ECANCEL);
                }
            } catch (RuntimeException | Error e) {
                failed(e);
            }
        }
    }

    private int connectionCount() {
        synchronized (state.lock) {
            return state.connections.size();
        }
    }

    /** Returns null if others have left meanwhile. */
    private @Nullable Connection connectionAt(int index) {
        synchronized (state.lock) {
            return index < state.connections.size() ? state.connections.get(index) : null;
        }
    }

    private void endPeers() {
        try {
            directory.forEachLookedUp(endPeer);
        } catch (RuntimeException | Error e) {
            failed(e); // the selector and the memory are freed all the same
        }
    }

    private void endPeer(String name, TcpPeer peer) {
        try {
            try {
                state.completeAll(peer.sends, TcpCodes.ECANCEL);
            } finally {
                endings.failReceives(peer, TcpCodes.ECANCEL);
            }
        } catch (RuntimeException | Error e) {
            failed(e);
        }
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
    private void flush(long deadlineNs) {
        long nowNs = System.nanoTime();
        long leftNs = deadlineNs == Long.MAX_VALUE ? deadlineNs : deadlineNs - nowNs;
        long endNs = nowNs + Math.min(state.settings.closeFlushNs, leftNs);
        while (hasUnfinished() && System.nanoTime() - endNs < 0) {
            LockSupport.parkNanos(this, PAUSE_NS);
            boolean interrupted = Thread.interrupted();
            writeAll();
            if (interrupted) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void writeAll() {
        for (int i = connectionCount() - 1; i >= 0; i--) {
            try {
                Connection connection = connectionAt(i);
                if (connection != null) {
                    writer.writable(connection);
                }
            } catch (RuntimeException | Error e) {
                failed(e);
            }
        }
    }

    private boolean hasUnfinished() {
        synchronized (state.lock) {
            for (int i = 0; i < state.connections.size(); i++) {
                Connection connection = state.connections.get(i);
                boolean isUnfinished = connection.blocked || connection.writing;
                if (!connection.ended && isUnfinished && connection.writeError == 0) {
                    return true;
                }
            }
            return false;
        }
    }
}
