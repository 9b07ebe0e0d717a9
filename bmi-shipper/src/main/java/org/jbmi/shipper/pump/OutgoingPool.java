package org.jbmi.shipper.pump;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Messages to be written, used again and again. Any thread takes and gives. */
public final class OutgoingPool {
    private static final int MOST_KEPT = 256;
    private static final int LARGEST_KEPT = 64 << 10;

    private final int limit;
    private final ConcurrentLinkedQueue<Outgoing> free = new ConcurrentLinkedQueue<>();
    private final AtomicInteger kept = new AtomicInteger();
    private final AtomicInteger inUse = new AtomicInteger();

    /**
     * Makes an empty pool.
     *
     * @param limit the most bytes of a message
     */
    public OutgoingPool(int limit) {
        this.limit = limit;
    }

    /**
     * Takes one to be written.
     *
     * @return a message
     */
    public Outgoing take() {
        inUse.incrementAndGet();
        @Nullable Outgoing message = free.poll();
        if (message == null) {
            return new Outgoing(this, limit);
        }
        kept.decrementAndGet();
        return message;
    }

    /**
     * Gives one back; done by itself when it was sent.
     *
     * @param message which
     */
    public void give(Outgoing message) {
        inUse.decrementAndGet();
        if (message.capacity() <= LARGEST_KEPT && kept.get() < MOST_KEPT) {
            kept.incrementAndGet();
            free.add(message);
        }
    }

    /**
     * How many are out.
     *
     * @return 0 or more
     */
    public int inUse() {
        return inUse.get();
    }
}
