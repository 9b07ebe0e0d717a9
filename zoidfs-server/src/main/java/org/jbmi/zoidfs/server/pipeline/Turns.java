package org.jbmi.zoidfs.server.pipeline;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;

/** The calls that wait for a worker. Clients take turns. Owned by the ordering stage. */
final class Turns {
    private final int maximumActive;
    private int active;
    private final Map<Long, Deque<Call>> waiting = new LinkedHashMap<>();

    Turns(int maximumActive) {
        this.maximumActive = maximumActive;
    }

    void add(Call call) {
        waiting.computeIfAbsent(call.peer.id(), id -> new ArrayDeque<>()).add(call);
    }

    /** The next one that may begin, or null. */
    @Nullable Call next() {
        if (active == maximumActive || waiting.isEmpty()) {
            return null;
        }
        long id = waiting.keySet().iterator().next();
        Deque<Call> calls = waiting.remove(id);
        if (calls == null) {
            return null;
        }
        Call call = calls.remove();
        if (!calls.isEmpty()) {
            waiting.put(id, calls);
        }
        active++;
        return call;
    }

    void over() {
        active--;
    }
}
