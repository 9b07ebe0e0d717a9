package org.jbmi.shipper;

import org.jbmi.BmiException;
import org.jspecify.annotations.Nullable;

/**
 * What a server does when a function is called.
 *
 * @param <I> the type of the input
 * @param <O> the type of the output
 */
@FunctionalInterface
public interface CallHandler<I, O> {
    /**
     * Runs a call. In a virtual thread of its own, which is interrupted when nobody wants the
     * answer any more; one that is registered as short may run in the thread that takes calls in;
     * without threads in the thread that calls {@link ShipperServer#process}.
     *
     * @param call the call, with its input
     * @return the output; null if the answer was left to a {@link DeferredAnswer}
     * @throws Exception a {@link BmiException} is answered with its code and message, anything else
     *     with EREMOTE and its words; the server goes on
     */
    @Nullable O handle(Call<I, O> call) throws Exception;
}
