package org.jbmi;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * A completion queue: operations are posted in it, and their outcomes are reported there. A send
 * and its receive may be in different contexts. Safe for use by any thread; each completion goes to
 * exactly one caller.
 *
 * <p><b>Buffers.</b> Any {@link MemorySegment} that every thread may use: of a shared, automatic or
 * global arena, or over a {@code byte[]}. From the post to the report of its outcome a buffer
 * belongs to the library. The program must not change a send buffer, nor read a receive buffer, nor
 * close the arena of either. A post of a list copies the array, so the program may change the array
 * afterwards, but not the buffers that it names.
 *
 * <p><b>Order.</b> Sends and receives of one (peer, tag) match in the order of their posts. They
 * may complete in another order. Different tags and different peers are independent of each other.
 * There is one exception, on tcp: where two servers connect to each other, a send over one
 * connection can overtake a send over the other.
 *
 * <p><b>Posts.</b> A post does not wait for a matching operation, with these exceptions. On a zoid
 * server a post may wait while a client moves the bytes. The knob {@code zbmi.immediateWaitMs}
 * bounds this wait; {@link PostOptions#withoutWaiting} prevents it. On a zoid client a post may
 * wait until its operation ends, at most as long as {@code zoid.postTimeoutMs} says; the default is
 * 0. A host of zoid that stands still may delay a post by {@code zoid.callTimeoutMs}.
 *
 * <p><b>Results and errors.</b> A post returns what {@link PostResult} says. A post to a peer that
 * was removed is refused with {@link ErrorCode#EPROTO}; a post to a peer that failed, with the code
 * of that failure. More bytes than {@link Options#MAX_EXPECTED_BYTES} or {@link
 * Options#MAX_UNEXPECTED_BYTES} are refused with {@link ErrorCode#EMSGSIZE}. The code is {@link
 * ErrorCode#ENOBUFS} if as many operations as {@code bmi.maxOperations} allows are pending or
 * unreported. A method may refuse a post with other codes.
 *
 * <p>A fault of the program is an exception instead. Each post throws a {@link BmiException} with
 * {@link ErrorCode#EPROTO} for a peer of another {@link Bmi}. It throws one with {@link
 * ErrorCode#EINVAL} if this is closed, or if the buffer of a receive is read-only. It also does so
 * if a buffer belongs to a confined or closed arena, or lies over an array that is no {@code
 * byte[]}.
 *
 * <p>For a list the code is also {@link ErrorCode#EINVAL} if it has a null entry, a wrong total, or
 * more buffers than the method takes. The README, <em>Methods</em>, has this limit; for zoid it is
 * the knob {@code zoid.maxListCount}.
 *
 * <p><b>Waiting.</b> A test call of a thread that is interrupted makes progress once and does not
 * wait; the thread stays interrupted. An interrupt during the wait ends it at once, unless the
 * thread sleeps on a word in shared memory, as it does for zoid. The interrupt then ends the wait
 * within 0.1 s, or within 1 s if nothing has happened for a second. The thread notices just as late
 * that the other process was killed.
 */
public interface CompletionContext extends AutoCloseable {
    /**
     * Sends an expected message: one that waits for its matching receive.
     *
     * @param peer the receiver
     * @param buffer all its bytes are the message
     * @param tag must be equal at the receive, any 32-bit value
     * @param userData handed back with the completion; a post that is over at once hands back
     *     nothing
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
     * @param totalBytes the sum of their sizes
     * @param tag must be equal at the receive
     * @param userData handed back with the completion; a post that is over at once hands back
     *     nothing
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
     * Receives one expected message. It may be shorter than the buffer; the bytes behind it are not
     * touched.
     *
     * <p>If the message is longer than the buffer, the receive fails:
     *
     * <ul>
     *   <li>If the receive was posted before the message came, it ends with {@link
     *       ErrorCode#EMSGSIZE}; the message is dropped, and its send succeeds.
     *   <li>Otherwise the post is refused with {@link ErrorCode#EPROTO}, and the message stays for
     *       a larger receive.
     * </ul>
     *
     * @param peer the sender
     * @param buffer where the message goes
     * @param tag must be equal at the send
     * @param userData handed back with the completion; a post that is over at once hands back
     *     nothing
     * @param options deadlines and the like
     * @return see {@link PostResult}; if it completed at once, the size of the message
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
     * @param totalBytes the sum of their sizes
     * @param tag must be equal at the send
     * @param userData handed back with the completion; a post that is over at once hands back
     *     nothing
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
     * Sends an unexpected message: one that needs no receive; {@link Bmi#testUnexpected} or a
     * listener of the receiver delivers it. The send is complete when the program may use the
     * buffer again. This does not prove that the receiver has the message. tcp may only have given
     * the bytes to the system, and zoid may only have put them into shared memory.
     *
     * @param peer the receiver
     * @param buffer all its bytes are the message, at most {@link Options#MAX_UNEXPECTED_BYTES}
     * @param tag any 32-bit value
     * @param messageClass 0 to 255
     * @param userData handed back with the completion; a post that is over at once hands back
     *     nothing
     * @param options deadlines and the like
     * @return see {@link PostResult}
     * @throws BmiException with {@link ErrorCode#EINVAL} for a wrong class, and as every post
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
     * @param totalBytes the sum of their sizes
     * @param tag any 32-bit value
     * @param messageClass 0 to 255
     * @param userData handed back with the completion; a post that is over at once hands back
     *     nothing
     * @param options deadlines and the like
     * @return see {@link PostResult}
     * @throws BmiException with {@link ErrorCode#EINVAL} for a wrong class, and as every post
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
     * @param userData handed back with the completion; a post that is over at once hands back
     *     nothing
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
     * @param userData handed back with the completion; a post that is over at once hands back
     *     nothing
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
     * {@link #testContext} and {@link #collect} do not report this operation.
     *
     * @param id what the post returned
     * @param done room for one result; emptied first
     * @param idleMs the longest wait in milliseconds; with 0 the call does not wait
     * @return 1 if it is reported, 0 if it is not done. If the id is not that of an operation of
     *     this context, the call reports {@link ErrorCode#EINVAL} as its outcome at once. Such an
     *     id is unknown, belongs to another context, or was reported before, perhaps to another
     *     thread during this call
     * @throws BmiException with {@link ErrorCode#EINVAL} if {@code idleMs} is negative, {@code
     *     done} has no room, or the context is closed
     */
    int test(long id, Completions done, long idleMs);

    /**
     * Reports the outcomes of some operations, and waits until at least one of them is done. During
     * the wait {@link #testContext} and {@link #collect} do not report these operations. An id that
     * {@link #test} would report with the outcome {@link ErrorCode#EINVAL} is done.
     *
     * @param ids the operations; entries of 0 are skipped
     * @param count how many entries of {@code ids} to test
     * @param done room for results, filled from 0 without gaps; emptied first; {@link
     *     Completions#index} tells which id each is about
     * @param idleMs the longest wait in milliseconds; with 0 the call does not wait
     * @return how many are reported; 0 at once if there is no room, or only entries of 0
     * @throws BmiException with {@link ErrorCode#EINVAL} if {@code idleMs} or {@code count} is
     *     negative, the array has fewer entries than {@code count}, or the context is closed
     */
    int testSome(long[] ids, int count, Completions done, long idleMs);

    /**
     * Reports the operations of this context that are done, in the order of completion. If there
     * are none it waits for the first. Returns early with 0 when an unexpected message arrives (at
     * most once for each message, see {@link Options#CHECK_UNEXPECTED}), or when the {@link Bmi} is
     * closed.
     *
     * @param done room for results; emptied first
     * @param idleMs the longest wait in milliseconds; with 0 the call does not wait
     * @return how many are reported; 0 at once if there is no room. What does not fit is reported
     *     by the next call
     * @throws BmiException with {@link ErrorCode#EINVAL} if {@code idleMs} is negative or the
     *     context is closed
     */
    int testContext(Completions done, long idleMs);

    /**
     * Reports the operations of this context that are done, as {@link #testContext} does, but makes
     * no progress and does not wait. It is for a loop that has just made progress by another test
     * call.
     *
     * @param done room for results; emptied first
     * @return how many are reported
     * @throws BmiException with {@link ErrorCode#EINVAL} if the context is closed
     */
    int collect(Completions done);

    /**
     * Cancels an operation. Does not wait for the peer; a server of zoid waits up to 0.1 s for a
     * daemon. A test call reports the outcome as usual. Once {@link ErrorCode#ECANCEL} is reported,
     * no byte of the buffer is touched any more. The buffer of a receive may then hold a part of
     * the message.
     *
     * @param id what the post returned
     * @return what it did
     * @throws BmiException with {@link ErrorCode#EINVAL} if the context is closed
     */
    CancelOutcome cancel(long id);

    /**
     * Waits for one operation, whatever its post returned.
     *
     * @param postResult what the post returned: an id, a size or a refusal
     * @param timeoutMs the longest wait in milliseconds; with 0 the call does not wait
     * @return the size of the message in bytes
     * @throws BmiException with the operation's code if it failed or was refused; with {@link
     *     ErrorCode#EINVAL} for an unknown id, a negative timeout or a closed context. With {@link
     *     ErrorCode#EAGAIN} if the operation is still pending after the timeout, or the thread is
     *     interrupted. The operation then continues, and its id stays valid
     */
    long await(long postResult, long timeoutMs);

    /**
     * Closes the context. Unreported operations are cancelled. The close waits for running
     * transfers, at most as long as the knob {@code bmi.closeWaitMs} says. Closing twice does
     * nothing.
     *
     * <p>When this returns, the buffers are the program's again, except those of transfers that did
     * not end in time. {@link Bmi#pendingOperations} lists such an operation until its transfer
     * ends. Keep its buffers until then, or use an automatic arena.
     *
     * <p>A thread that waits in {@link #testContext} gets what is there, perhaps nothing. A thread
     * that waits in {@link #test} or {@link #testSome} gets the outcome of its operation. It gets
     * {@link ErrorCode#EINVAL} for an outcome that is lost, and nothing for a transfer that did not
     * end in time. Later calls throw {@link ErrorCode#EINVAL}. Outcomes that no call has reported
     * are lost.
     */
    @Override
    void close();
}
