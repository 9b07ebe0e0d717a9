package org.jbmi.zoidfs.server.pipeline;

import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.RingBuffer;

import org.jbmi.ErrorCode;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * Puts events on the ring to the ordering stage. Methods may wait for a free slot, except {@link
 * #movedAtOnce}: the posting stage calls it, and the ordering stage may wait for the posting stage.
 * Only the poller calls {@link #request} and {@link #moved}.
 */
final class Feed {
    private final RingBuffer<Inbound> ring;

    /** Messages for whose ends the ring had no slot; guarded by itself. */
    private final DataMove.Line inbox = new DataMove.Line();

    /** Whether there may be one. A pass that finds none takes no lock. */
    private volatile boolean mayHaveEnds;

    Feed(RingBuffer<Inbound> ring) {
        this.ring = ring;
    }

    void request(Call call, MemorySegment message, ErrorCode outcome) {
        long sequence = ring.next();
        Inbound slot = ring.get(sequence);
        slot.kind = Inbound.Kind.REQUEST;
        slot.call = call;
        slot.message = message;
        slot.outcome = outcome;
        slot.polled = true;
        ring.publish(sequence);
    }

    void moved(DataMove move, ErrorCode outcome, long sizeBytes) {
        long sequence = ring.next();
        ring.get(sequence).polled = true;
        fill(sequence, move, outcome, sizeBytes);
    }

    void movedAtOnce(DataMove move, ErrorCode outcome, long sizeBytes) {
        try {
            fill(ring.tryNext(), move, outcome, sizeBytes);
        } catch (InsufficientCapacityException e) {
            synchronized (inbox) {
                inbox.add(move, outcome, sizeBytes);
                mayHaveEnds = true;
            }
        }
    }

    private void fill(long sequence, DataMove move, ErrorCode outcome, long sizeBytes) {
        Inbound slot = ring.get(sequence);
        slot.kind = Inbound.Kind.MOVED;
        slot.move = move;
        slot.outcome = outcome;
        slot.sizeBytes = sizeBytes;
        ring.publish(sequence);
    }

    void worked(DiskTask task) {
        long sequence = ring.next();
        Inbound slot = ring.get(sequence);
        slot.kind = Inbound.Kind.WORKED;
        slot.task = task;
        ring.publish(sequence);
    }

    /** A buffer whose message found no slot for its end, or null. */
    @Nullable DataMove poll() {
        if (!mayHaveEnds) {
            return null;
        }
        synchronized (inbox) {
            DataMove move = inbox.poll();
            mayHaveEnds = move != null;
            return move;
        }
    }
}
