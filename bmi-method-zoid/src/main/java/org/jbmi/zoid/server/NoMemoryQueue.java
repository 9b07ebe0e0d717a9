package org.jbmi.zoid.server;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/**
 * Operations that wait for memory of the pool. It decides who may try next, and nothing else: it
 * neither allocates nor sends.
 *
 * <ul>
 *   <li>First in, first out for each key (peer, tag and direction): only the oldest of a key may
 *       try. An operation that needs no memory but comes after one of its key waits here too.
 *   <li>Between keys the oldest tries first. If there is no memory for it, younger ones of other
 *       keys may pass it, but only {@value #MAX_PASSED} times: then nobody passes until it is
 *       served. So small requests do not wait for large ones, and large ones do not wait for ever.
 *   <li>An operation that is served keeps its key busy until {@link #sent}: what comes after it on
 *       the same key waits, so that it cannot be overtaken on the way to the engine.
 * </ul>
 *
 * <p>Constant time, removal from the middle included, for everything but walking past those that
 * found no memory. Pure and not thread-safe: its owner has a lock.
 *
 * @param <T> kind of operation
 */
public final class NoMemoryQueue<T> {
    /** How often an operation may be passed by younger ones of other keys. */
    public static final int MAX_PASSED = 16;

    private final Map<Key, Stream<T>> streams = new HashMap<>();
    private @Nullable Entry<T> oldest;
    private @Nullable Entry<T> youngest;
    private int waiting;
    private int inFlight;

    /**
     * What must keep its order.
     *
     * @param peer identity of the peer
     * @param tag the tag
     * @param send direction
     */
    public record Key(Object peer, int tag, boolean send) {}

    /**
     * A waiting operation.
     *
     * @param <T> its kind
     */
    public static final class Entry<T> {
        private final Stream<T> stream;
        private final T operation;
        private int passed;
        private boolean isWaiting = true;
        private @Nullable Entry<T> older;
        private @Nullable Entry<T> younger;
        private @Nullable Entry<T> olderOfKey;
        private @Nullable Entry<T> youngerOfKey;

        private Entry(Stream<T> stream, T operation) {
            this.stream = stream;
            this.operation = operation;
        }

        /** What waits. */
        public T operation() {
            return operation;
        }
    }

    private static final class Stream<T> {
        private final Key key;
        private @Nullable Entry<T> oldest;
        private @Nullable Entry<T> youngest;
        private boolean busy;

        private Stream(Key key) {
            this.key = key;
        }

        private boolean isFirst(Entry<T> entry) {
            return !busy && oldest == entry;
        }

        private void add(Entry<T> entry) {
            Entry<T> last = youngest;
            entry.olderOfKey = last;
            if (last == null) {
                oldest = entry;
            } else {
                last.youngerOfKey = entry;
            }
            youngest = entry;
        }

        private void remove(Entry<T> entry) {
            Entry<T> before = entry.olderOfKey;
            Entry<T> after = entry.youngerOfKey;
            if (before == null) {
                oldest = after;
            } else {
                before.youngerOfKey = after;
            }
            if (after == null) {
                youngest = before;
            } else {
                after.olderOfKey = before;
            }
            entry.olderOfKey = null;
            entry.youngerOfKey = null;
        }
    }

    /** An empty queue. */
    public NoMemoryQueue() {}

    /** Whether nothing waits and nothing is on its way. */
    public boolean isIdle() {
        return waiting == 0 && inFlight == 0;
    }

    /** How many wait. */
    public int size() {
        return waiting;
    }

    /** Whether a new operation of a key must wait behind another. */
    public boolean holds(Key key) {
        return streams.containsKey(key);
    }

    /** Appends an operation. */
    public Entry<T> add(Key key, T operation) {
        Stream<T> stream = streams.computeIfAbsent(key, Stream::new);
        Entry<T> entry = new Entry<>(stream, operation);
        stream.add(entry);
        Entry<T> last = youngest;
        entry.older = last;
        if (last == null) {
            oldest = entry;
        } else {
            last.younger = entry;
        }
        youngest = entry;
        waiting++;
        return entry;
    }

    /** The first that may try; null if there is none. */
    public @Nullable Entry<T> first() {
        return eligibleFrom(oldest);
    }

    /**
     * The next that may try after one that found no memory.
     *
     * @param failed what {@link #first} or this returned before; may have left the queue meanwhile
     * @return null if nobody else may try
     */
    public @Nullable Entry<T> nextAfter(Entry<T> failed) {
        if (!failed.isWaiting) {
            return first();
        }
        return failed.passed >= MAX_PASSED ? null : eligibleFrom(failed.younger);
    }

    private @Nullable Entry<T> eligibleFrom(@Nullable Entry<T> start) {
        Entry<T> entry = start;
        while (entry != null && !entry.stream.isFirst(entry)) {
            entry = entry.younger;
        }
        return entry;
    }

    /**
     * Takes an operation out that found its memory; {@link #sent} must follow. Those that may try
     * and are older have been passed.
     *
     * @return false if it has left the queue meanwhile
     */
    public boolean serve(Entry<T> entry) {
        if (!entry.isWaiting) {
            return false;
        }
        for (Entry<T> e = entry.older; e != null; e = e.older) {
            if (e.stream.isFirst(e)) {
                e.passed++;
            }
        }
        unlink(entry);
        entry.stream.remove(entry);
        entry.stream.busy = true;
        inFlight++;
        return true;
    }

    /** Tells that a served operation is on its way, in the order of its key. */
    public void sent(Entry<T> entry) {
        Stream<T> stream = entry.stream;
        stream.busy = false;
        inFlight--;
        forgetIfEmpty(stream);
    }

    /**
     * Takes an operation out that was cancelled.
     *
     * @return false if it does not wait here any more
     */
    public boolean remove(Entry<T> entry) {
        if (!entry.isWaiting) {
            return false;
        }
        unlink(entry);
        Stream<T> stream = entry.stream;
        stream.remove(entry);
        forgetIfEmpty(stream);
        return true;
    }

    private void forgetIfEmpty(Stream<T> stream) {
        if (!stream.busy && stream.oldest == null) {
            streams.remove(stream.key);
        }
    }

    private void unlink(Entry<T> entry) {
        Entry<T> before = entry.older;
        Entry<T> after = entry.younger;
        if (before == null) {
            oldest = after;
        } else {
            before.younger = after;
        }
        if (after == null) {
            youngest = before;
        } else {
            after.older = before;
        }
        entry.isWaiting = false;
        entry.older = null;
        entry.younger = null;
        waiting--;
    }
}
