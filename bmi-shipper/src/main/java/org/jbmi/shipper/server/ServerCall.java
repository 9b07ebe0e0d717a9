package org.jbmi.shipper.server;

import org.jbmi.ErrorCode;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.pump.Timed;
import org.jbmi.shipper.watch.ServedCallEvent;
import org.jbmi.shipper.watch.ShipperEvents;
import org.jspecify.annotations.Nullable;

/**
 * A call that came. It is answered once: by its handler, by whoever the handler left that to, or by
 * the server when nobody wants the answer any more. It is <i>finished</i> when its handler has
 * returned and its answer is on its way. Guarded by the pump's lock but for the volatile fields.
 */
public final class ServerCall extends Timed {
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
    private @Nullable CallMemory memory;
    private volatile @Nullable Object input;
    private @Nullable ServedCallEvent event;
    private volatile int abandoned;
    private volatile Stage stage = Stage.WAITING;
    @Nullable BulkHandle inputHandle;
    @Nullable Thread runner;
    @Nullable HeldOutput held;
    boolean answered;
    boolean deferred;
    boolean handlerOver;

    /** Whether the program has answered, in time or not. */
    boolean answeredByProgram;

    /** Of {@link CallList}. */
    boolean listed;

    @Nullable ServerCall older;
    @Nullable ServerCall younger;

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

    void event(@Nullable ServedCallEvent begun) {
        event = begun;
    }

    /** Records how it was answered, if anybody records. */
    void record(int code) {
        ServedCallEvent begun = event;
        event = null;
        if (begun != null) {
            begun.end();
            begun.function = function.name();
            begun.client = session.peer().displayName();
            begun.error = ShipperEvents.words(code);
            begun.commit();
        }
    }

    /** What it moves and borrows; null if it never did. */
    @Nullable CallMemory memoryOrNull() {
        return memory;
    }

    /** What it moves and borrows. */
    CallMemory memory() {
        CallMemory own = memory;
        if (own == null) {
            own = new CallMemory();
            memory = own;
        }
        return own;
    }

    boolean hasTransfers() {
        CallMemory own = memory;
        return own != null && !own.transfers.isEmpty();
    }

    void end() {
        if (!isFinished()) {
            finish();
        }
    }

    @Override
    protected void expired() {
        core().answers()
                .abandon(
                        this,
                        ErrorCode.ETIMEDOUT.negativeValue(),
                        held == null
                                ? "The deadline of the call passed."
                                : "The client did not take the output in time.");
    }
}
