package org.jbmi.shipper;

import org.jbmi.BmiException;
import org.jspecify.annotations.Nullable;

/**
 * Runs the calls of a function on a server.
 *
 * @param <I> the type of the input
 * @param <O> the type of the output
 */
@FunctionalInterface
public interface CallHandler<I, O> {
    /**
     * Runs a call. The server runs it in a virtual thread. When the client no longer wants the
     * answer, the server interrupts this thread. A handler that is registered as short may run in
     * the thread that receives calls. On a server without threads every handler runs in the thread
     * that calls {@link ShipperServer#process}.
     *
     * @param call the call, with its input
     * @return the output; null only after {@link Call#defer}, otherwise the server answers with
     *     ENODATA
     * @throws Exception the server answers a {@link BmiException} with its code and message, but
     *     with EREMOTE in place of EAGAIN and EINTR. It answers any other exception with EREMOTE
     *     and the exception's message. The server runs on
     */
    @Nullable O handle(Call<I, O> call) throws Exception;
}
