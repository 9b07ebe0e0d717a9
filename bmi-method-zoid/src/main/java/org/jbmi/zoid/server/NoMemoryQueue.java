package org.jbmi.zoid.server;

import org.jbmi.spi.HashMaps;
import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.LinkedNode;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Operations that wait for memory of the pool. It decides who may try next, and nothing else: it
 * neither allocates nor sends.
 *
 * <ul>
 *   <li>First in, first out for each key (peer, tag and direction): only the oldest of a key may
 *       try. An operation that needs no memory also waits here, if it comes after another one of
 *       its key.
 *   <li>Between keys the oldest tries first. If there is no memory for it, younger ones of other
 *       keys that need less may pass it. An operation counts how often it is passed while it is the
 *       oldest of those that need about as much. After {@value #MAX_PASSED} times nobody passes it
 *       until it is served. So small requests do not wait for large ones, and large ones do not
 *       wait for ever.
 *   <li>An operation that is served keeps its key busy until {@link #sent}. Later operations of the
 *       same key wait, so that none overtakes it on the way to the engine.
 * </ul>
 *
 * <p>What an operation costs does not depend on how many wait behind the oldest of their keys. The
 * oldest operations of all keys are grouped in classes of size, eight for each power of two. Adding
 * and removing one costs the logarithm of their number. A pass over the operations that found no
 * memory tries one of each class, since where one finds none, larger ones find none either. Has no
 * effects outside of this object. Not thread-safe: its owner has a lock.
 */
public final class NoMemoryQueue<T> {
    /** How often an operation may be passed by younger ones of other keys. */
    public static final int MAX_PASSED = 16;

    private static final int CLASSES_A_DOUBLING = 8;
    private static final int SHIFT = 3;

    private final Map<Key, Stream<T>> streams = HashMaps.prepared(new HashMap<>());

    /** The oldest operation of each key that may try, by class and age. */
    private final NavigableMap<Integer, NavigableMap<Long, Entry<T>>> heads = new TreeMap<>();

    private long lastNumber;
    private int waiting;
    private int inFlight;

    /** Whether the oldest of a key may be missing in {@link #heads}, or a class may be empty. */
    private boolean isIncomplete;

    /**
     * Operations of one key keep their order.
     *
     * @param peer who the peer is, by equality
     * @param tag the tag
     * @param send direction
     */
    public record Key(Object peer, int tag, boolean send) {}

    /** A waiting operation. */
    public static final class Entry<T> extends LinkedNode {
        private final Stream<T> stream;
        private final T operation;
        private final int sizeClass;
        private final long number;
        private int passed;

        private Entry(Stream<T> stream, T operation, int sizeClass, long number) {
            this.stream = stream;
            this.operation = operation;
            this.sizeClass = sizeClass;
            this.number = number;
        }

        /** The operation that waits. */
        public T operation() {
            return operation;
        }
    }

    private static final class Stream<T> {
        private final Key key;

        /** Those that wait, oldest first. */
        private final IntrusiveList<Entry<T>> entries = new IntrusiveList<>();

        private boolean busy;

        private Stream(Key key) {
            this.key = key;
        }

        private @Nullable Entry<T> head() {
            return busy ? null : entries.first();
        }

        private boolean isIdle() {
            return !busy && entries.isEmpty();
        }
    }

    /** An empty queue. */
    public NoMemoryQueue() {}

    /** Whether no operation waits or is being sent. */
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

    /**
     * Appends an operation.
     *
     * @param needBytes what must be allocated for it
     */
    public Entry<T> add(Key key, T operation, long needBytes) {
        Stream<T> stream = streams.computeIfAbsent(key, Stream::new);
        boolean isHead = stream.isIdle();
        Entry<T> entry = null;
        try {
            entry = new Entry<>(stream, operation, sizeClass(needBytes), ++lastNumber);
            if (isHead) {
                addHead(entry);
            }
            stream.entries.addLast(entry);
            waiting++;
            return entry;
        } finally {
            if (entry == null || !entry.isListed()) {
                isIncomplete = true; // the heap had no room for it
                forgetIfEmpty(stream);
            }
        }
    }

    private static int sizeClass(long needBytes) {
        if (needBytes <= 0) {
            return 0;
        }
        int doublings = Long.SIZE - 1 - Long.numberOfLeadingZeros(needBytes);
        long step = doublings < SHIFT ? 0 : needBytes >>> (doublings - SHIFT);
        return 1 + doublings * CLASSES_A_DOUBLING + (int) (step % CLASSES_A_DOUBLING);
    }

    private void addHead(Entry<T> entry) {
        heads.computeIfAbsent(entry.sizeClass, c -> new TreeMap<>()).put(entry.number, entry);
    }

    // Must not fail: if the heap is full, the next caller of {@link #first} lists the entry.
    private void listHead(@Nullable Entry<T> entry) {
        if (entry == null) {
            return;
        }
        try {
            addHead(entry);
        } catch (OutOfMemoryError e) {
            isIncomplete = true;
        }
    }

    private void listAll() {
        heads.clear();
        for (Stream<T> stream : streams.values()) {
            Entry<T> head = stream.head();
            if (head != null) {
                addHead(head);
            }
        }
        isIncomplete = false;
    }

    private void removeHead(Entry<T> entry) {
        NavigableMap<Long, Entry<T>> sameClass = heads.get(entry.sizeClass);
        if (sameClass != null) {
            sameClass.remove(entry.number);
            if (sameClass.isEmpty()) {
                heads.remove(entry.sizeClass);
            }
        }
    }

    /** The first operation that may try; null if there is none. */
    public @Nullable Entry<T> first() {
        if (isIncomplete) {
            listAll();
        }
        return oldestOf(heads);
    }

    /**
     * The next operation that may try after one that found no memory; it needs less.
     *
     * @param failed what {@link #first} or this returned before; may have left the queue meanwhile
     * @return null if no other may try
     */
    public @Nullable Entry<T> nextAfter(Entry<T> failed) {
        if (!failed.isListed()) {
            return first();
        }
        if (!mayBePassed(failed)) {
            return null;
        }
        Entry<T> next = oldestOf(heads.headMap(failed.sizeClass));
        return next != null && mayPass(next) ? next : null;
    }

    private static boolean mayBePassed(Entry<?> entry) {
        return entry.passed < MAX_PASSED;
    }

    // An operation also passes older ones of other classes than that of the one that failed.
    private boolean mayPass(Entry<T> candidate) {
        for (NavigableMap<Long, Entry<T>> sameClass : heads.values()) {
            Entry<T> first = firstOf(sameClass);
            if (first != null && first.number < candidate.number && !mayBePassed(first)) {
                return false;
            }
        }
        return true;
    }

    private static <T> @Nullable Entry<T> firstOf(NavigableMap<Long, Entry<T>> sameClass) {
        Map.Entry<Long, Entry<T>> first = sameClass.firstEntry();
        return first == null ? null : first.getValue();
    }

    private @Nullable Entry<T> oldestOf(Map<Integer, NavigableMap<Long, Entry<T>>> classes) {
        Entry<T> oldest = null;
        for (NavigableMap<Long, Entry<T>> sameClass : classes.values()) {
            Entry<T> candidate = firstOf(sameClass);
            if (candidate != null && (oldest == null || candidate.number < oldest.number)) {
                oldest = candidate;
            }
        }
        return oldest;
    }

    /**
     * Removes an operation that found its memory; {@link #sent} must follow. This counts as passing
     * the older first ones of each class.
     *
     * @return false if it has left the queue meanwhile
     */
    public boolean serve(Entry<T> entry) {
        if (!entry.isListed()) {
            return false;
        }
        for (NavigableMap<Long, Entry<T>> sameClass : heads.values()) {
            Entry<T> first = firstOf(sameClass);
            if (first != null && first.number < entry.number) {
                first.passed++;
            }
        }
        leave(entry);
        entry.stream.busy = true;
        inFlight++;
        return true;
    }

    /** A served operation was sent, in the order of its key. */
    public void sent(Entry<T> entry) {
        Stream<T> stream = entry.stream;
        stream.busy = false;
        inFlight--;
        listHead(stream.entries.first());
        forgetIfEmpty(stream);
    }

    /**
     * Removes a cancelled operation.
     *
     * @return false if it does not wait here any more
     */
    public boolean remove(Entry<T> entry) {
        if (!entry.isListed()) {
            return false;
        }
        Stream<T> stream = entry.stream;
        boolean wasHead = stream.head() == entry;
        leave(entry);
        if (wasHead) {
            listHead(stream.entries.first());
        }
        forgetIfEmpty(stream);
        return true;
    }

    private void leave(Entry<T> entry) {
        if (entry.stream.head() == entry) {
            removeHead(entry);
        }
        entry.stream.entries.remove(entry);
        waiting--;
    }

    private void forgetIfEmpty(Stream<T> stream) {
        if (stream.isIdle()) {
            streams.remove(stream.key);
        }
    }
}
