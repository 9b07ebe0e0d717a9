package org.jbmi.rig.perf.worker;

import org.jbmi.CompletionContext;
import org.jbmi.Completions;
import org.jbmi.PeerAddress;
import org.jbmi.PostResult;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Pending receives without a sender; the library has to find the other receives among them. */
final class PendingReceives implements AutoCloseable {
    private static final int BUFFER_BYTES = 64;
    private static final long PATIENCE_MS = 10_000;
    private static final int ROOM = 256;

    private final CompletionContext context;
    private final long[] ids;

    /** Posts the receives, each with a tag of its own; if one is refused, none stays. */
    PendingReceives(CompletionContext context, PeerAddress peer, int flow, int count) {
        this.context = context;
        ids = new long[count];
        // Freed by the collector: to close a shared arena stops all threads for a moment.
        MemorySegment buffer = Arena.ofAuto().allocate(BUFFER_BYTES, BUFFER_BYTES);
        boolean posted = false;
        try {
            for (int i = 0; i < count; i++) {
                ids[i] = context.postReceive(peer, buffer, PhaseProtocol.pendingTag(flow, i), this);
                Refusals.check(ids[i]);
            }
            posted = true;
        } finally {
            if (!posted) {
                close();
            }
        }
    }

    /** Cancels them and takes their completions. */
    @Override
    public void close() {
        Completions done = Completions.ofCapacity(ROOM);
        for (long id : ids) {
            if (PostResult.isPending(id)) {
                context.cancel(id);
            }
        }
        for (long id : ids) {
            if (PostResult.isPending(id)) {
                context.test(id, done, PATIENCE_MS);
            }
        }
    }
}
