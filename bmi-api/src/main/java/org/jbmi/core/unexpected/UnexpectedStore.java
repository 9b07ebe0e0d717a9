package org.jbmi.core.unexpected;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.UnexpectedFilter;
import org.jbmi.UnexpectedListener;
import org.jbmi.core.peer.CorePeer;
import org.jbmi.core.peer.PeerTable;
import org.jbmi.core.waiting.Arguments;
import org.jbmi.core.waiting.Progress;
import org.jbmi.core.waiting.Waiter;
import org.jbmi.core.waiting.WaiterPool;
import org.jbmi.spi.IntrusiveQueue;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.NumberTable;
import org.jbmi.spi.SpinLock;
import org.jbmi.spi.VarHandles;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The unexpected messages of an instance. A message goes to the first listener whose filter accepts
 * it, else to the queue of its class. Each holds memory of its method until it is freed, which
 * bounds their number.
 *
 * <p>The peer table's lock guards the store too, so that a message and its sender's count take one
 * lock.
 */
public final class UnexpectedStore {
    private static final VarHandle WAITING =
            VarHandles.of(MethodHandles.lookup(), UnexpectedStore.class, "waiting", int.class);

    private final PeerTable peers;
    private final Progress progress;
    private final WaiterPool waiters;
    private final Runnable contextsWaker;

    /** That of the peer table; the queues take it too. */
    final SpinLock lock;

    /** Allocated on demand, under the lock, and kept. */
    private final AtomicReferenceArray<@Nullable UnexpectedQueue> byClass =
            new AtomicReferenceArray<>(UnexpectedFilter.MAX_CLASS + 1);

    private final List<CoreListener> listeners = new ArrayList<>();

    /** The messages that the program holds, by the address of their payload. */
    private final NumberTable<UnexpectedBuffer> held = new NumberTable<>();

    final IntrusiveQueue<UnexpectedBuffer> freeObjects = new IntrusiveQueue<>();

    /** Those of a method that is being opened. */
    public final EarlyMessages early;

    @Nullable Method opening; // that method; under the lock
    private long arrivals;

    /** How many are queued; written under the lock, and checked without it too. */
    private volatile int waiting;

    private volatile boolean wakesContexts = true;

    /**
     * The room of a test call that polls. Several threads may store theirs here, each over that of
     * the other. A thread uses the room only if it is its own ({@link
     * UnexpectedSlots#isPolledHere}).
     */
    private @Nullable UnexpectedSlots polling;

    /**
     * A store without messages.
     *
     * @param contextsWaker wakes callers blocked on completions
     */
    public UnexpectedStore(
            PeerTable peers, Progress progress, WaiterPool waiters, Runnable contextsWaker) {
        this.peers = peers;
        this.progress = progress;
        this.waiters = waiters;
        this.contextsWaker = contextsWaker;
        lock = peers.lock();
        early = new EarlyMessages(this, newQueue(), peers);
    }

    /** Sets whether callers blocked on completions return for a message, too. */
    public void wakesContexts(boolean newValue) {
        wakesContexts = newValue;
    }

    public boolean wakesContexts() {
        return wakesContexts;
    }

    /**
     * The number of the newest message for callers blocked on completions; it rises with each. 0 if
     * they do not return for messages, or none is queued. A caller enters first and calls this
     * then. Both take the lock, so either the caller sees the message, or the thread that delivers
     * it finds the caller.
     */
    public long newestForContexts() {
        lock.lock();
        long newest = wakesContexts && waiting > 0 ? arrivals : 0;
        lock.unlock();
        return newest;
    }

    /** Messages that are queued. */
    public int waiting() {
        return waiting;
    }

    /** Messages that the program holds. */
    public int heldByProgram() {
        lock.lock();
        int size = held.size();
        lock.unlock();
        return size;
    }

    /**
     * The calling thread is about to poll for a test call. A message that it finds itself goes to
     * that call with no stay in the queue. {@link #endPoll} must follow.
     */
    void beginPoll(UnexpectedQueue queue, UnexpectedSlots out) {
        out.polls(queue);
        polling = out;
    }

    /**
     * The poll is over.
     *
     * @param isDone whether it ended well: else the call fails, and what it got goes back
     */
    void endPoll(UnexpectedSlots out, boolean isDone) {
        out.polls(null);
        if (!isDone && out.count() > 0) {
            takeBack(out);
        }
    }

    // Into the queues that are theirs now: a listener may have come or gone since.
    private void takeBack(UnexpectedSlots out) {
        lock.lock();
        try {
            for (UnexpectedBuffer last = out.takeLast(); last != null; last = out.takeLast()) {
                held.remove(last.address());
                last.passOn();
                peers.messageReturned(last.peer);
                queueFor(last.messageClass, last.tag).stageFirst(last);
                WAITING.setRelease(this, waiting + 1);
            }
            mergeAllStaged();
        } finally {
            lock.unlock();
        }
        wakeContexts();
    }

    void wakeContexts() {
        if (wakesContexts) {
            contextsWaker.run();
        }
    }

    /**
     * Counts a message for its sender, and registers an unknown sender. Then gives the message to
     * the test call that polls for it, or queues it and wakes the callers that wait for it.
     */
    @SuppressWarnings("ReferenceEquality") // the very method
    public void arrived(
            Method method,
            String scheme,
            MethodAddress from,
            int tag,
            int messageClass,
            ErrorCode outcome,
            MemorySegment memory,
            long offset,
            long sizeBytes,
            long token) {
        Waiter woken = null;
        boolean isQueued;
        lock.lock();
        try {
            CorePeer peer = peers.sender(method, from, scheme);
            UnexpectedQueue queue = queueFor(messageClass, tag);
            UnexpectedSlots out = polling;
            isQueued = out == null || !out.isPolledHere(queue) || !queue.isEmpty() || out.isFull();
            if (!isQueued) {
                held.makeRoom();
            }
            UnexpectedBuffer buffer = freeObjects.poll();
            if (buffer == null) {
                buffer = new UnexpectedBuffer(this, peer);
            }
            peers.messageArrived(peer); // from here on nothing allocates
            buffer.peer = peer;
            buffer.tag = tag;
            buffer.messageClass = messageClass;
            buffer.outcome = outcome;
            buffer.memory = memory;
            buffer.offset = offset;
            buffer.sizeBytes = sizeBytes;
            buffer.token = token;
            if (opening != null && method == opening) {
                early.queue.add(buffer); // no caller hears of it yet
                return;
            }
            buffer.arrival = ++arrivals;
            if (isQueued || out == null) {
                queue.add(buffer);
                WAITING.setRelease(this, waiting + 1);
                woken = queue.waiters.markOne();
            } else {
                handOut(buffer, out);
            }
        } finally {
            lock.unlock();
        }
        if (woken != null) {
            woken.wake(progress);
        }
        if (isQueued) {
            wakeContexts();
        }
    }

    /** Gives a message to the program. Under the lock; there is room in all tables. */
    private void handOut(UnexpectedBuffer buffer, UnexpectedSlots out) {
        buffer.passOn();
        held.put(buffer.address(), buffer);
        peers.messageDelivered(buffer.peer);
        out.add(buffer);
    }

    /**
     * The queue of a class that the plain test call serves: what no listener takes.
     *
     * @throws BmiException with {@link ErrorCode#EINVAL} for a class that is none
     */
    public UnexpectedQueue classQueue(int messageClass) {
        if (messageClass < 0 || messageClass > UnexpectedFilter.MAX_CLASS) {
            throw Arguments.badClass(messageClass);
        }
        UnexpectedQueue known = byClass.get(messageClass);
        if (known != null) {
            return known;
        }
        lock.lock();
        try {
            return plainQueue(messageClass);
        } finally {
            lock.unlock();
        }
    }

    /** Opens a listener, which takes over the queued messages that its filter accepts. */
    public UnexpectedListener openListener(UnexpectedFilter filter) {
        Objects.requireNonNull(filter);
        CoreListener listener = new CoreListener(this, newQueue(), filter);
        lock.lock();
        try {
            listeners.add(listener); // from here on nothing needs memory
            for (int i = 0; i < byClass.length(); i++) {
                UnexpectedQueue queue = byClass.get(i);
                if (queue != null && !queue.isEmpty()) {
                    redistribute(queue);
                }
            }
        } finally {
            lock.unlock();
        }
        return listener;
    }

    void closeListener(CoreListener listener) {
        lock.lock();
        try {
            if (listeners.remove(listener)) {
                listener.queue.waiters.signalAll(progress);
                redistribute(listener.queue);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Delivers the messages of a queue while there is room. */
    int drain(UnexpectedQueue queue, UnexpectedSlots out) {
        if (waiting == 0) {
            return 0;
        }
        int before = out.count();
        Waiter woken;
        lock.lock();
        try {
            while (out.hasRoom(held)) {
                UnexpectedBuffer buffer = queue.poll();
                if (buffer == null) {
                    break;
                }
                WAITING.setRelease(this, waiting - 1);
                handOut(buffer, out);
            }
            woken = queue.isEmpty() ? null : queue.waiters.markOne();
        } finally {
            lock.unlock();
        }
        if (woken != null) {
            woken.wake(progress);
        }
        return out.count() - before;
    }

    boolean free(UnexpectedBuffer buffer, long serial) {
        CorePeer peer;
        long token;
        boolean isLast;
        boolean isNoted;
        lock.lock();
        try {
            if (buffer.serial() != serial || (serial & 1) == 0) {
                return false;
            }
            peer = buffer.peer;
            token = buffer.token;
            isLast = release(buffer);
            isNoted = isNoted(peer, token);
        } finally {
            lock.unlock();
        }
        freed(peer, token, isNoted, isLast);
        return true;
    }

    /**
     * Frees those messages of a test call that the program still holds. Takes one lock, unless a
     * method or a peer has more to do for one of them.
     */
    void freeAll(UnexpectedSlots out) {
        int i = 0;
        while (i < out.count()) {
            CorePeer peer = null;
            long token = 0;
            boolean isNoted = true;
            boolean isLast = false;
            lock.lock();
            try {
                while (i < out.count() && isNoted && !isLast) {
                    UnexpectedBuffer buffer = out.takeHeld(i++);
                    if (buffer != null) {
                        peer = buffer.peer;
                        token = buffer.token;
                        isLast = release(buffer);
                        isNoted = isNoted(peer, token);
                    }
                }
            } finally {
                lock.unlock();
            }
            if (peer != null) {
                freed(peer, token, isNoted, isLast);
            }
        }
    }

    /** Takes a message from the program, under the lock; returns whether its peer must go. */
    private boolean release(UnexpectedBuffer buffer) {
        held.remove(buffer.address());
        buffer.passOn();
        freeObjects.addFirst(buffer);
        return peers.messageFreed(buffer.peer);
    }

    /** Whether the method need not be told: one that closes frees all. Under the lock. */
    private boolean isNoted(CorePeer peer, long token) {
        return progress.isClosing() || peer.method().unexpectedFreedSoon(token);
    }

    private void freed(CorePeer peer, long token, boolean isNoted, boolean isLast) {
        try {
            if (!isNoted) {
                peer.method().unexpectedFree(token);
            }
        } finally {
            if (isLast) {
                peers.drop(peer);
            }
        }
    }

    public void free(MemorySegment payload) {
        UnexpectedBuffer buffer;
        long serial = 0;
        lock.lock();
        try {
            buffer = payload.isNative() ? held.get(payload.address()) : null;
            if (buffer != null) {
                serial = buffer.serial();
            }
        } finally {
            lock.unlock();
        }
        if (buffer == null || !free(buffer, serial)) {
            throw Arguments.invalid(
                    "The memory is not that of an unexpected message, or it was freed before.");
        }
    }

    /** Lets calls get an early message; {@link #mergeAllStaged} must follow. Under the lock. */
    void admit(UnexpectedBuffer buffer) {
        buffer.arrival = ++arrivals;
        WAITING.setRelease(this, waiting + 1);
        queueFor(buffer.messageClass, buffer.tag).stage(buffer);
    }

    /** Wakes all callers, because the instance is closed. */
    public void signalAll() {
        lock.lock();
        try {
            for (int i = 0; i < byClass.length(); i++) {
                UnexpectedQueue queue = byClass.get(i);
                if (queue != null) {
                    queue.waiters.signalAll(progress);
                }
            }
            for (int i = 0; i < listeners.size(); i++) { // a close calls it with a full heap too
                listeners.get(i).queue.waiters.signalAll(progress);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * The queue that a message goes to. That of its class is made even if a listener takes the
     * message, so that no later move between queues needs memory.
     */
    private UnexpectedQueue queueFor(int messageClass, int tag) {
        UnexpectedQueue plain = plainQueue(messageClass);
        for (int i = 0; i < listeners.size(); i++) {
            CoreListener listener = listeners.get(i);
            if (listener.filter().accepts(messageClass, tag)) {
                return listener.queue;
            }
        }
        return plain;
    }

    private UnexpectedQueue plainQueue(int messageClass) {
        UnexpectedQueue queue = byClass.get(messageClass);
        if (queue == null) {
            queue = newQueue();
            byClass.set(messageClass, queue);
        }
        return queue;
    }

    private UnexpectedQueue newQueue() {
        return new UnexpectedQueue(this, progress, waiters);
    }

    /** Assigns the messages of a queue to queues anew. Under the lock; needs no memory. */
    private void redistribute(UnexpectedQueue from) {
        for (UnexpectedBuffer each = from.poll(); each != null; each = from.poll()) {
            queueFor(each.messageClass, each.tag).stage(each);
        }
        mergeAllStaged();
    }

    /** Merges what is staged in any queue, and wakes a caller of each that grew. Under the lock. */
    void mergeAllStaged() {
        for (int i = 0; i < listeners.size(); i++) { // the heap may have no room for an iterator
            mergeStaged(listeners.get(i).queue);
        }
        for (int i = 0; i < byClass.length(); i++) {
            UnexpectedQueue queue = byClass.get(i);
            if (queue != null) {
                mergeStaged(queue);
            }
        }
    }

    private void mergeStaged(UnexpectedQueue queue) {
        if (queue.mergeStaged()) {
            queue.waiters.signalOne(progress); // it wakes the next one if messages are left
        }
    }
}
