package org.jbmi.shipper;

import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.shipper.client.PendingCall;
import org.jbmi.shipper.pump.Pump;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * A call that was forwarded. It has one outcome, which any number of threads may await. Safe for
 * use by any thread.
 *
 * @param <O> the type of its output
 */
public final class ShippedCall<O> {
    private final PendingCall call;

    /** A call of a function whose output is an {@code O}. */
    ShippedCall(PendingCall call) {
        this.call = call;
    }

    private Pump pump() {
        return call.target().core().pump();
    }

    /**
     * Whether the outcome is there.
     *
     * @return true from then on
     */
    public boolean isDone() {
        return call.isFinished();
    }

    /**
     * Waits for the outcome. A platform thread that waits makes progress for the whole client, see
     * {@link Shipper}.
     *
     * @param timeout the longest wait
     * @return the output
     * @throws CallFailedException with the code of the outcome. With {@link ErrorCode#EAGAIN} after
     *     the timeout, and {@link ErrorCode#EINTR} if the thread is interrupted, whose flag stays
     *     set. In these two cases the call goes on, and a thread may wait for it again
     */
    public O await(Duration timeout) {
        if (!pump().await(call, Durations.nanos(timeout))) {
            throw unfinished(timeout);
        }
        return outcome();
    }

    /** Waits until a time on {@link System#nanoTime()}'s scale. */
    boolean waitUntil(long endNs) {
        return pump().await(call, endNs - System.nanoTime()) || isDone();
    }

    private CallFailedException unfinished(Duration timeout) {
        if (Thread.currentThread().isInterrupted()) {
            return failure(
                    ErrorCode.EINTR, "the waiting thread was interrupted; it goes on", false);
        }
        return failure(
                ErrorCode.EAGAIN,
                "no outcome after " + Durations.text(timeout) + "; it goes on",
                false);
    }

    private O outcome() {
        int code = call.code();
        if (code == 0) {
            @SuppressWarnings("unchecked") // the target of this very call made it
            O output = (O) call.target().outputType().cast(call.output());
            return Objects.requireNonNull(output);
        }
        throw failure(ErrorCode.ofOutcome(code), call.text(), call.isRemote());
    }

    private CallFailedException failure(ErrorCode code, String why, boolean remote) {
        return new CallFailedException(code, call.target().name(), why, remote);
    }

    /**
     * The outcome as a future. Dependent actions run in a thread of the library, or in any thread
     * of the program that calls the shipper; they must not block. They may close handles of {@link
     * Shipper#expose}: while such a close waits, the thread makes progress for the client.
     * Cancelling the future does not cancel the call.
     *
     * @return a new future, which fails with a {@link CallFailedException}, or as {@link #await} if
     *     the codec of the output returned null or an object of another type
     */
    public CompletableFuture<O> future() {
        CompletableFuture<O> future = new CompletableFuture<>();
        call.whenFinished(
                () -> {
                    try {
                        future.complete(outcome());
                    } catch (RuntimeException e) { // of the call, or a codec gave a wrong output
                        future.completeExceptionally(e);
                    }
                });
        return future;
    }

    /**
     * Ends the call with {@link ErrorCode#ECANCEL}, and tells the server.
     *
     * @return {@link CancelOutcome#CANCELLED} if it was under way, else {@link
     *     CancelOutcome#ALREADY_DONE}
     */
    public CancelOutcome cancel() {
        boolean ended =
                call.target()
                        .core()
                        .giveUp(call, ErrorCode.ECANCEL.negativeValue(), "The call was cancelled.");
        return ended ? CancelOutcome.CANCELLED : CancelOutcome.ALREADY_DONE;
    }
}
