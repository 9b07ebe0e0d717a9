package org.jbmi.spi;

import org.jbmi.config.Configuration;
import org.jbmi.observe.Counters;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * The core as a method sees it. Every method here may be called by any thread, with or without
 * locks of the method held: the core does not call the method from inside, except for {@link
 * Method#dropped}, {@link SleepPlace.Sleep#wake} and {@link MethodAddress#displayName}.
 */
public interface MethodHost {
    /**
     * Reports the outcome of a pending operation; the method must not refer to it any more.
     *
     * @param operation an operation whose post returned {@link Method#PENDING}
     * @param error 0 or a negative {@link org.jbmi.ErrorCode}
     * @param sizeBytes the size of the message; ignored on failure
     */
    void complete(Operation operation, int error, long sizeBytes);

    /**
     * Delivers an unexpected message that is complete. Its memory stays the program's until {@link
     * Method#unexpectedFree} is called with the token. If this fails, the message is not delivered,
     * and its memory stays the method's.
     *
     * @param from the sender; registered if it is not known yet
     * @param tag its tag
     * @param messageClass 0 to 255
     * @param error 0, or a negative code for an incomplete message
     * @param memory native memory in which the payload lies
     * @param offset where the payload begins in {@code memory}, in bytes; no two held messages
     *     begin at the same address
     * @param sizeBytes length of the payload
     * @param token a number of the method's choice
     */
    void deliverUnexpected(
            MethodAddress from,
            int tag,
            int messageClass,
            int error,
            MemorySegment memory,
            long offset,
            long sizeBytes,
            long token);

    /**
     * Reports that a peer has failed for good. The core removes a peer that it knows only as a
     * sender, once it has no references and the program has freed all its messages.
     *
     * @param address the peer
     * @param error the negative code that posts to it are refused with from now on
     */
    void peerFailed(MethodAddress address, int error);

    /** Ends the lead's sleep: {@link Waitable#poll} has work. */
    void wake();

    /**
     * The values of all knobs.
     *
     * @return constant
     */
    Configuration configuration();

    /**
     * The counters.
     *
     * @return counters of this instance
     */
    Counters counters();

    /**
     * An object that the program passed to the builder.
     *
     * @param type its type
     * @param <T> its type
     * @return the object, or null if there is none
     */
    <T> @Nullable T attachment(Class<T> type);
}
