package org.jbmi.core;

import org.jbmi.PostOptions;
import org.jbmi.spi.Method;
import org.jbmi.spi.MethodAddress;
import org.jbmi.spi.Operation;
import org.jbmi.spi.OperationKind;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The core's side of an operation. From the post to the report the fields below {@code state} are
 * guarded by the lock of its context; before and after by nobody, since nobody else has it.
 */
final class CoreOperation extends Operation {
    /** In the table's free queue, or on its way from or to it. */
    static final int FREE = 0;

    /** With its method. */
    static final int PENDING = 1;

    /** Its outcome is known and not reported. */
    static final int DONE = 2;

    private static final long NS_PER_MS = 1_000_000;
    private static final long FAR_NS = Long.MAX_VALUE >> 1;

    final int slot;
    private long generation;
    @Nullable Method method;
    @Nullable CoreContext context;
    @Nullable CorePeer peer;
    @Nullable Object userData;

    int state;
    int error;
    long doneBytes;

    /** The blocked caller that this operation's completion belongs to. */
    @Nullable Waiter claimant;

    /** Further callers blocked on the same id; rare. */
    @Nullable List<Waiter> moreClaimants;

    @Nullable CoreOperation nextDone;
    @Nullable CoreOperation previousDone;
    boolean inDoneQueue;

    /** Its place in the deadline heap, -1 for none; guarded by the heap's lock. */
    int deadlineIndex = -1;

    CoreOperation(int slot) {
        this.slot = slot;
    }

    /** Gives a fresh operation its identity; the id is published last. */
    long begin(int slotBits) {
        generation++;
        state = PENDING;
        error = 0;
        doneBytes = 0;
        long newId = OperationTable.idOf(generation, slot, slotBits);
        id = newId;
        return newId;
    }

    void describe(OperationKind newKind, MethodAddress newAddress, int newTag, int newClass) {
        kind = newKind;
        address = newAddress;
        tag = newTag;
        messageClass = newClass;
        resetMethodFields();
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
        hasDeadline = options.deadlineMs() > 0 || options.idleDeadlineMs() > 0;
        if (hasDeadline) {
            setDeadline(options);
        }
    }

    private void setDeadline(PostOptions options) {
        long now = System.nanoTime();
        long absolute = options.deadlineMs() > 0 ? nanos(options.deadlineMs()) : FAR_NS;
        idleNs = nanos(options.idleDeadlineMs());
        absoluteDeadlineNs = now + absolute;
        deadlineNs = idleNs > 0 && idleNs < absolute ? now + idleNs : absoluteDeadlineNs;
    }

    long deadlineNs() {
        return deadlineNs;
    }

    static long nanos(long milliseconds) {
        return milliseconds > Long.MAX_VALUE / 4 / NS_PER_MS
                ? Long.MAX_VALUE / 4
                : milliseconds * NS_PER_MS;
    }

    /** From here on the id means nothing. */
    void endIdentity() {
        id = 0;
    }

    /** Forgets everything that belongs to the program. */
    void retire() {
        state = FREE;
        method = null;
        context = null;
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
