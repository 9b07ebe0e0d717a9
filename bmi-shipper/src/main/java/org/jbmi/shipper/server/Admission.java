package org.jbmi.shipper.server;

import org.jbmi.spi.IntrusiveQueue;
import org.jspecify.annotations.Nullable;

/**
 * Decides which call runs next. Sessions take turns; the calls of one session run in order. Neither
 * a session nor a peer runs more than its share. Guarded by the pump's lock.
 */
final class Admission {
    private final int maxRunning;
    private final int maxRunningPerClient;
    private final int maxWaiting;
    private final int maxCallsPerClient;

    /** Sessions that have a waiting call and run fewer than their share. */
    private final IntrusiveQueue<ServerSession> turn = new IntrusiveQueue<>();

    private int running;
    private int waiting;

    Admission(ServerSettings settings) {
        this.maxRunning = settings.maxRunning();
        this.maxRunningPerClient = settings.maxRunningPerClient();
        this.maxWaiting = settings.maxWaiting();
        this.maxCallsPerClient = settings.maxCallsPerClient();
    }

    int running() {
        return running;
    }

    /** Whether one more call of a session may wait. */
    boolean mayWait(ServerSession session) {
        return Share.mayGrow(session.share().waiting, waiting, maxWaiting, maxCallsPerClient);
    }

    /** Why a session's next call does not run yet, as a text. */
    String reason(ServerSession session) {
        if (running >= maxRunning) {
            return running + " handlers run, shipper.maxRunning";
        }
        return session.running < maxRunningPerClient && !mayRun(session.share())
                ? session.share().running + " handlers of its process run"
                : session.running + " handlers of its client run";
    }

    private boolean mayRun(Share share) {
        return Share.mayGrow(share.running, running, maxRunning, maxRunningPerClient);
    }

    void offer(ServerCall call) {
        ServerSession session = call.session();
        session.waiting.addLast(call);
        session.share().waiting++;
        waiting++;
        line(session);
    }

    /** Removes a waiting call. */
    void withdraw(ServerCall call) {
        if (call.session().waiting.remove(call)) {
            call.session().share().waiting--;
            waiting--;
        }
    }

    /** The next call that may run; it counts as running from here on. */
    @Nullable ServerCall next() {
        for (int left = turn.size(); left > 0 && running < maxRunning; left--) {
            ServerSession session = turn.poll();
            if (session == null) {
                return null;
            }
            if (!session.waiting.isEmpty() && !mayRun(session.share())) {
                turn.addLast(session); // tried again when a handler has returned
                continue;
            }
            session.inLine = false;
            ServerCall call = session.waiting.poll();
            if (call != null) {
                waiting--;
                running++;
                session.share().waiting--;
                session.share().running++;
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
        call.session().share().running--;
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
