package org.jbmi.zoid.daemon;

import org.jbmi.zoid.forward.wire.Forwarded;

import java.util.concurrent.atomic.LongAdder;

/** Messages and bytes of one kind. Any thread counts; sums wrap around after 2^64. */
final class Category {
    private final String name;
    private final boolean receives;
    private final LongAdder sentMessages = new LongAdder();
    private final LongAdder sentBytes = new LongAdder();
    private final LongAdder receivedMessages = new LongAdder();
    private final LongAdder receivedBytes = new LongAdder();
    private final LongAdder unaligned = new LongAdder();

    Category(String name, boolean receives) {
        this.name = name;
        this.receives = receives;
    }

    void sent(long bytes) {
        sentMessages.increment();
        sentBytes.add(bytes);
    }

    void received(long bytes) {
        receivedMessages.increment();
        receivedBytes.add(bytes);
    }

    /** Counts a call that counts as its header only, and its answer. */
    void called() {
        received(Forwarded.HEADER_BYTES);
        sent(Forwarded.HEADER_BYTES);
    }

    /** Counts memory of a plug-in that is not aligned. */
    void unaligned() {
        unaligned.increment();
    }

    Statistics.Part part() {
        return new Statistics.Part(
                name,
                receives,
                sentMessages.sum(),
                sentBytes.sum(),
                receivedMessages.sum(),
                receivedBytes.sum(),
                unaligned.sum());
    }
}
