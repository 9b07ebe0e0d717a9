package org.jbmi.zbmi.host;

import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.YieldingWaitStrategy;

import org.jspecify.annotations.Nullable;

/**
 * A ring of events from the sessions thread to the engine's thread, which polls it beside its
 * lanes. No thread waits on it; a full ring refuses, and the caller tries again later.
 */
final class ControlRing implements SessionEvents {
    private static final int SIZE = 1024;

    private enum Kind {
        ATTACH,
        ASKED,
        GONE,
        PROVED_DEAD
    }

    private static final class Event {
        private Kind kind = Kind.ATTACH;
        private @Nullable Connection connection;
        private boolean clean;
    }

    private final RingBuffer<Event> ring =
            RingBuffer.createMultiProducer(Event::new, SIZE, new YieldingWaitStrategy());
    private final EventPoller<Event> poller = ring.newPoller();
    private final Runnable wakeEngine;

    /**
     * An empty ring.
     *
     * @param wakeEngine called after each event
     */
    ControlRing(Runnable wakeEngine) {
        this.wakeEngine = wakeEngine;
        ring.addGatingSequences(poller.getSequence());
    }

    @Override
    public boolean attach(Connection connection) {
        return publish(Kind.ATTACH, connection, false);
    }

    @Override
    public boolean asked(Connection connection) {
        return publish(Kind.ASKED, connection, false);
    }

    @Override
    public boolean gone(Connection connection, boolean clean) {
        return publish(Kind.GONE, connection, clean);
    }

    @Override
    public boolean provedDead(Connection connection) {
        return publish(Kind.PROVED_DEAD, connection, true);
    }

    private boolean publish(Kind kind, Connection connection, boolean clean) {
        long sequence;
        try {
            sequence = ring.tryNext();
        } catch (InsufficientCapacityException e) {
            return false;
        }
        Event event = ring.get(sequence);
        event.kind = kind;
        event.connection = connection;
        event.clean = clean;
        ring.publish(sequence);
        wakeEngine.run();
        return true;
    }

    /** For the engine's thread: whether it is empty. */
    boolean isEmpty() {
        return poller.getSequence().get() >= ring.getCursor();
    }

    /**
     * For the engine's thread: takes all events.
     *
     * @return whether there was anything
     */
    boolean poll(SessionTable table) {
        if (isEmpty()) {
            return false;
        }
        try {
            return poller.poll((event, sequence, endOfBatch) -> dispatch(event, table))
                    == EventPoller.PollState.PROCESSING;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean dispatch(Event event, SessionTable table) {
        Connection connection = event.connection;
        event.connection = null;
        if (connection == null) {
            return true;
        }
        switch (event.kind) {
            case ATTACH -> table.attach(connection);
            case ASKED -> table.asked(connection);
            case GONE -> table.gone(connection, event.clean);
            case PROVED_DEAD -> table.provedDead(connection);
        }
        return true;
    }
}
