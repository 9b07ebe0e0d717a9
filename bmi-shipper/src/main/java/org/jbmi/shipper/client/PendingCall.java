package org.jbmi.shipper.client;

import org.jbmi.ErrorCode;
import org.jbmi.shipper.codec.BulkHandle;
import org.jbmi.shipper.codec.Permission;
import org.jbmi.shipper.pump.Awaited;
import org.jbmi.shipper.pump.Later;
import org.jbmi.shipper.pump.Outgoing;
import org.jbmi.shipper.pump.Pump;
import org.jbmi.shipper.watch.ShippedCallEvent;
import org.jbmi.shipper.watch.ShipperEvents;
import org.jbmi.spi.IntrusiveQueue;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/**
 * A call of a client. Its outcome is there when the call is finished. Its slot in the session may
 * stay taken until the server's reply has come. One is made for each call, so it holds only what
 * every call needs. The pump's lock guards it; the outcome does not change after it is finished.
 */
public final class PendingCall extends Awaited implements Outgoing.Sent {
    /** No deadline. */
    static final long NEVER = Long.MAX_VALUE;

    private final Target<?, ?> target;

    @Nullable ClientSession session;

    /** Of its place in the session; 0 before it has one. */
    long number;

    /** On the pump's clock; checked by its session. */
    long deadlineNs = NEVER;

    private @Nullable Object output;
    private int code;
    private boolean remote;
    private @Nullable Extras extras;

    /** The state that few calls need. */
    private static final class Extras {
        private @Nullable Exposure exposure;
        private byte @Nullable [] fetched;
        private @Nullable ShippedCallEvent event;
        private @Nullable String text;

        /** What is run when the call is over. */
        private final IntrusiveQueue<Later> listeners = new IntrusiveQueue<>();
    }

    /** Makes a call that is not forwarded yet. */
    public PendingCall(Target<?, ?> target) {
        this.target = target;
    }

    /** The function. */
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

    /** Exposes memory for this call: a large input, or room for a large output. */
    BulkHandle expose(byte[] bytes, Permission permission) {
        Extras own = extras(); // first: nobody else would withdraw the exposure
        Exposure exposure = target.core().expose(List.of(MemorySegment.ofArray(bytes)), permission);
        own.exposure = exposure;
        return exposure.handle();
    }

    /** Takes over the memory exposed for it. */
    @Nullable Exposure takeExposure() {
        Extras own = extras;
        if (own == null) {
            return null;
        }
        Exposure exposure = own.exposure;
        own.exposure = null;
        return exposure;
    }

    /** Allocates memory for a large output; null if there is none, or if it is too large. */
    byte @Nullable [] roomFor(long size) {
        if (size <= 0 || size > target.core().settings().maxOutputBytes()) {
            return null;
        }
        try {
            byte[] room = new byte[(int) size];
            extras().fetched = room;
            return room;
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    /** Takes over the large output, if there is one. */
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
        code = saidByServer ? negativeCode : ClientCore.outcome(negativeCode);
        remote = saidByServer;
        try {
            extras().text = why;
            target.core().counters().failures.increment();
        } finally {
            end();
        }
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
        try {
            record();
        } finally {
            finish();
            Extras own = extras;
            while (own != null && !own.listeners.isEmpty()) {
                target.core().pump().later(Objects.requireNonNull(own.listeners.poll()));
            }
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

    /** Runs an action when the call is over, outside of the lock; at once if it is. */
    public void whenFinished(Runnable told) {
        Pump pump = target.core().pump();
        Later listener = new Later(told);
        try (var _ = pump.held()) {
            if (isFinished()) {
                pump.later(listener);
            } else {
                extras().listeners.addLast(listener);
            }
        }
        pump.kick();
    }

    /** The output, null if it failed. Known once it is finished. */
    public @Nullable Object output() {
        return output;
    }

    /** How it ended, 0 or a negative code. Known once it is finished. */
    public int code() {
        return code;
    }

    /** Why it failed. Known once it is finished. */
    public String text() {
        Extras own = extras;
        String text = own == null ? null : own.text;
        return text == null ? ErrorCode.statusString(code) : text;
    }

    /** Whether the outcome came from the server, not from this side. Known once it is finished. */
    public boolean isRemote() {
        return remote;
    }
}
