package org.jbmi.core.operation;

import org.jbmi.PostOptions;
import org.jbmi.core.peer.CorePeer;
import org.jbmi.core.waiting.Progress;
import org.jbmi.core.waiting.Waiter;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * The core's side of an operation. From the post to the report the fields below {@code state} are
 * guarded by the lock of its context; before and after by nobody, since nobody else has it.
 */
final class CoreOperation extends Operation {
    /** In a list of free ones, or on its way from or to it. */
    static final int FREE = 0;

    /** With its method. */
    static final int PENDING = 1;

    /** Its outcome is known and not reported. */
    static final int DONE = 2;

    private static final VarHandle ID;

    static {
        try {
            ID = MethodHandles.lookup().findVarHandle(CoreOperation.class, "id", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final long FAR_NS = Long.MAX_VALUE >> 1;

    final int slot;
    private long generation;
    @Nullable Method method;

    /** That of its context. */
    @Nullable CompletionQueue queue;

    @Nullable CorePeer peer;
    @Nullable Object userData;

    int state;
    int error;
    long doneBytes;

    /** The blocked caller that this operation's completion belongs to. */
    @Nullable Waiter claimant;

    /** Further callers blocked on the same id; rare. */
    @Nullable List<Waiter> moreClaimants;

    /** The next one of the list it stands in: free ones, a round of the lead's, or the queue. */
    @Nullable CoreOperation nextDone;

    @Nullable CoreOperation previousDone;
    boolean inDoneQueue;

    /** Its place in the deadline heap, -1 for none; guarded by the heap's lock. */
    int deadlineIndex = -1;

    CoreOperation(int slot) {
        this.slot = slot;
    }

    /**
     * Gives a fresh operation its identity. The id is published last: who finds it finds the rest.
     * Called under the lock of its context, by which those who look for the operations of a context
     * or a peer know that they miss none; so the store needs no fence of its own.
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

    /** A buffer of the list as the program gave it, which may be nothing. */
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

    /** Notes the outcome; for whoever completes it, who has it alone until it is handed over. */
    void ends(int newError, long bytes) {
        error = newError;
        doneBytes = newError == 0 ? bytes : 0;
    }

    /** From here on the id means nothing; called under the lock of its context. */
    void endIdentity() {
        ID.setRelease(this, 0L);
    }

    /** Forgets everything that belongs to the program. */
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
        for (int i = 0; i < list.length && i < bufferCount; i++) {
            list[i] = null;
        }
        bufferCount = 0;
        resetMethodFields();
    }
}
