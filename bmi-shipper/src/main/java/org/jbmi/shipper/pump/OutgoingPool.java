package org.jbmi.shipper.pump;

import java.util.ArrayDeque;

/** Messages to be written, used again and again, the last one first. Any thread takes and gives. */
public final class OutgoingPool {
    private static final int MOST_KEPT = 256;
    private static final int LARGEST_KEPT = 64 << 10;

    private final int limit;
    private final ArrayDeque<Outgoing> free = new ArrayDeque<>();
    private int inUse;

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
    public synchronized Outgoing take() {
        inUse++;
        Outgoing message = free.pollLast();
        return message == null ? new Outgoing(this, limit) : message;
    }

    /**
     * Gives one back; done by itself when it was sent.
     *
     * @param message which
     */
    public synchronized void give(Outgoing message) {
        inUse--;
        if (message.capacity() <= LARGEST_KEPT && free.size() < MOST_KEPT) {
            free.addLast(message);
        }
    }

    /**
     * How many are out.
     *
     * @return 0 or more
     */
    public synchronized int inUse() {
        return inUse;
    }
}
