package org.jbmi.spi;

import org.jbmi.config.Configuration;
import org.jbmi.observe.Counters;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * What the core offers to a method. Every call may come from any thread, with or without locks of
 * the method held: the core calls nobody back from inside these calls.
 */
public interface MethodHost {
    /**
     * Reports the outcome of a pending operation; the method must have forgotten it before.
     *
     * @param operation an operation whose post returned {@link Method#PENDING}
     * @param error 0 or a negative {@link org.jbmi.ErrorCode}
     * @param sizeBytes the size of the message; ignored on failure
     */
    void complete(Operation operation, int error, long sizeBytes);

    /**
     * Hands over an unexpected message that arrived whole. Its memory stays the program's until
     * {@link Method#unexpectedFree} is called with the token.
     *
     * @param from the sender; registered if it is not known yet
     * @param tag its tag
     * @param messageClass 0 to 255
     * @param error 0, or a negative code for a message that broke off
     * @param memory native memory in which the payload lies
     * @param offset where it begins; no two held messages begin at the same address
     * @param sizeBytes its length
     * @param token the method's own mark
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
     * Tells that a peer is gone for good. A peer that was met as a sender and that nobody refers to
     * is forgotten; one that is referred to stays until the last reference goes.
     *
     * @param address the peer
     * @param error the negative code that posts to it are refused with from now on
     */
    void peerFailed(MethodAddress address, int error);

    /** Ends the lead's sleep: there is something for {@link Waitable#poll} to do. */
    void wake();

    /**
     * The values of all knobs.
     *
     * @return constant
     */
    Configuration configuration();

    /**
     * Where to count.
     *
     * @return counters of this instance
     */
    Counters counters();

    /**
     * An object that the program handed to the builder.
     *
     * @param type its type
     * @param <T> its type
     * @return the object, or null if there is none
     */
    <T> @Nullable T attachment(Class<T> type);
}
