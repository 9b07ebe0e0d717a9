package org.jbmi.shipper.server;

import org.jbmi.ErrorCode;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.pump.Pump;
import org.jbmi.shipper.watch.ServedCallEvent;
import org.jbmi.shipper.watch.ShipperEvents;
import org.jbmi.spi.LinkedNode;
import org.jspecify.annotations.Nullable;

/**
 * A call on the server. It is answered once. Its handler answers it, or other code that has a
 * {@code DeferredAnswer} of the handler. Or the server does, when the client no longer wants an
 * answer. Guarded by the pump's lock, except for the volatile fields. One is made for each call, so
 * it holds only what every call needs.
 */
public final class ServerCall extends LinkedNode {
    /** No deadline. */
    public static final long NEVER = Long.MAX_VALUE;

    /** The stage of a call. */
    public enum Stage {
        /** It waits for its turn. */
        WAITING("waits for its turn"),
        /** Its large input is being pulled. */
        INPUT("pulls its input"),
        /** Its handler runs. */
        RUNNING("its handler runs"),
        /** Its handler has returned, and the answer is deferred. */
        DEFERRED("its answer was put off"),
        /** Its large output waits for the client, or is being sent. */
        OUTPUT("sends its output"),
        /** Its answer was posted. */
        ANSWERED("was answered");

        private final String words;

        Stage(String words) {
            this.words = words;
        }

        /** For people. */
        public String words() {
            return words;
        }
    }

    private final ServerSession session;
    private final long number;
    private final Served function;
    private final long startedNs;

    /** On the pump's clock. */
    long deadlineNs = NEVER;

    private @Nullable CallExtras extras;
    private volatile @Nullable Object input;
    private volatile int abandoned;
    private volatile Stage stage = Stage.WAITING;
    @Nullable Thread runner;
    boolean answered;
    boolean deferred;
    boolean handlerOver;

    /** Whether the program has answered, in time or not. */
    boolean answeredByProgram;

    ServerCall(ServerSession session, long number, Served function) {
        this.session = session;
        this.number = number;
        this.function = function;
        this.startedNs = session.core().pump().roundNs();
    }

    /** Its session. */
    public ServerSession session() {
        return session;
    }

    /** Its number in the session. */
    public long number() {
        return number;
    }

    /** The called function. */
    public Served function() {
        return function;
    }

    /** When it came, in nanoseconds on the pump's clock. */
    public long startedNs() {
        return startedNs;
    }

    /** Its input, a record; null before it was read. */
    public @Nullable Object input() {
        return input;
    }

    void input(Object value) {
        input = value;
    }

    /** Its stage. */
    public Stage stage() {
        return stage;
    }

    void stage(Stage next) {
        stage = next;
    }

    /** Why the client wants no answer any more, a negative code; 0 if it wants one. */
    public int abandoned() {
        return abandoned;
    }

    void abandon(int code) {
        abandoned = code;
    }

    /** The server that runs it. */
    public ServerCore core() {
        return session.core();
    }

    /** Its deadline, in nanoseconds on the pump's clock; {@link #NEVER} for none. */
    public long deadlineNs() {
        return deadlineNs;
    }

    /**
     * The nanoseconds until its deadline: 0 if the client wants no answer any more, {@link #NEVER}
     * without a deadline.
     */
    public long leftNs() {
        Pump pump = core().pump();
        try (var _ = pump.held()) {
            if (abandoned != 0 || answered) {
                return 0;
            }
            return deadlineNs == NEVER ? NEVER : Math.max(0, deadlineNs - pump.nowNs());
        }
    }

    /** Why a call is not answered. */
    public String reason() {
        String words = stage.words();
        if (abandoned != 0) {
            return words + ", and nobody wants its answer";
        }
        if (stage != Stage.WAITING) {
            return words;
        }
        Pump pump = core().pump();
        try (var _ = pump.held()) {
            return words + ": " + core().admission().reason(session);
        }
    }

    void event(@Nullable ServedCallEvent begun) {
        if (begun != null) {
            extras().event = begun;
        }
    }

    /** Records its answer in the flight recorder. */
    void record(int code) {
        CallExtras own = extras;
        ServedCallEvent begun = own == null ? null : own.event;
        if (own != null && begun != null) {
            own.event = null;
            begun.end();
            begun.function = function.name();
            begun.client = session.peer().displayName();
            begun.error = ShipperEvents.words(code);
            begun.commit();
        }
    }

    /** Whether the program needs nothing of it any more. */
    boolean isOver() {
        return answered && handlerOver && (!deferred || answeredByProgram);
    }

    /** The memory that it moves and leases; null if it has none. */
    @Nullable CallExtras extrasOrNull() {
        return extras;
    }

    /** The memory that it moves and leases. */
    CallExtras extras() {
        CallExtras own = extras;
        if (own == null) {
            own = new CallExtras();
            extras = own;
        }
        return own;
    }

    boolean hasTransfers() {
        CallExtras own = extras;
        return own != null && !own.transfers.isEmpty();
    }

    @Nullable BulkHandle inputHandle() {
        CallExtras own = extras;
        return own == null ? null : own.inputHandle;
    }

    @Nullable HeldOutput held() {
        CallExtras own = extras;
        return own == null ? null : own.held;
    }

    /** Ends it if its deadline has passed. */
    void tick(long nowNs) {
        if (deadlineNs == NEVER || nowNs - deadlineNs < 0) {
            return;
        }
        deadlineNs = NEVER;
        core().answers()
                .abandon(
                        this,
                        ErrorCode.ETIMEDOUT.negativeValue(),
                        held() == null
                                ? "The deadline of the call passed."
                                : "The client did not take the output in time.");
    }
}
