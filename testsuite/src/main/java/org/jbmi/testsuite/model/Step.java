package org.jbmi.testsuite.model;

/** One step of a program. A step that makes no sense where it stands does nothing. */
public sealed interface Step {
    /**
     * Posts an expected send.
     *
     * @param way where to
     * @param sizeBytes of the message
     * @param pieces in how many buffers it lies
     */
    record Send(Way way, int sizeBytes, int pieces) implements Step {}

    /**
     * Posts an expected receive.
     *
     * @param way where from
     * @param sizeBytes room for the message
     * @param pieces in how many buffers
     */
    record Receive(Way way, int sizeBytes, int pieces) implements Step {}

    /**
     * Cancels an operation.
     *
     * @param pick chooses one of those that are pending
     */
    record Cancel(int pick) implements Step {}

    /**
     * A client sends an unexpected message.
     *
     * @param client which
     * @param tag any
     * @param sizeBytes of the message
     */
    record Unexpected(int client, int tag, int sizeBytes) implements Step {}

    /**
     * The server takes unexpected messages and frees them.
     *
     * @param count how many at most
     */
    record Take(int count) implements Step {}

    /**
     * The server allocates memory and keeps it.
     *
     * @param sizeBytes how much
     */
    record Allocate(int sizeBytes) implements Step {}

    /**
     * The server frees memory.
     *
     * @param pick chooses one of its blocks
     */
    record Free(int pick) implements Step {}

    /**
     * A client closes its instance, whatever it has pending.
     *
     * @param client which
     */
    record Leave(int client) implements Step {}

    /**
     * Chooses how outcomes are asked for from here on.
     *
     * @param by which test call
     */
    record Look(Call by) implements Step {}

    /** The test calls. */
    enum Call {
        /** Of one id. */
        TEST,
        /** Of many ids. */
        SOME,
        /** Of a whole context. */
        CONTEXT
    }
}
