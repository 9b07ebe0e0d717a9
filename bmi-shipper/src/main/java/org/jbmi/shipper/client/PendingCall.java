package org.jbmi.shipper.client;

import org.jbmi.ErrorCode;
import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.pump.Timed;
import org.jbmi.shipper.watch.ShippedCallEvent;
import org.jbmi.shipper.watch.ShipperEvents;
import org.jspecify.annotations.Nullable;

/**
 * A call of a client. Its outcome is there as soon as it is finished; after that its slot in the
 * session may still be taken, until the server's reply has come. Guarded by the pump's lock, the
 * outcome by being finished.
 */
public final class PendingCall extends Timed implements Outgoing.Sent {
    private final ClientCore core;
    private final Codec<?> codec;

    @Nullable ClientSession session;
    int slot = -1;
    long number;

    /** Memory exposed for this call: a large input, or room for a large output. */
    @Nullable Exposure exposure;

    /** Where a large output goes. */
    byte @Nullable [] fetched;

    private @Nullable Object output;
    private @Nullable ShippedCallEvent event;
    private int code;
    private @Nullable String text;
    private boolean remote;
    private @Nullable Runnable listener;

    /**
     * Makes a call that is not forwarded yet.
     *
     * @param core its client
     * @param codec of its output
     */
    public PendingCall(ClientCore core, Codec<?> codec) {
        this.core = core;
        this.codec = codec;
    }

    Codec<?> codec() {
        return codec;
    }

    void succeed(Object value) {
        if (!isFinished()) {
            output = value;
            end();
        }
    }

    /** Ends it with an error, unless it is over. */
    boolean fail(int negativeCode, String why, boolean saidByServer) {
        if (isFinished()) {
            return false;
        }
        code = negativeCode;
        text = why;
        remote = saidByServer;
        core.counters().failures.increment();
        end();
        return true;
    }

    @Override
    public void sent(int negativeCode) {
        ClientSession own = session;
        if (own != null) {
            own.callSent(this, negativeCode);
        }
    }

    void event(@Nullable ShippedCallEvent begun) {
        event = begun;
    }

    private void record() {
        ShippedCallEvent begun = event;
        if (begun != null) {
            begun.end();
            begun.error = ShipperEvents.words(code);
            begun.commit();
        }
    }

    private void end() {
        record();
        finish();
        Runnable told = listener;
        if (told != null) {
            listener = null;
            core.pump().later(told);
        }
    }

    @Override
    protected void expired() {
        core.giveUp(this, ErrorCode.ETIMEDOUT.negativeValue(), "The deadline of the call passed.");
    }

    /**
     * Has something run when the call is over, outside of the lock; at once if it is.
     *
     * @param told what to run
     */
    public void whenFinished(Runnable told) {
        core.pump().enter();
        try {
            if (isFinished()) {
                core.pump().later(told);
            } else {
                listener = told;
            }
        } finally {
            core.pump().leave();
        }
        core.pump().kick();
    }

    /**
     * What came back; once it is finished.
     *
     * @return the output, or null if it failed
     */
    public @Nullable Object output() {
        return output;
    }

    /**
     * How it ended; once it is finished.
     *
     * @return 0 or a negative code
     */
    public int code() {
        return code;
    }

    /**
     * Why it failed; once it is finished.
     *
     * @return a sentence
     */
    public String text() {
        return text == null ? ErrorCode.statusString(code) : text;
    }

    /**
     * Whether the server said so; once it is finished.
     *
     * @return false if this side found out by itself
     */
    public boolean isRemote() {
        return remote;
    }
}
