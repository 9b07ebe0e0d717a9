package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.spi.HashMaps;
import org.jbmi.spi.IntrusiveQueue;
import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.function.Predicate;

/**
 * Shares the memory for payload between clients, which take turns. A client may hold at most half
 * of the memory that is free or its own, so that a client without memory gets some. Owned by the
 * ordering stage.
 */
final class Admission {
    /** A smaller transfer, even an empty one, counts as this many bytes. */
    static final long LEAST_BYTES = 64 << 10;

    /** How often other transfers may pass one that does not fit. */
    private static final int MAX_PASSES = 256;

    /** One client. */
    static final class Share {
        /** An object: who looks a share up by it needs no memory. */
        private final Long client;

        private final IntrusiveQueue<DataCall> waiting = new IntrusiveQueue<>();
        private long heldBytes;

        Share(Long client) {
            this.client = client;
        }
    }

    private final long sizeBytes;
    private final Predicate<DataCall> isGone;
    private long freeBytes;
    private int waiting;
    private final SequencedMap<Long, Share> shares = HashMaps.prepared(new LinkedHashMap<>());

    /**
     * Shares some memory.
     *
     * @param isGone whether the client of a transfer has gone
     */
    Admission(long sizeBytes, Predicate<DataCall> isGone) {
        this.sizeBytes = sizeBytes;
        this.isGone = isGone;
        this.freeBytes = sizeBytes;
    }

    void add(DataCall call) {
        Share share = shares.computeIfAbsent(call.call.peer.id(), Share::new);
        share.waiting.addLast(call);
        call.share = share;
        waiting++;
    }

    /**
     * The next transfer that gets its memory now, or null. A transfer whose client has gone does
     * not wait: it is dead, and gets no memory.
     */
    @Nullable DataCall next() {
        if (waiting == 0) {
            return null;
        }
        boolean passes = false;
        for (Map.Entry<Long, Share> entry : shares.entrySet()) {
            Share share = entry.getValue();
            DataCall head = share.waiting.first();
            if (head == null) {
                continue;
            }
            boolean fits = fits(share, head.needBytes);
            if (!fits && isGone.test(head)) {
                head.dead = true;
                head.needBytes = 0;
            }
            if (fits || head.dead) {
                if (passes && fits) {
                    countPasses(share);
                }
                share.waiting.poll();
                waiting--;
                share.heldBytes += head.needBytes;
                freeBytes -= head.needBytes;
                // To the end of the queue of clients.
                shares.putLast(entry.getKey(), share);
                return head;
            }
            if (share.heldBytes == 0 && head.passes == MAX_PASSES) {
                // It holds nothing, so it waits for others: now no other transfer may pass it.
                return null;
            }
            passes = true;
        }
        return null;
    }

    /** A transfer of a client gets its memory before those of the clients in front of it. */
    private void countPasses(Share passing) {
        for (Share share : shares.values()) {
            if (share == passing) {
                return;
            }
            DataCall head = share.waiting.first();
            if (head != null && share.heldBytes == 0) {
                head.passes++;
            }
        }
    }

    private boolean fits(Share share, long needBytes) {
        if (freeBytes == sizeBytes) {
            return true;
        }
        return needBytes <= freeBytes
                && (share.heldBytes == 0
                        || share.heldBytes + needBytes <= (freeBytes + share.heldBytes) / 2);
    }

    /** Takes no memory, because a call must also end without any. */
    void release(DataCall call) {
        freeBytes += call.needBytes;
        Share share = Objects.requireNonNull(call.share);
        share.heldBytes -= call.needBytes;
        if (share.heldBytes == 0 && share.waiting.isEmpty()) {
            shares.remove(share.client, share);
        }
    }
}
