package org.jbmi.spi;

import org.jbmi.BmiException;
import org.jbmi.CancelOutcome;
import org.jbmi.ErrorCode;
import org.jbmi.Option;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.nio.channels.SelectableChannel;
import java.nio.channels.Selector;

/**
 * A transport, opened for one {@link org.jbmi.Bmi}. The core has checked arguments before it calls:
 * the address is this method's, sizes are within {@link #limits()}, segments may be used by any
 * thread.
 *
 * <p><b>Threads.</b> Every call may come from any thread at any time, except {@link #progress},
 * {@link #poll} and those that have to do with waiting, which come from one thread at a time (the
 * lead).
 *
 * <p><b>Operations.</b> A method holds an {@link Operation} from a post that returned {@link
 * #PENDING} until it calls {@link MethodHost#complete}, exactly once; after that call it must not
 * touch it. A post that returned anything else left no trace of the operation behind.
 *
 * <p><b>Waiting.</b> The lead calls {@link #waitBegins} once for a caller's wait. When it finds
 * nothing to do it calls {@link #prepareWait} on every active method (publish "asleep", fence, look
 * again); if all say yes it sleeps on what the method with the highest {@link #sleepKind} sleeps
 * on, or in a selector if several have a word; then it calls {@link #finishWait} on all. Whatever
 * happens in another thread or process in between must end that sleep: by {@link MethodHost#wake},
 * by the method's own primitive, or by a byte on its {@link #selectableChannel}.
 */
public interface Method extends AutoCloseable {
    /** Returned by a post for an operation that goes on. */
    long PENDING = Long.MAX_VALUE;

    /**
     * What {@link #sleep} sleeps on, least first: the core sleeps in the greatest of all methods.
     */
    enum SleepKind {
        /** Events come from threads of this process only, through {@link MethodHost#wake}. */
        LOCAL,
        /** A word in shared memory that another process wakes. */
        WORD,
        /**
         * Sockets: the core waits in a selector in which {@link #selectableChannel} is registered,
         * or asks the method to sleep in its own {@link #selector}.
         */
        SELECTOR
    }

    /**
     * The sizes in force.
     *
     * @return limits
     */
    MethodLimits limits();

    /**
     * Finds an address. Does not wait for the network.
     *
     * @param address a string that begins with the scheme and a colon
     * @return the record; the same one for a string that means the same peer, if the method likes
     * @throws BmiException with {@link ErrorCode#ENOPROTOOPT} if the string is not in the method's
     *     grammar
     */
    MethodAddress lookup(String address);

    /**
     * Starts an operation. Called without any lock of the core held.
     *
     * @param operation what to do; see its kind
     * @return {@link #PENDING}, or the bytes moved if it is done, or a negative {@link ErrorCode}
     *     if it is refused
     */
    long post(Operation operation);

    /**
     * Cancels an operation: on request, for a deadline, because its peer is dropped, or because its
     * context closes. Never blocks, whatever the peer does: the thread may have the lead, which all
     * methods wait for, and may have thousands to cancel. What the peer must hear of it waits in
     * order until there is room. If the operation has not begun to move it is completed with {@code
     * code}, now or soon; if bytes are being moved the transfer ends and its real outcome is
     * reported.
     *
     * @param operation may have completed, and may even be in use for another operation by now
     * @param id the id it must still have; compare under the method's own lock
     * @param code the negative code to complete it with
     * @return what was done; {@link CancelOutcome#ALREADY_DONE} if the method does not hold it any
     *     more
     */
    CancelOutcome cancel(Operation operation, long id, int code);

    /**
     * Does what can be done without waiting.
     *
     * @return how much was done; 0 if nothing
     */
    int progress();

    /**
     * Does what a test call without idle time should find done, which may include asking the peer
     * once. Bounded.
     *
     * @return how much was done; 0 if nothing
     */
    default int poll() {
        return progress();
    }

    /**
     * Whether there is anything that {@link #progress} may ever find. A method whose peers do all
     * the work says false and costs nothing.
     *
     * @return default true
     */
    default boolean needsProgress() {
        return true;
    }

    /**
     * Whether events are likely within microseconds, so that spinning pays.
     *
     * @return default false
     */
    default boolean isWorthSpinning() {
        return false;
    }

    /**
     * What it sleeps on.
     *
     * @return constant for the life of the method
     */
    SleepKind sleepKind();

    /**
     * Whether a thread of the method's own makes its progress while the lead sleeps on something
     * else than {@link #sleep}, and reports events through {@link MethodHost}: then the lead may
     * park, or sleep in a selector without a {@link #selectableChannel} of this method.
     *
     * @return constant for the life of the method; default false
     */
    default boolean isKept() {
        return false;
    }

    /**
     * Whether a sleep of the lead, with the {@link #prepareWait} before it, ends at once for
     * everything that {@link #progress} would find, what the last call left for the next one
     * included. Where a caller is to wait without looking around, the lead then sleeps first and
     * saves a look.
     *
     * @return constant for the life of the method; default false
     */
    default boolean isWokenForAll() {
        return false;
    }

    /**
     * Told by the lead when a caller begins to wait, before it spins or sleeps: a method whose peer
     * must be asked for events asks once for the whole wait. May be called again, with another
     * deadline, when another caller takes the lead over.
     *
     * @param deadlineNs when the caller gives up, on {@link System#nanoTime()}'s scale
     */
    default void waitBegins(long deadlineNs) {}

    /**
     * Announces that the lead is going to sleep, then looks once more.
     *
     * @param primary whether {@link #sleep} of this very method will be called
     * @return false if there is something to do and nobody may sleep
     */
    default boolean prepareWait(boolean primary) {
        return true;
    }

    /**
     * Sleeps until there is an event, {@link #wake} is called, or the time is over. Called on the
     * primary method only, and only for {@link SleepKind#WORD} and for a method with a {@link
     * #selector}: the core itself parks or selects for the others. May return early for no reason.
     *
     * @param timeoutNs the longest sleep
     */
    default void sleep(long timeoutNs) {
        throw new UnsupportedOperationException("The method has neither a word nor a selector.");
    }

    /** Takes back what {@link #prepareWait} announced. */
    default void finishWait() {}

    /**
     * Told when the caller that waited leaves and nobody takes over, so that a method may tell its
     * peers that nobody is listening.
     */
    default void waitOver() {}

    /**
     * Ends {@link #sleep} in another thread, or the next one if none is under way. Called from
     * within calls of {@link MethodHost} too, whatever locks their callers hold: takes no lock and
     * waits for nothing.
     */
    default void wake() {}

    /**
     * The channel that becomes readable when a sleeper in a selector must wake.
     *
     * @return null if the method needs none
     */
    default @Nullable SelectableChannel selectableChannel() {
        return null;
    }

    /**
     * The selector of a {@link SleepKind#SELECTOR} method whose many sockets are registered in a
     * selector of its own. The first such method is the primary one: its {@link #sleep} is called,
     * {@link #wake} wakes the selector up, and before each sleep the core registers the {@link
     * #selectableChannel} of every other method there, with no attachment. The method selects,
     * ignores keys without its own attachment, and leaves no key selected. When another method is
     * the primary one, or the lead parks, the method is looked at again every millisecond.
     *
     * @return null, by default, if the core's own selector serves
     */
    default @Nullable Selector selector() {
        return null;
    }

    /**
     * Allocates memory for messages, 64-byte aligned.
     *
     * @param sizeBytes 0 or more
     * @return memory, or null if there is none
     */
    @Nullable MemorySegment memalloc(long sizeBytes);

    /**
     * Frees memory that {@link #memalloc} of this method gave.
     *
     * @param memory begins where the block begins
     * @return 0, {@code -EBUSY} while an operation uses it, or {@code -EINVAL} if it is none of
     *     this method's
     */
    int memfree(MemorySegment memory);

    /**
     * Takes the memory of an unexpected message back. The core has checked that it is held. May
     * come after {@link #dropped} of its sender.
     *
     * @param token what the method gave with the message
     */
    void unexpectedFree(long token);

    /**
     * Whether an address that nobody refers to may be forgotten.
     *
     * @param address a record of this method
     * @return default true
     */
    default boolean mayDrop(MethodAddress address) {
        return true;
    }

    /**
     * Ends what there is with a peer that the program drops: a method that has a connection to it
     * closes the connection, and the next {@link #lookup} of its address leads to a new one. The
     * core cancels the operations itself, afterwards. Never blocks.
     *
     * @param address a record of this method
     */
    default void disconnect(MethodAddress address) {}

    /**
     * Told that the core forgot an address. Called from within {@link MethodHost#peerFailed} too,
     * with the locks its caller holds: takes no lock that the method holds there, unless it may be
     * taken twice.
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
     * @throws BmiException with {@link ErrorCode#ENOSYS} by default
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
     * Ends the method within a bounded time. Pending operations are completed with {@link
     * ErrorCode#ECANCEL}; running transfers are waited for, then given up and reported. No callback
     * comes after it returned. Calls of other threads may be under way meanwhile, and some may
     * follow: a post is refused, the others do nothing.
     */
    @Override
    void close();

    /**
     * As {@link #close()}, as a part of the close of a whole instance, which has one deadline for
     * all its methods. The core calls this one. A method that waits for anything overrides it, and
     * waits neither past the deadline nor longer than it would by itself; by default the method is
     * closed as if it were alone.
     *
     * @param deadlineNs on {@link System#nanoTime()}'s scale; if it has passed, nothing is waited
     *     for
     */
    default void close(long deadlineNs) {
        close();
    }
}
