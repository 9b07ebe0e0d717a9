package org.jbmi.spi;

import org.jbmi.ErrorCode;
import org.jbmi.config.Configuration;
import org.jbmi.observe.Counters;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * The core as a method sees it. Any thread may make these calls, also while it holds locks of the
 * method. The core does not call the method from inside these calls, except for {@link
 * Method#dropped}, {@link SleepPlace.Sleep#wake} and {@link MethodAddress#displayName}.
 */
public interface MethodHost {
    /**
     * Reports the outcome of a pending operation; the method must not refer to it any more.
     *
     * @param operation an operation whose post returned {@link Method#PENDING}
     * @param error 0 or a negative {@link ErrorCode}
     * @param sizeBytes the size of the message; ignored on failure
     */
    void complete(Operation operation, int error, long sizeBytes);

    /**
     * Delivers an unexpected message. The method calls this once for each message, when all bytes
     * that will come have come. The memory of the message belongs to the program until {@link
     * Method#unexpectedFree} is called with the token. If this call throws an exception, the core
     * has not taken the message, and the method still owns its memory.
     *
     * @param from the sender; registered if it is not known yet
     * @param tag its tag
     * @param messageClass 0 to 255
     * @param outcome {@link ErrorCode#SUCCESS} if all bytes arrived; otherwise the program must
     *     still free the message
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
            ErrorCode outcome,
            MemorySegment memory,
            long offset,
            long sizeBytes,
            long token);

    /**
     * Reports that a peer has failed for good. From now on the core refuses posts to it with {@code
     * error}. The core ends no pending operation: the method calls {@link #complete} for each one,
     * for example with {@link ErrorCode#EPIPE}. The core removes a peer that it knows only as a
     * sender, once it has no references and the program has freed all its messages.
     *
     * @param address the peer
     * @param error a negative {@link ErrorCode}; the first one that is reported for the peer counts
     */
    void peerFailed(MethodAddress address, int error);

    /** Ends the lead's sleep: {@link Waitable#poll} has work. Never fails. */
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
