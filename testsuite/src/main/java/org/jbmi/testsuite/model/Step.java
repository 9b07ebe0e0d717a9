package org.jbmi.testsuite.model;

/** One step of a program. A step that makes no sense where it stands does nothing. */
public sealed interface Step {
    /**
     * Posts an expected send.
     *
     * @param way where to
     * @param sizeBytes of the message
     * @param pieces in how many buffers it lies
     * @param context in which of the two contexts of its end, 0 or 1
     * @param deadline by when it must end
     */
    record Send(Way way, int sizeBytes, int pieces, int context, Deadline deadline)
            implements Step {}

    /**
     * Posts an expected receive.
     *
     * @param way where from
     * @param sizeBytes room for the message
     * @param pieces in how many buffers
     * @param context in which of the two contexts of its end, 0 or 1
     * @param deadline by when it must end
     */
    record Receive(Way way, int sizeBytes, int pieces, int context, Deadline deadline)
            implements Step {}

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
     * @param messageClass its class
     * @param sizeBytes of the message
     */
    record Unexpected(int client, int tag, int messageClass, int sizeBytes) implements Step {}

    /**
     * The server takes unexpected messages and frees them.
     *
     * @param messageClass their class; {@link #ANY}: a listener takes those of all classes
     * @param count how many at most
     */
    record Take(int messageClass, int count) implements Step {
        /** Messages of all classes. */
        public static final int ANY = -1;
    }

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

    /** Deadlines, as seen from a program that lasts seconds. */
    enum Deadline {
        /** There is none. */
        NONE,
        /** It never passes. */
        FAR,
        /**
         * It passes soon if the operation finds no partner at its post, and the player may cancel
         * it; otherwise it is far.
         */
        SOON,
        /** The same for an idle deadline. */
        SOON_IDLE
    }

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
