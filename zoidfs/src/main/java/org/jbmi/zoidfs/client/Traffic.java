package org.jbmi.zoidfs.client;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many messages the calls of a client have posted and not given up, and how many of them are
 * over. The calls share a connection, so a message may have to wait for those of other calls. Safe
 * for use by any thread.
 */
final class Traffic {
    private final AtomicLong posted = new AtomicLong();
    private final AtomicLong over = new AtomicLong();

    /** A message is under way. */
    void begin() {
        posted.incrementAndGet();
    }

    /** A message is over. */
    void end() {
        over.incrementAndGet();
    }

    /** A message is given up, which is no sign of the server. */
    void drop() {
        posted.decrementAndGet();
    }

    long posted() {
        return posted.get();
    }

    long over() {
        return over.get();
    }
}
