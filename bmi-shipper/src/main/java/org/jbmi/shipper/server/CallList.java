package org.jbmi.shipper.server;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Calls under way, oldest first: adding and removing allocate nothing. Guarded by the pump's lock.
 */
final class CallList {
    private @Nullable ServerCall oldest;
    private @Nullable ServerCall youngest;

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

    List<ServerCall> copy() {
        List<ServerCall> all = new ArrayList<>();
        for (ServerCall call = oldest; call != null; call = call.younger) {
            all.add(call);
        }
        return all;
    }
}
