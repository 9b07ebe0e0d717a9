package org.jbmi.tcp.peer;

import org.jbmi.spi.IntrusiveList;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.locks.LockSupport;

/**
 * Writes small sends that wait to be written together, after a short time. So a program that posts
 * a burst need not make a test call. A virtual thread does it, which exists only while there are
 * such bursts.
 */
final class Flusher {
    private static final System.Logger LOG = System.getLogger("org.jbmi.tcp");
    private static final long PAUSE_NS = 100_000;
    private static final int IDLE_ROUNDS = 20;

    private final TcpState state;
    private final Writer writer;

    // Guarded by the method's lock.
    private final IntrusiveList<Connection.Place> corked = new IntrusiveList<>();
    private boolean running;

    Flusher(TcpState state, Writer writer) {
        this.state = state;
        this.writer = writer;
    }

    /** Sends of a connection begin to wait; under the lock. */
    void corked(Connection connection) {
        if (!connection.corkPlace.isListed()) {
            corked.addLast(connection.corkPlace);
        }
        if (!running) {
            try {
                Thread.ofVirtual().name("jbmi-tcp-flush").start(this::run);
                running = true;
            } catch (RuntimeException | Error e) {
                state.attend(connection); // there is no thread or memory: the lead writes them
            }
        }
    }

    private void run() {
        try {
            flush();
        } catch (RuntimeException | Error e) {
            synchronized (state.lock) {
                running = false;
                // Another thread writes the others, or the lead does.
                for (Connection.Place each = corked.first();
                        each != null;
                        each = corked.next(each)) {
                    corked(each.connection);
                }
            }
            LOG.log(System.Logger.Level.ERROR, "A write after a pause failed.", e);
        }
    }

    private void flush() {
        int idle = 0;
        while (idle < IDLE_ROUNDS || !mayEnd()) {
            LockSupport.parkNanos(this, PAUSE_NS);
            int left;
            synchronized (state.lock) {
                left = corked.size(); // those that come meanwhile have a time of their own
            }
            idle = left == 0 ? idle + 1 : 0;
            for (; left > 0; left--) {
                Connection connection = next();
                if (connection != null) {
                    writer.writable(connection);
                }
            }
        }
    }

    private @Nullable Connection next() {
        synchronized (state.lock) {
            Connection.Place next = corked.poll();
            return next == null || !next.connection.corked ? null : next.connection;
        }
    }

    private boolean mayEnd() {
        synchronized (state.lock) {
            running = !corked.isEmpty() && !state.closed;
            return !running;
        }
    }
}
