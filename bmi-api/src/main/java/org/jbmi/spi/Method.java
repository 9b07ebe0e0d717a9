package org.jbmi.spi;

import org.jbmi.BmiException;
import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * A transport, opened for one {@link org.jbmi.Bmi}. The core checks arguments before it calls. The
 * address belongs to this method. In {@link #post}, sizes are within {@link #limits()}, and any
 * thread may use the segments. The core checks neither {@link Operation#poolOnly} nor the segment
 * of {@link #memfree}.
 *
 * <p><b>Threads.</b> Every call may come from any thread at any time. The calls of its {@link
 * #waitable}, except {@link Waitable#sleepsOn}, come from one thread at a time (the lead).
 *
 * <p><b>Operations.</b> A method holds an {@link Operation} from a post that returned {@link
 * #PENDING} until it calls {@link MethodHost#complete}, exactly once. After that call the method
 * must not touch the operation. Another thread of the method may call {@code complete} before the
 * post has returned. After a post that returned anything else the method keeps no reference to the
 * operation.
 *
 * <p><b>Progress and waiting.</b> A method whose peers do all the work in their own calls needs no
 * progress. Any other method has a {@link Waitable}, through which the lead makes the method's
 * progress and sleeps.
 */
public interface Method extends AutoCloseable {
    /**
     * Returned by a post for an operation that is not over: {@link MethodHost#complete} follows.
     */
    long PENDING = Long.MAX_VALUE;

    /**
     * The sizes in force.
     *
     * @return limits
     */
    MethodLimits limits();

    /**
     * Finds an address. A method that must reach a host for this may wait for it, for a bounded
     * time.
     *
     * @param address a string that begins with the scheme and a colon
     * @return the method's object for the peer; it may be the same one for equal peers
     * @throws BmiException with {@link ErrorCode#ENOPROTOOPT} if the string is not in the method's
     *     grammar
     */
    MethodAddress lookup(String address);

    /**
     * Starts an operation. Called without any lock of the core held.
     *
     * @param operation the operation; see its kind
     * @return {@link #PENDING}, or the bytes moved if it is done, or a negative {@link ErrorCode}
     *     if it is refused
     */
    long post(Operation operation);

    /**
     * Sends an unexpected message, if it can be over when this call returns, so that it needs no
     * operation. Called without any lock of the core held, for a post of one buffer that has
     * neither deadlines nor {@code poolOnly}. The core checks the size only before a {@link #post}:
     * for a message above {@link #limits()} the method does nothing.
     *
     * @param address the peer
     * @param buffer the message, of any length; not used after the return
     * @param tag any
     * @param messageClass 0 to 255
     * @return the bytes sent; a negative {@link ErrorCode} if it is refused; or {@link #PENDING},
     *     the default, if nothing was done and the core must call {@link #post}
     */
    default long sendUnexpectedAtOnce(
            MethodAddress address, MemorySegment buffer, int tag, int messageClass) {
        return PENDING;
    }

    /**
     * Sends an expected message, if it can be over when this call returns, so that it needs no
     * operation. Called without any lock of the core held, for a post of one buffer that has
     * neither deadlines nor {@code poolOnly}. The core checks the size only before a {@link #post}:
     * for a message above {@link #limits()} the method does nothing.
     *
     * @param address the peer
     * @param buffer the message, of any length; not used after the return
     * @param tag any
     * @return the bytes sent; a negative {@link ErrorCode} if the send fails; or {@link #PENDING},
     *     the default, if nothing was done and the core must call {@link #post}
     */
    default long sendAtOnce(MethodAddress address, MemorySegment buffer, int tag) {
        return PENDING;
    }

    /**
     * Cancels an operation: on request, for a deadline, because its peer is dropped, or because its
     * context closes.
     *
     * <p>Never waits for a peer: the thread may have the lead, on which all methods depend, and may
     * cancel thousands of operations. It may wait a tenth of a second for a process between the
     * peers; if that does not answer, further cancels must not wait. If a message to the peer has
     * no room, the method keeps it and sends it later, in order.
     *
     * @param operation may have completed, and may even be in use for another operation by now
     * @param id the id it must still have; compare under the method's own lock
     * @param code the negative code to complete it with
     * @return {@link CancelOutcome#CANCELLED} if the method can stop the operation. It then
     *     completes the operation with {@code code}, now or soon, and nothing touches the buffers
     *     after that. {@link CancelOutcome#REQUESTED} if the method completes the operation later,
     *     with {@code code} or with the real outcome. {@link CancelOutcome#ALREADY_DONE} if the
     *     method does not hold the operation any more
     */
    CancelOutcome cancel(Operation operation, long id, int code);

    /**
     * How the lead makes progress for this method and sleeps until there is more to do.
     *
     * @return constant for the life of the method. The default is null: the threads that post,
     *     cancel and free do all the work, and call {@link MethodHost} themselves
     */
    default @Nullable Waitable waitable() {
        return null;
    }

    /**
     * Allocates memory for messages, 64-byte aligned.
     *
     * @param sizeBytes 0 or more; 0 gives a segment of length 0 with an address of its own
     * @return memory that any thread may use until {@link #memfree} or the close; null if there is
     *     none
     */
    @Nullable MemorySegment memalloc(long sizeBytes);

    /**
     * Frees a block of {@link #memalloc}. The core passes any segment of the program, also one of
     * another method or of the heap.
     *
     * @param memory the block that begins at its address is freed; its length does not matter
     * @return 0, or a {@link ErrorCode#negativeValue}: {@link ErrorCode#EBUSY} while an operation
     *     uses the block; {@link ErrorCode#EINVAL} if no block of this method begins where the
     *     segment begins
     */
    int memfree(MemorySegment memory);

    /**
     * Whether peers themselves copy from and to memory of {@link #memalloc}, so that a post of it
     * copies nothing.
     *
     * @return constant for the life of the method; default false
     */
    default boolean isPoolShared() {
        return false;
    }

    /**
     * Frees the memory of an unexpected message. The core has checked that it is held. May come
     * after {@link #dropped} of its sender.
     *
     * @param token the token that the method delivered with the message
     */
    void unexpectedFree(long token);

    /**
     * Frees the memory of an unexpected message later, with the next call of the method that frees
     * memory anyway. This costs less than {@link #unexpectedFree}. A method returns true only if
     * such a call is sure to come soon. Called under a lock of the core, by one thread at a time:
     * takes no lock, does not wait and calls nothing of the core.
     *
     * @param token the token that the method delivered with the message
     * @return true if the method has noted the token; false, the default, if it did nothing and the
     *     core must call {@link #unexpectedFree}
     */
    default boolean unexpectedFreedSoon(long token) {
        return false;
    }

    /**
     * Whether the core may remove the handle of a sender when the program releases its last
     * reference. Operations with the address may be pending; the core does not cancel them.
     *
     * @param address a record of this method
     * @return default true
     */
    default boolean mayDrop(MethodAddress address) {
        return true;
    }

    /**
     * Disconnects a peer that the program drops. The method closes its connection to the peer, if
     * it has one. The next {@link #lookup} of the address leads to a new connection. The core
     * cancels the operations itself, afterwards. Never blocks.
     *
     * @param address a record of this method
     */
    default void disconnect(MethodAddress address) {}

    /**
     * The core has removed one handle of this address. Operations with the address may still be
     * pending, and messages may still be held: the method keeps what they need. Another handle may
     * still use the same object, see {@link MethodAddress#handle()}. The core also calls this
     * inside {@link MethodHost#peerFailed}, while the caller holds its locks. So take no lock here
     * that you hold when you call {@code peerFailed}, unless it is reentrant.
     *
     * @param address a record of this method
     */
    default void dropped(MethodAddress address) {}

    /**
     * Whether an address lies in a range.
     *
     * @param address a record of this method
     * @param pattern in the method's own grammar
     * @param prefixLength -1 for a wildcard pattern
     * @return true if it does
     * @throws BmiException with {@link ErrorCode#EINVAL} for a malformed pattern; by default with
     *     {@link ErrorCode#ENOSYS}
     */
    default boolean inAddressRange(MethodAddress address, String pattern, int prefixLength) {
        throw new BmiException(ErrorCode.ENOSYS, "This method has no address ranges.");
    }

    /**
     * Sets an option that the core does not handle itself.
     *
     * @param address null for the whole method
     * @param option which
     * @param value its value
     * @return false if the method does not know the option; the core ignores that, as the C library
     *     does
     * @throws BmiException with {@link ErrorCode#EINVAL} for a bad value
     */
    default boolean setOption(@Nullable MethodAddress address, Option<?> option, Object value) {
        return false;
    }

    /**
     * Reads an option that the core does not handle itself.
     *
     * @param address null for the whole method
     * @param option which
     * @return its value, or null if the method does not know it
     */
    default @Nullable Object getOption(@Nullable MethodAddress address, Option<?> option) {
        return null;
    }

    /**
     * Ends the method within a bounded time. It completes pending operations with {@link
     * ErrorCode#ECANCEL} and waits for running transfers. It also frees the memory of all blocks
     * and all held messages, as far as no thread uses it any more. The core does not free blocks or
     * messages during or after a close.
     *
     * <p>After it has returned, the method does not call the core any more, except to complete a
     * transfer that did not end in time. Calls of other threads may be under way meanwhile, and
     * some may follow: a post is refused, the others do nothing.
     */
    @Override
    void close();

    /**
     * As {@link #close()}, as a part of the close of a whole instance, which has one deadline for
     * all its methods. The core calls this one. A method that waits for anything overrides this
     * call. It then waits neither past the deadline nor longer than it would by itself. By default
     * this calls {@link #close()}.
     *
     * @param deadlineNs on {@link System#nanoTime()}'s scale; if it has passed, the method does not
     *     wait
     */
    default void close(long deadlineNs) {
        close();
    }
}
