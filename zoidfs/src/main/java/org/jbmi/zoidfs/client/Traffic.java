package org.jbmi.zoidfs.client;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The ends of the messages of a client's calls. The calls share a connection, so a message may have
 * to wait for those of other calls. Safe for use by any thread: calls that end or ask at once take
 * turns.
 *
 * <p>A wait asks whether a message that was posted early enough has ended since some time. For this
 * the time has parts. For each part the table keeps the earliest post of a message that ended in
 * it. So no number of ends hides an end, and none makes an object, as the heap may be full.
 *
 * <p>The table holds three timeouts, and waits ask about two at most. A wait whose thread stands
 * still for a timeout may miss ends, but it finds none that did not happen.
 */
final class Traffic {
    /** How many parts a timeout has. An end seems later by a part at most. */
    private static final int PARTS = 16;

    private static final int KEPT = 3 * PARTS;

    private final long partNs;
    private final LongSupplier clock;
    private final long beginNs;

    /** The numbers of the parts that the table holds. */
    private final long[] parts = new long[KEPT];

    /** In the same order, the earliest post of a message that ended in the part. */
    private final long[] firstPostNs = new long[KEPT];

    /**
     * Of a client.
     *
     * @param timeoutMs its timeout
     * @param clock the time, as {@link System#nanoTime}
     */
    Traffic(long timeoutMs, LongSupplier clock) {
        this.partNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs) / PARTS;
        this.clock = clock;
        this.beginNs = clock.getAsLong();
        Arrays.fill(parts, Long.MIN_VALUE);
    }

    /** A message is over that was posted at a time. */
    synchronized void end(long postNs) {
        long part = part(clock.getAsLong());
        int place = (int) (part % KEPT);
        if (parts[place] != part || postNs - firstPostNs[place] < 0) {
            parts[place] = part;
            firstPostNs[place] = postNs;
        }
    }

    /**
     * Whether a message has ended since a time, or in the same part before it.
     *
     * @param sinceNs the time, not before that of the constructor
     * @param latestPostNs messages that were posted later do not count
     */
    synchronized boolean hasEnd(long sinceNs, long latestPostNs) {
        long first = part(sinceNs);
        for (int i = 0; i < KEPT; i++) {
            if (parts[i] >= first && firstPostNs[i] - latestPostNs <= 0) {
                return true;
            }
        }
        return false;
    }

    private long part(long timeNs) {
        return (timeNs - beginNs) / partNs;
    }
}
