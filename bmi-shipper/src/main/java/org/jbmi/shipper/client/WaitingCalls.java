package org.jbmi.shipper.client;

import org.jbmi.ErrorCode;
import org.jbmi.shipper.wire.Wire;
import org.jbmi.spi.Failures;
import org.jbmi.spi.IntrusiveList;
import org.jbmi.spi.LinkedNode;
import org.jspecify.annotations.Nullable;

/** The calls of a session that wait for the server's welcome. Guarded by the pump's lock. */
final class WaitingCalls {
    private static final int MOST = 1024;

    private final ClientSession session;
    private final IntrusiveList<Waiting<?>> calls = new IntrusiveList<>();

    /** A call with what it needs to be sent. */
    private static final class Waiting<I> extends LinkedNode {
        private final PendingCall call;
        private final Target<I, ?> target;
        private final I input;

        Waiting(PendingCall call, Target<I, ?> target, I input) {
            this.call = call;
            this.target = target;
            this.input = input;
        }
    }

    WaitingCalls(ClientSession session) {
        this.session = session;
    }

    <I> void add(PendingCall call, Target<I, ?> target, I input) {
        if (calls.size() < Math.min(MOST, session.core().settings().maxCalls())) {
            calls.addLast(new Waiting<>(call, target, input));
        } else {
            session.core().refuse(call, "Too many calls wait for the server's welcome.");
        }
    }

    void remove(PendingCall call) {
        calls.drain(each -> each.call == call, each -> {});
    }

    /** The session is open: sends them. */
    void sendAll() {
        while (session.isOpen() && !calls.isEmpty()) {
            Waiting<?> next = calls.poll();
            if (next != null && !next.call.isFinished()) {
                send(next);
            }
        }
    }

    private <I> void send(Waiting<I> next) {
        ClientCore core = session.core();
        try {
            session.sendCall(next.call, next.target, next.input, core.remainingMs(next.call));
        } catch (RuntimeException | Error e) {
            next.call.fail(
                    Wire.codeOf(e, ErrorCode.EINVAL).negativeValue(),
                    "The input cannot be written: " + Wire.words(e, Throwable::getMessage),
                    false);
        }
    }

    /** Ends those whose deadline has passed. */
    void tick(long nowNs) {
        Waiting<?> next = calls.first();
        while (next != null) {
            Waiting<?> after = calls.next(next);
            next.call.tick(nowNs); // may remove it
            next = after;
        }
    }

    /** Ends all; one that fails skips none behind it, and the caller must throw the failure. */
    @Nullable Throwable endAll(int code, String why) {
        Throwable failure = null;
        Waiting<?> next = calls.poll();
        while (next != null) {
            try {
                next.call.fail(code, why, false);
            } catch (RuntimeException | Error e) {
                failure = Failures.first(failure, e);
            }
            next = calls.poll();
        }
        return failure;
    }
}
