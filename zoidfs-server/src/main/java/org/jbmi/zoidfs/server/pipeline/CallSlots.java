package org.jbmi.zoidfs.server.pipeline;

import org.jbmi.ErrorCode;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Shares the calls that may be under way between clients, who take turns. One client has at most
 * half of those that are free or its own, so that a client with none gets one. What must wait stays
 * in the memory of its method, which bounds it. Owned by the poller.
 */
final class CallSlots {
    /** A client has one call for each tag at most, and no more tags than this. */
    static final int MAX_WAITING = 65_536;

    /** A request with its message as it came. */
    record Request(Call call, MemorySegment message, ErrorCode outcome) {}

    /** One client. */
    private static final class Share {
        final Deque<Request> waiting = new ArrayDeque<>();
        int held;
    }

    private final Map<Long, Share> shares = new LinkedHashMap<>();
    private int free;
    private int waiting;

    CallSlots(int maximum) {
        this.free = maximum;
    }

    /** Adds a request; false if its client has more waiting than any client needs. */
    boolean add(Request request) {
        Share share = shares.computeIfAbsent(request.call().peer.id(), id -> new Share());
        if (share.waiting.size() >= MAX_WAITING) {
            return false;
        }
        share.waiting.add(request);
        waiting++;
        return true;
    }

    /** The next request that may begin, which then holds a slot, or null. */
    @Nullable Request next() {
        if (waiting == 0 || free == 0) {
            return null;
        }
        for (Map.Entry<Long, Share> entry : shares.entrySet()) {
            Share share = entry.getValue();
            if (!share.waiting.isEmpty()
                    && (share.held == 0 || share.held + 1 <= (free + share.held) / 2)) {
                waiting--;
                share.held++;
                free--;
                // To the end of the round.
                shares.remove(entry.getKey());
                shares.put(entry.getKey(), share);
                return share.waiting.remove();
            }
        }
        return null;
    }

    /** A call of a client is over. */
    void release(Call call) {
        free++;
        long id = call.peer.id();
        Share share = shares.get(id);
        if (share != null) {
            share.held--;
            if (share.held == 0 && share.waiting.isEmpty()) {
                shares.remove(id);
            }
        }
    }

    /** Whether requests wait. */
    boolean hasWaiting() {
        return waiting > 0;
    }

    /** Takes one that waits out, whatever the shares are; null if there is none. */
    @Nullable Request drain() {
        for (Share share : shares.values()) {
            Request request = share.waiting.poll();
            if (request != null) {
                waiting--;
                return request;
            }
        }
        return null;
    }
}
