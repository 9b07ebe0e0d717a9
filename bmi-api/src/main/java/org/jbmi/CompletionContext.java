package org.jbmi;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * A completion queue: operations are posted in it, and their outcomes are reported there. Matching
 * does not depend on contexts. Safe for use by any thread; each completion goes to exactly one
 * caller.
 *
 * <p><b>Buffers.</b> Any {@link MemorySegment} that every thread may use: of a shared, automatic or
 * global arena, or over a {@code byte[]}. A segment of a confined arena, or over another kind of
 * array, is refused with {@link ErrorCode#EINVAL}. From the post to the report of its outcome a
 * buffer belongs to the library: the program must not change a send buffer, nor read a receive
 * buffer. The array of a list is captured at the post; its segments are not.
 *
 * <p><b>Order.</b> First in, first out for each (peer, tag). Different tags and different peers are
 * independent of each other.
 *
 * <p><b>Results.</b> See {@link PostResult}.
 */
public interface CompletionContext extends AutoCloseable {
    /**
     * Sends an expected message: one that waits for its matching receive.
     *
     * @param peer the receiver
     * @param buffer all its bytes are the message
     * @param tag must be equal at the receive, any 32-bit value
     * @param userData handed back with the completion
     * @param options deadlines and the like
     * @return see {@link PostResult}
     */
    long postSend(
            PeerAddress peer,
            MemorySegment buffer,
            int tag,
            @Nullable Object userData,
            PostOptions options);

    /**
     * Sends a list of buffers as one expected message.
     *
     * @param peer the receiver
     * @param buffers the message is their concatenation; none at all is a message of 0 bytes
     * @param totalBytes must be the sum of their sizes, else {@link ErrorCode#EINVAL}
     * @param tag must be equal at the receive
     * @param userData handed back with the completion
     * @param options deadlines and the like
     * @return see {@link PostResult}
     */
    long postSendList(
            PeerAddress peer,
            MemorySegment[] buffers,
            long totalBytes,
            int tag,
            @Nullable Object userData,
            PostOptions options);

    /**
     * Receives an expected message. A shorter message than the buffer is normal; bytes beyond it
     * are not touched. A longer one: see {@link ErrorCode#EPROTO} and {@link ErrorCode#EMSGSIZE}.
     * One receive takes one message: for several messages post several receives. A post allocates
     * nothing.
     *
     * @param peer the sender
     * @param buffer where the message goes
     * @param tag must be equal at the send
     * @param userData handed back with the completion
     * @param options deadlines and the like
     * @return see {@link PostResult}; completed at once carries the size of the message
     */
    long postReceive(
            PeerAddress peer,
            MemorySegment buffer,
            int tag,
            @Nullable Object userData,
            PostOptions options);

    /**
     * Receives an expected message into a list of buffers, filled in order. Where they overlap, the
     * last write wins.
     *
     * @param peer the sender
     * @param buffers where the message goes
     * @param totalBytes must be the sum of their sizes, else {@link ErrorCode#EINVAL}
     * @param tag must be equal at the send
     * @param userData handed back with the completion
     * @param options deadlines and the like
     * @return see {@link PostResult}
     */
    long postReceiveList(
            PeerAddress peer,
            MemorySegment[] buffers,
            long totalBytes,
            int tag,
            @Nullable Object userData,
            PostOptions options);

    /**
     * Sends an unexpected message: one that needs no receive; testUnexpected delivers it. It is
     * complete when the receiver's side has taken it into its bounded memory.
     *
     * @param peer the receiver
     * @param buffer all its bytes are the message, at most {@link Options#MAX_UNEXPECTED_BYTES}
     * @param tag any 32-bit value
     * @param messageClass 0 to 255
     * @param userData handed back with the completion
     * @param options deadlines and the like
     * @return see {@link PostResult}
     */
    long postSendUnexpected(
            PeerAddress peer,
            MemorySegment buffer,
            int tag,
            int messageClass,
            @Nullable Object userData,
            PostOptions options);

    /**
     * Sends a list of buffers as one unexpected message.
     *
     * @param peer the receiver
     * @param buffers the message is their concatenation
     * @param totalBytes must be the sum of their sizes, else {@link ErrorCode#EINVAL}
     * @param tag any 32-bit value
     * @param messageClass 0 to 255
     * @param userData handed back with the completion
     * @param options deadlines and the like
     * @return see {@link PostResult}
     */
    long postSendUnexpectedList(
            PeerAddress peer,
            MemorySegment[] buffers,
            long totalBytes,
            int tag,
            int messageClass,
            @Nullable Object userData,
            PostOptions options);

    /**
     * {@link #postSend(PeerAddress, MemorySegment, int, Object, PostOptions)} without user data.
     *
     * @param peer the receiver
     * @param buffer the message
     * @param tag its tag
     * @return see {@link PostResult}
     */
    default long postSend(PeerAddress peer, MemorySegment buffer, int tag) {
        return postSend(peer, buffer, tag, null, PostOptions.NONE);
    }

    /**
     * {@link #postSend(PeerAddress, MemorySegment, int, Object, PostOptions)} without options.
     *
     * @param peer the receiver
     * @param buffer the message
     * @param tag its tag
     * @param userData handed back with the completion
     * @return see {@link PostResult}
     */
    default long postSend(
            PeerAddress peer, MemorySegment buffer, int tag, @Nullable Object userData) {
        return postSend(peer, buffer, tag, userData, PostOptions.NONE);
    }

    /**
     * {@link #postReceive(PeerAddress, MemorySegment, int, Object, PostOptions)} without user data.
     *
     * @param peer the sender
     * @param buffer where the message goes
     * @param tag its tag
     * @return see {@link PostResult}
     */
    default long postReceive(PeerAddress peer, MemorySegment buffer, int tag) {
        return postReceive(peer, buffer, tag, null, PostOptions.NONE);
    }

    /**
     * {@link #postReceive(PeerAddress, MemorySegment, int, Object, PostOptions)} without options.
     *
     * @param peer the sender
     * @param buffer where the message goes
     * @param tag its tag
     * @param userData handed back with the completion
     * @return see {@link PostResult}
     */
    default long postReceive(
            PeerAddress peer, MemorySegment buffer, int tag, @Nullable Object userData) {
        return postReceive(peer, buffer, tag, userData, PostOptions.NONE);
    }

    /**
     * Sends an unexpected message of class 0 without user data.
     *
     * @param peer the receiver
     * @param buffer the message
     * @param tag its tag
     * @return see {@link PostResult}
     */
    default long postSendUnexpected(PeerAddress peer, MemorySegment buffer, int tag) {
        return postSendUnexpected(peer, buffer, tag, 0, null, PostOptions.NONE);
    }

    /**
     * Reports the outcome of one operation, and waits for it if it is pending. During the wait
     * testContext does not report this operation.
     *
     * @param id what the post returned
     * @param done room for one result; emptied first
     * @param idleMs the longest wait in milliseconds, 0 for none
     * @return 1 if it is reported, 0 if it is not done. An id that is unknown, was reported before
     *     (perhaps meanwhile, to another thread) or belongs to another context is reported at once,
     *     with the outcome {@link ErrorCode#EINVAL}
     * @throws BmiException with {@link ErrorCode#EINVAL} if {@code idleMs} is negative, {@code
     *     done} has no room, or the context is closed
     */
    int test(long id, Completions done, long idleMs);

    /**
     * Reports the outcomes of some operations, and waits until at least one of them is done. An id
     * that {@link #test} would report with the outcome {@link ErrorCode#EINVAL} is done.
     *
     * @param ids the operations; entries of 0 are skipped
     * @param count how many entries of {@code ids} to test
     * @param done room for results, packed from 0; {@link Completions#index} tells which id each is
     *     about
     * @param idleMs the longest wait in milliseconds, 0 for none
     * @return how many are reported; 0 at once if there is no room, or only entries of 0
     * @throws BmiException with {@link ErrorCode#EINVAL} if {@code idleMs} or {@code count} is
     *     negative, the array is shorter, or the context is closed
     */
    int testSome(long[] ids, int count, Completions done, long idleMs);

    /**
     * Reports all operations of this context that are done, in the order of completion, and waits
     * for the first. Returns early with 0 when an unexpected message arrives (once for each, see
     * {@link Options#CHECK_UNEXPECTED}), or when the {@link Bmi} is closed.
     *
     * @param done room for results
     * @param idleMs the longest wait in milliseconds, 0 for none
     * @return how many are reported; 0 at once if there is no room, and nothing is lost
     * @throws BmiException with {@link ErrorCode#EINVAL} if {@code idleMs} is negative or the
     *     context is closed
     */
    int testContext(Completions done, long idleMs);

    /**
     * Reports the operations of this context that are done, as {@link #testContext} does, but makes
     * no progress. For a loop that has just made progress by another test call.
     *
     * @param done room for results
     * @return how many are reported
     * @throws BmiException with {@link ErrorCode#EINVAL} if the context is closed
     */
    int collect(Completions done);

    /**
     * Cancels an operation. Returns at once; a test call reports the outcome as usual. After {@link
     * ErrorCode#ECANCEL} no byte of the buffer is touched any more.
     *
     * @param id what the post returned
     * @return what it did
     */
    CancelOutcome cancel(long id);

    /**
     * Waits for one operation, whatever its post returned.
     *
     * @param postResult what the post returned: an id, a size or a refusal
     * @param timeoutMs the longest wait in milliseconds
     * @return the size of the message in bytes
     * @throws BmiException with the operation's code if it failed or was refused, with {@link
     *     ErrorCode#EINVAL} for an unknown id, and with {@link ErrorCode#EAGAIN} if it is still
     *     pending after the timeout: it goes on and its id stays valid
     */
    long await(long postResult, long timeoutMs);

    /**
     * Closes the context. Unreported operations are cancelled and never reported; the close waits a
     * bounded time for running transfers. Closing twice does nothing.
     */
    @Override
    void close();
}
