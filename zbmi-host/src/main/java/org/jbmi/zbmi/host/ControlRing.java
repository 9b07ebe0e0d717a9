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
final class ControlRing implements SessionEvent.Taker {
    private static final int SIZE = 1024;

    private static final class Slot {
        private SessionEvent event = SessionEvent.ATTACH;
        private @Nullable Connection connection;
    }

    private final RingBuffer<Slot> ring =
            RingBuffer.createMultiProducer(Slot::new, SIZE, new YieldingWaitStrategy());
    private final EventPoller<Slot> poller = ring.newPoller();
    private final EventPoller.Handler<Slot> handler;
    private final Runnable wakeEngine;

    /**
     * An empty ring.
     *
     * @param table gets the events
     * @param wakeEngine called after each event
     */
    ControlRing(SessionTable table, Runnable wakeEngine) {
        this.handler = (slot, sequence, endOfBatch) -> dispatch(slot, table);
        this.wakeEngine = wakeEngine;
        ring.addGatingSequences(poller.getSequence());
    }

    @Override
    public boolean tell(SessionEvent event, Connection connection) {
        long sequence;
        try {
            sequence = ring.tryNext();
        } catch (InsufficientCapacityException e) {
            return false;
        }
        Slot slot = ring.get(sequence);
        slot.event = event;
        slot.connection = connection;
        ring.publish(sequence);
        wakeEngine.run();
        return true;
    }

    /** For the engine's thread: whether it is empty. */
    boolean isEmpty() {
        return poller.getSequence().get() >= ring.getCursor();
    }

    /** For the engine's thread: takes all events. */
    boolean poll() {
        if (isEmpty()) {
            return false;
        }
        try {
            return poller.poll(handler) == EventPoller.PollState.PROCESSING;
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean dispatch(Slot slot, SessionTable table) {
        Connection connection = slot.connection;
        slot.connection = null;
        if (connection != null) {
            slot.event.apply(table, connection);
        }
        return true;
    }
}
