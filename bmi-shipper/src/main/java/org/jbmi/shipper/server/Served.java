package org.jbmi.shipper.server;

import org.jbmi.shipper.codec.Decoder;

/** A function that a server offers. */
public interface Served {
    /**
     * Its name.
     *
     * @return the same on both sides
     */
    String name();

    /**
     * What its input and its output consist of.
     *
     * @return the signature
     */
    String signature();

    /**
     * The number of its signature, which calls carry.
     *
     * @return the same on both sides
     */
    long fingerprint();

    /**
     * Whether its handler never waits, so that it may run in the thread that takes calls in.
     *
     * @return true if the program has said so
     */
    default boolean isShort() {
        return false;
    }

    /**
     * Whether it runs at once, past all others, in the thread that takes calls in.
     *
     * @return true for what never waits
     */
    default boolean isImmediate() {
        return false;
    }

    /**
     * Reads an input.
     *
     * @param in where from; all of it
     * @return the input
     */
    Object read(Decoder in);

    /**
     * Runs the handler; it answers or defers.
     *
     * @param call the call, with its input
     * @throws Exception whatever the handler throws: it is the answer
     */
    @SuppressWarnings("PMD.SignatureDeclareThrowsException")
    void run(ServerCall call) throws Exception;
}
