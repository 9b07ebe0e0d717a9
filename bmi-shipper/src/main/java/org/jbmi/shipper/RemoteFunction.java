package org.jbmi.shipper;

import org.jbmi.BmiException;
import org.jbmi.ErrorCode;
import org.jbmi.PeerAddress;
import org.jbmi.shipper.client.ClientCore;
import org.jbmi.shipper.client.PendingCall;
import org.jbmi.shipper.client.Target;
import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.wire.Wire;

import java.time.Duration;

/**
 * A function of a server, seen from a client. Made by {@link Shipper#function}. Immutable, safe for
 * use by any thread.
 *
 * @param <I> the type of its input
 * @param <O> the type of its output
 */
public final class RemoteFunction<I, O> {
    private static final long USUAL = -1;

    private final Target<I, O> target;
    private final long deadlineMs;

    RemoteFunction(
            ClientCore core, String name, Codec<I> input, Codec<O> output, Class<O> outputType) {
        this(
                core.target(
                        name,
                        Wire.hash(name),
                        Wire.hash(Wire.signature(input.signature(), output.signature())),
                        input,
                        output,
                        outputType),
                USUAL);
    }

    private RemoteFunction(Target<I, O> target, long deadlineMs) {
        this.target = target;
        this.deadlineMs = deadlineMs;
    }

    /**
     * Its name.
     *
     * @return the same on both sides
     */
    public String name() {
        return target.name();
    }

    /**
     * The same function, with another deadline than that of the knob {@code shipper.deadlineMs},
     * for each of its calls. The deadline counts from the forward and travels with the call. When
     * it passes, the call ends with {@link ErrorCode#ETIMEDOUT} on both sides.
     *
     * @param deadline how long a call may take, rounded up to milliseconds; zero or less for no
     *     deadline
     * @return a new object
     */
    public RemoteFunction<I, O> withDeadline(Duration deadline) {
        return new RemoteFunction<>(target, Durations.millis(deadline));
    }

    /**
     * Forwards a call and returns at once. If a session with the server is open, the input is
     * encoded before this returns. Otherwise it is encoded when the session opens; until then do
     * not change its arrays and lists.
     *
     * @param server the server
     * @param input its input
     * @return the call; one that could not be forwarded is over, with the reason
     * @throws BmiException with {@link ErrorCode#EINVAL} if the shipper is closed, {@link
     *     ErrorCode#EMSGSIZE} if the input is larger than the knob {@code shipper.maxInputBytes}
     * @throws NullPointerException if a component of the input is null. This and EMSGSIZE are
     *     thrown only if a session is open; otherwise the call ends with EINVAL or EMSGSIZE
     */
    public ShippedCall<O> forward(PeerAddress server, I input) {
        PendingCall call = new PendingCall(target);
        target.core().forward(server, target, input, call, deadlineMs);
        return new ShippedCall<>(call);
    }

    /**
     * Forwards a call and waits for its outcome.
     *
     * @param server the server
     * @param input its input
     * @param timeout the longest wait; a call that takes longer is cancelled
     * @return its output
     * @throws CallFailedException with the code of the outcome, {@link ErrorCode#ETIMEDOUT} after
     *     the timeout, {@link ErrorCode#EINTR} if the thread is interrupted. In these two cases the
     *     call is cancelled; an interrupted thread stays so
     * @throws BmiException as {@link #forward}
     */
    public O call(PeerAddress server, I input, Duration timeout) {
        ShippedCall<O> call = forward(server, input);
        try {
            return call.await(timeout);
        } catch (CallFailedException e) {
            if (!call.isDone()) {
                call.cancel();
            }
            if (e.code() == ErrorCode.EAGAIN && !e.isRemote()) {
                throw new CallFailedException(
                        ErrorCode.ETIMEDOUT,
                        name(),
                        "no outcome after " + Durations.text(timeout) + "; it was cancelled",
                        false);
            }
            throw e;
        }
    }
}
