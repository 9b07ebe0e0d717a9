package org.jbmi.shipper.server;

import org.jbmi.shipper.codec.Decoder;
import org.jbmi.shipper.pump.Outgoing;
import org.jspecify.annotations.Nullable;

/** A function that a server offers. */
public interface Served {
    /** Its name. */
    String name();

    /** The structure of its input and its output. */
    String signature();

    /** The number of its signature, which calls carry. */
    long fingerprint();

    /**
     * Whether its handler does not wait, so that it may run in the thread that receives calls.
     *
     * @param input of the call; null if it has not come
     */
    default boolean isShort(@Nullable Object input) {
        return false;
    }

    /**
     * Whether it runs at once, before all others, in the thread that receives calls: it never
     * waits.
     */
    default boolean isImmediate() {
        return false;
    }

    /** Reads an input. */
    Object read(Decoder in);

    /**
     * Runs the handler.
     *
     * @return the answer as {@link Answers#write} has written it; null if the call was answered, or
     *     its answer was deferred
     * @throws Exception an exception of the handler, which is sent as the answer
     */
    @SuppressWarnings("PMD.SignatureDeclareThrowsException")
    @Nullable Outgoing run(ServerCall call) throws Exception;
}
