package org.jbmi.shipper.client;

import org.jbmi.ErrorCode;
import org.jbmi.shipper.pump.Awaited;
import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.pump.Pump;
import org.jbmi.shipper.watch.ShippedCallEvent;
import org.jbmi.shipper.watch.ShipperEvents;
import org.jspecify.annotations.Nullable;

/**
 * A call of a client. Its outcome is there as soon as it is finished; after that its slot in the
 * session may still be taken, until the server's reply has come. One is made for each call, so it
 * has only what every call needs. Guarded by the pump's lock, the outcome by being finished.
 */
public final class PendingCall extends Awaited implements Outgoing.Sent {
    /** No deadline. */
    static final long NEVER = Long.MAX_VALUE;

    private final Target<?, ?> target;

    @Nullable ClientSession session;
    int slot = -1;
    long number;

    /** On the pump's clock; its session looks at it. */
    long deadlineNs = NEVER;

    private @Nullable Object output;
    private int code;
    private boolean remote;
    private @Nullable Runnable listener;
    private @Nullable Extras extras;

    /** What most calls do not have. */
    private static final class Extras {
        private @Nullable Exposure exposure;
        private byte @Nullable [] fetched;
        private @Nullable ShippedCallEvent event;
        private @Nullable String text;
    }

    /**
     * Makes a call that is not forwarded yet.
     *
     * @param target what is called
     */
    public PendingCall(Target<?, ?> target) {
        this.target = target;
    }

    /**
     * What is called.
     *
     * @return the same as given
     */
    public Target<?, ?> target() {
        return target;
    }

    private Extras extras() {
        Extras own = extras;
        if (own == null) {
            own = new Extras();
            extras = own;
        }
        return own;
    }

    /** Memory exposed for this call: a large input, or room for a large output. */
    void exposure(Exposure exposure) {
        extras().exposure = exposure;
    }

    /** The memory exposed for it, which is none of its own from here on. */
    @Nullable Exposure takeExposure() {
        Extras own = extras;
        if (own == null) {
            return null;
        }
        Exposure exposure = own.exposure;
        own.exposure = null;
        return exposure;
    }

    /** Makes room for a large output; null if there is no memory. */
    byte @Nullable [] roomFor(int size) {
        try {
            byte[] room = new byte[size];
            extras().fetched = room;
            return room;
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    /** The large output, if there is one, which is none of its own from here on. */
    byte @Nullable [] takeFetched() {
        Extras own = extras;
        if (own == null) {
            return null;
        }
        byte[] room = own.fetched;
        own.fetched = null;
        return room;
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
        extras().text = why;
        remote = saidByServer;
        target.core().counters().failures.increment();
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

    void event(ShippedCallEvent begun) {
        extras().event = begun;
    }

    private void record() {
        Extras own = extras;
        ShippedCallEvent begun = own == null ? null : own.event;
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
            target.core().pump().later(told);
        }
    }

    /** Ends it if its deadline has passed. */
    void tick(long nowNs) {
        if (deadlineNs != NEVER && nowNs - deadlineNs >= 0) {
            deadlineNs = NEVER;
            target.core()
                    .giveUp(
                            this,
                            ErrorCode.ETIMEDOUT.negativeValue(),
                            "The deadline of the call passed.");
        }
    }

    /**
     * Has something run when the call is over, outside of the lock; at once if it is.
     *
     * @param told what to run
     */
    public void whenFinished(Runnable told) {
        Pump pump = target.core().pump();
        pump.enter();
        try {
            if (isFinished()) {
                pump.later(told);
            } else {
                listener = told;
            }
        } finally {
            pump.leave();
        }
        pump.kick();
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
        Extras own = extras;
        String text = own == null ? null : own.text;
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
