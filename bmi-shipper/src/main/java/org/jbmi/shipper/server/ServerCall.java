package org.jbmi.shipper.server;

import org.jbmi.ErrorCode;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.pump.Pump;
import org.jbmi.shipper.watch.ServedCallEvent;
import org.jbmi.shipper.watch.ShipperEvents;
import org.jbmi.spi.LinkedNode;
import org.jspecify.annotations.Nullable;

/**
 * A call that came. It is answered once: by its handler, by whoever the handler left that to, or by
 * the server when nobody wants the answer any more. Guarded by the pump's lock but for the volatile
 * fields. One is made for each call, so it has only what every call needs.
 */
public final class ServerCall extends LinkedNode {
    /** No deadline. */
    public static final long NEVER = Long.MAX_VALUE;

    /** Where a call is. */
    public enum Stage {
        /** Its turn has not come. */
        WAITING("waits for its turn"),
        /** Its large input is being pulled. */
        INPUT("pulls its input"),
        /** Its handler runs. */
        RUNNING("its handler runs"),
        /** Its handler has returned, and the answer is to come. */
        DEFERRED("its answer was put off"),
        /** Its large output waits for the client, or is on its way. */
        OUTPUT("sends its output"),
        /** Its answer was posted. */
        ANSWERED("was answered");

        private final String words;

        Stage(String words) {
            this.words = words;
        }

        /**
         * For people.
         *
         * @return a phrase
         */
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

    /**
     * Whose call it is.
     *
     * @return the session
     */
    public ServerSession session() {
        return session;
    }

    /**
     * Its number in the session.
     *
     * @return as the client gave it
     */
    public long number() {
        return number;
    }

    /**
     * What was called.
     *
     * @return the function
     */
    public Served function() {
        return function;
    }

    /**
     * When it came.
     *
     * @return on the pump's clock
     */
    public long startedNs() {
        return startedNs;
    }

    /**
     * Its input.
     *
     * @return the record, null before it was read
     */
    public @Nullable Object input() {
        return input;
    }

    void input(Object value) {
        input = value;
    }

    /**
     * Where it is.
     *
     * @return the stage
     */
    public Stage stage() {
        return stage;
    }

    void stage(Stage next) {
        stage = next;
    }

    /**
     * Whether nobody wants the answer any more.
     *
     * @return 0, or why, negative
     */
    public int abandoned() {
        return abandoned;
    }

    void abandon(int code) {
        abandoned = code;
    }

    /**
     * What serves it.
     *
     * @return the server
     */
    public ServerCore core() {
        return session.core();
    }

    /**
     * When it is over.
     *
     * @return on the pump's clock, {@link #NEVER} for none
     */
    public long deadlineNs() {
        return deadlineNs;
    }

    /**
     * How long its client still waits.
     *
     * @return nanoseconds, 0 if nobody wants the answer any more, {@link #NEVER} without a deadline
     */
    public long leftNs() {
        Pump pump = core().pump();
        pump.enter();
        try {
            if (abandoned != 0 || answered) {
                return 0;
            }
            return deadlineNs == NEVER ? NEVER : Math.max(0, deadlineNs - pump.nowNs());
        } finally {
            pump.leave();
        }
    }

    void event(@Nullable ServedCallEvent begun) {
        if (begun != null) {
            extras().event = begun;
        }
    }

    /** Records how it was answered, if anybody records. */
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

    /** What it moves and borrows; null if it never did. */
    @Nullable CallExtras extrasOrNull() {
        return extras;
    }

    /** What it moves and borrows. */
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
