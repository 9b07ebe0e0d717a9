package org.jbmi.shipper.server;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Calls under way, oldest first, and their deadlines, which are looked at every ten milliseconds:
 * adding and removing allocate nothing. Guarded by the pump's lock.
 */
final class CallList {
    private static final long PERIOD_NS = 10_000_000;

    private @Nullable ServerCall oldest;
    private @Nullable ServerCall youngest;
    private long lookedNs = Long.MIN_VALUE;

    boolean isEmpty() {
        return oldest == null;
    }

    void add(ServerCall call) {
        ServerCall before = youngest;
        call.listed = true;
        call.older = before;
        if (before == null) {
            oldest = call;
        } else {
            before.younger = call;
        }
        youngest = call;
    }

    /** Removes a call, if it is there. */
    void remove(ServerCall call) {
        if (!call.listed) {
            return;
        }
        call.listed = false;
        ServerCall before = call.older;
        ServerCall after = call.younger;
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
        call.older = null;
        call.younger = null;
    }

    /** Looks for those whose time is over; ending one may end any others. */
    void tick(long nowNs) {
        boolean lookedLately = lookedNs != Long.MIN_VALUE && nowNs - lookedNs < PERIOD_NS;
        if (oldest == null || lookedLately) {
            return;
        }
        lookedNs = nowNs;
        ServerCall call = oldest;
        while (call != null) {
            ServerCall after = call.younger;
            if (call.deadlineNs != ServerCall.NEVER && nowNs - call.deadlineNs >= 0) {
                call.deadlineNs = ServerCall.NEVER;
                call.expired();
            }
            call = after == null || after.listed ? after : oldest;
        }
    }

    List<ServerCall> copy() {
        List<ServerCall> all = new ArrayList<>();
        for (ServerCall call = oldest; call != null; call = call.younger) {
            all.add(call);
        }
        return all;
    }
}
