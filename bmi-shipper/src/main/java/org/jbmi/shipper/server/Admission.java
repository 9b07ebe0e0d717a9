package org.jbmi.shipper.server;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;

/**
 * Which call runs next: sessions take turns, the calls of each run in their order, and no session
 * runs more than its share. Guarded by the pump's lock.
 */
final class Admission {
    private final int maxRunning;
    private final int maxRunningPerClient;

    /** Sessions that have a waiting call and run less than their share. */
    private final ArrayDeque<ServerSession> turn = new ArrayDeque<>();

    private int running;
    private int waiting;

    Admission(int maxRunning, int maxRunningPerClient) {
        this.maxRunning = maxRunning;
        this.maxRunningPerClient = maxRunningPerClient;
    }

    int running() {
        return running;
    }

    int waiting() {
        return waiting;
    }

    void offer(ServerCall call) {
        ServerSession session = call.session();
        session.waiting.addLast(call);
        waiting++;
        line(session);
    }

    /** Takes a call out that does not want its turn any more. */
    void withdraw(ServerCall call) {
        if (call.session().waiting.remove(call)) {
            waiting--;
        }
    }

    /** The next call that may run now; it counts as running from here on. */
    @Nullable ServerCall next() {
        while (running < maxRunning) {
            ServerSession session = turn.poll();
            if (session == null) {
                return null;
            }
            session.inLine = false;
            ServerCall call = session.waiting.poll();
            if (call != null) {
                waiting--;
                running++;
                session.running++;
                line(session);
                return call;
            }
        }
        return null;
    }

    /** A handler has returned. */
    void release(ServerCall call) {
        running--;
        call.session().running--;
        line(call.session());
    }

    private void line(ServerSession session) {
        if (!session.inLine
                && !session.waiting.isEmpty()
                && session.running < maxRunningPerClient) {
            session.inLine = true;
            turn.addLast(session);
        }
    }
}
