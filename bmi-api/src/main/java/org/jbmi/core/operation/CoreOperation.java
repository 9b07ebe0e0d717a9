package org.jbmi.core.operation;

import org.jbmi.PostOptions;
import org.jbmi.core.peer.CorePeer;
import org.jbmi.core.waiting.Progress;
import org.jbmi.core.waiting.Waiter;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jbmi.spi.VarHandles;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * The core's part of an operation. From the post to the report the context's lock guards {@code
 * state} and the fields below it. Before and after that one thread alone holds the operation. The
 * core uses the links before the post and from the completion on. It uses them in its lists of free
 * operations, in a round and in the queue.
 */
final class CoreOperation extends Operation {
    /** Free, or about to be. */
    static final int FREE = 0;

    /** Held by its method. */
    static final int PENDING = 1;

    /** Completed, and not yet reported. */
    static final int DONE = 2;

    private static final VarHandle ID =
            VarHandles.of(MethodHandles.lookup(), CoreOperation.class, "id", long.class);

    private static final long FAR_NS = Long.MAX_VALUE >> 1;

    /** An array for more buffers is not kept for the next use: all operations are used in turn. */
    private static final int MOST_KEPT = 256;

    /** The array of no buffers that it has at first. */
    private final @Nullable MemorySegment[] noBuffers = list;

    final int slot;
    private long generation;

    /**
     * The id of the use that a look found last, and when a look first found that use. A look is
     * what {@link OperationLooks} does.
     */
    private long seenId;

    private long seenNs;

    @Nullable Method method;

    /** The queue of its context. */
    @Nullable CompletionQueue queue;

    @Nullable CorePeer peer;
    @Nullable Object userData;

    int state;
    int error;
    long doneBytes;

    /** The blocked caller that gets its completion. */
    @Nullable Waiter claimant;

    /** Further callers blocked on the same id; rare. */
    @Nullable List<Waiter> moreClaimants;

    /** Its index in the deadline heap, -1 for none; guarded by the heap's lock. */
    int deadlineIndex = -1;

    CoreOperation(int slot) {
        this.slot = slot;
    }

    /**
     * Gives a fresh operation its id. The id is stored last, with release: a thread that reads it
     * sees the other fields. The caller holds the lock of the context. A scan over all operations
     * takes that lock first. So it misses none, and the store needs no fence.
     */
    long begin(int slotBits) {
        generation++;
        state = PENDING;
        error = 0;
        doneBytes = 0;
        long newId = OperationTable.idOf(generation, slot, slotBits);
        ID.setRelease(this, newId);
        return newId;
    }

    void describe(OperationKind newKind, MethodAddress newAddress, int newTag, int newClass) {
        kind = newKind;
        address = newAddress;
        tag = newTag;
        messageClass = newClass;
        resetMethodFields();
    }

    void belongs(CompletionQueue newQueue, CorePeer newPeer, @Nullable Object newUserData) {
        method = newPeer.method();
        queue = newQueue;
        peer = newPeer;
        userData = newUserData;
    }

    void single(MemorySegment segment) {
        buffer = segment;
        bufferCount = 1;
        sizeBytes = segment.byteSize();
    }

    void list(MemorySegment[] segments, long totalBytes) {
        buffer = null;
        if (list.length < segments.length) {
            list = new MemorySegment[segments.length];
        }
        System.arraycopy(segments, 0, list, 0, segments.length);
        bufferCount = segments.length;
        sizeBytes = totalBytes;
    }

    /** A buffer of the list as the program passed it; may be null. */
    @Nullable MemorySegment listEntry(int i) {
        return list[i];
    }

    void options(PostOptions options) {
        poolOnly = options.poolOnly();
        neverWaits = options.neverWaits();
        hasDeadline = options.deadlineMs() > 0 || options.idleDeadlineMs() > 0;
        if (hasDeadline) {
            setDeadline(options);
        }
    }

    private void setDeadline(PostOptions options) {
        long now = System.nanoTime();
        long absolute = options.deadlineMs() > 0 ? Progress.nanos(options.deadlineMs()) : FAR_NS;
        idleNs = Progress.nanos(options.idleDeadlineMs());
        absoluteDeadlineNs = now + absolute;
        deadlineNs = idleNs > 0 && idleNs < absolute ? now + idleNs : absoluteDeadlineNs;
    }

    long deadlineNs() {
        return deadlineNs;
    }

    /**
     * Notes that a look finds it now, if none has found this use of it before. It takes no lock: if
     * two looks find it at the same time, the time of either one stays.
     */
    long seen(long nowNs) {
        long now = id();
        if (now != 0 && seenId != now) {
            seenNs = nowNs;
            seenId = now;
        }
        return seenNs;
    }

    /** Stores the outcome; called by the thread that completes the operation. */
    void ends(int newError, long bytes) {
        error = newError;
        doneBytes = newError == 0 ? bytes : 0;
    }

    /** Ends the id; called under the lock of its context. */
    void endIdentity() {
        ID.setRelease(this, 0L);
    }

    /** Clears all references to objects of the program. */
    void retire() {
        state = FREE;
        method = null;
        queue = null;
        peer = null;
        userData = null;
        address = null;
        buffer = null;
        claimant = null;
        moreClaimants = null;
        hasDeadline = false;
        idleNs = 0;
        if (list.length > MOST_KEPT) {
            list = noBuffers;
        }
        for (int i = 0; i < list.length && i < bufferCount; i++) {
            list[i] = null;
        }
        bufferCount = 0;
        resetMethodFields();
    }
}
