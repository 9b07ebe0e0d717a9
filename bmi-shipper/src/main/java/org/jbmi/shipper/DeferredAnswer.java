package org.jbmi.shipper;

import org.jbmi.ErrorCode;
import org.jbmi.shipper.codec.Codec;
import org.jbmi.shipper.server.ServerCall;
import org.jbmi.shipper.wire.Wire;

/**
 * The answer of a call whose handler returns without one. Give it once, from any thread, also for a
 * call that its client has given up. Until then the server keeps the leases of the call. Without a
 * deadline the call goes on until it is answered, its client cancels or ends, or the server closes.
 *
 * @param <O> the type of the output
 */
public final class DeferredAnswer<O> {
    private final ServerCall call;
    private final Codec<O> codec;

    DeferredAnswer(ServerCall call, Codec<O> codec) {
        this.call = call;
        this.codec = codec;
    }

    /**
     * Answers.
     *
     * @param output the output
     * @return false if this output was not sent: there was an answer already, the client wants none
     *     any more, or the output cannot be written or kept. In the last case the client gets an
     *     error
     */
    public boolean complete(O output) {
        return call.core().answers().answer(call, codec, output);
    }

    /**
     * Answers with an error.
     *
     * @param code the error; {@link ErrorCode#EAGAIN} and {@link ErrorCode#EINTR} are sent as
     *     {@link ErrorCode#EREMOTE}
     * @param message a sentence of printable ASCII; the server replaces other characters by '?' and
     *     cuts it to {@value Wire#MAX_TEXT} characters
     * @return false if there was an answer already, or the client wants none any more
     */
    public boolean fail(ErrorCode code, String message) {
        return call.core().answers().fail(call, code.negativeValue(), message);
    }

    /**
     * Whether the client wants no answer any more.
     *
     * @return true if the client cancelled, died, or waits no longer
     */
    public boolean isAbandoned() {
        return call.abandoned() != 0;
    }
}
