package org.jbmi;

import org.jbmi.config.Configuration;
import org.jbmi.observe.Counters;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * One independent messaging instance: its methods (transports such as tcp), addresses, contexts and
 * operations. A process may have any number of them; they share nothing. Safe for use by any
 * thread.
 *
 * <p>A client is opened with no more than {@link #open()}; a method becomes active at the first
 * lookup of an address of its scheme. A server names the addresses it listens on: {@code
 * Bmi.builder().listen("zoid://").open()}.
 *
 * <p>Virtual threads may wait in test calls, if no virtual thread of the process computes for long.
 * One that waits may be the thread that makes progress for all. While others hold all carriers, it
 * does not run: outcomes and deadlines of the instance are late, also for calls of platform
 * threads. In such a process only platform threads wait.
 */
public interface Bmi extends AutoCloseable {
    /**
     * Starts to describe an instance.
     *
     * @return a builder
     */
    static BmiBuilder builder() {
        return new BmiBuilder();
    }

    /**
     * Opens a client with the default configuration.
     *
     * @return an open instance
     */
    static Bmi open() {
        return builder().open();
    }

    /**
     * Opens a context.
     *
     * @return a context with no operations
     * @throws BmiException with {@link ErrorCode#EBUSY} if as many as the knob {@code
     *     bmi.maxContexts} allows are open, with {@link ErrorCode#EINVAL} if this is closed
     */
    CompletionContext openContext();

    /**
     * Finds a peer by its address. The address may be a list with commas, for example of tcp and
     * zoid; the first scheme that is available decides. Equal strings give the same handle, until
     * the program calls {@link PeerAddress#drop}. A look-up adds no reference.
     *
     * <p>The first look-up of a scheme opens its method, which may take a while. A client of zoid
     * then connects to the server process or the daemon, and waits at most as long as the knob
     * {@code zoid.attachTimeoutMs} says. With tcp and loopback a look-up does not connect. While
     * another thread drops the peer, a look-up waits for the end of the drop.
     *
     * @param address for example {@code "zoid://"} or {@code "loopback://name"}
     * @return the peer
     * @throws BmiException with {@link ErrorCode#ENOPROTOOPT} if no method takes the address. With
     *     {@link ErrorCode#ENAMETOOLONG} if it is longer than {@code bmi.maxAddressLength}. With
     *     {@link ErrorCode#EBUSY} if the drop of the peer does not end. With {@link
     *     ErrorCode#EINVAL} if this is closed. Or with what the method reports
     */
    PeerAddress lookup(String address);

    /**
     * Finds a peer again by its number. Allocates nothing.
     *
     * @param id the number from {@link PeerAddress#id}
     * @return the peer, or null if there is none with this number, or it was removed
     */
    @Nullable PeerAddress findPeer(long id);

    /**
     * The address that a peer was looked up with.
     *
     * @param peer a peer of this instance
     * @return that string, or empty for a peer that is known as a sender only
     * @throws BmiException with {@link ErrorCode#EPROTO} for a peer of another instance
     */
    Optional<String> reverseLookup(PeerAddress peer);

    /**
     * A printable name that the method gives to the peer.
     *
     * @param peer a peer of this instance
     * @return the name, {@code "UNKNOWN"} where there is none; never null or empty
     * @throws BmiException with {@link ErrorCode#EPROTO} for a peer of another instance
     */
    String reverseLookupUnexpected(PeerAddress peer);

    /**
     * Takes unexpected messages of class 0 that no listener takes. Those of one sender come in the
     * order of their posts, whatever their tags. If there are none it waits for the first. A thread
     * that is interrupted does not wait.
     *
     * @param messages room for them; emptied first
     * @param idleMs the longest wait in milliseconds; with 0 the call does not wait
     * @return how many were delivered; 0 after the wait if none came, and at once if {@code
     *     messages} has no room
     * @throws BmiException with {@link ErrorCode#EINVAL} if {@code idleMs} is negative or this is
     *     closed
     */
    default int testUnexpected(UnexpectedMessages messages, long idleMs) {
        return testUnexpected(0, messages, idleMs);
    }

    /**
     * Takes unexpected messages of one class that no listener takes. Those of one sender come in
     * the order of their posts, whatever their tags. If there are none it waits for the first. A
     * thread that is interrupted does not wait.
     *
     * @param messageClass 0 to 255
     * @param messages room for them; emptied first
     * @param idleMs the longest wait in milliseconds; with 0 the call does not wait
     * @return how many were delivered; 0 after the wait if none came, and at once if {@code
     *     messages} has no room
     * @throws BmiException with {@link ErrorCode#EINVAL} for a wrong class or a negative wait, or
     *     if this is closed
     */
    int testUnexpected(int messageClass, UnexpectedMessages messages, long idleMs);

    /**
     * Opens a listener for a part of the unexpected messages. The listener also gets messages that
     * came before, if its filter accepts them. It does not get those that a test call has taken, or
     * that another listener has.
     *
     * @param filter classes and tags
     * @return an open listener
     * @throws BmiException with {@link ErrorCode#EINVAL} if this is closed
     */
    UnexpectedListener openListener(UnexpectedFilter filter);

    /**
     * Frees the memory of an unexpected message. If the program sends the payload, it must not free
     * the message before that send is over; the library does not check this.
     *
     * @param payload what {@link UnexpectedMessages#payload} returned, or a view that begins where
     *     it begins
     * @throws BmiException with {@link ErrorCode#EINVAL} if it is no such payload, if it was freed
     *     before, or if this is closed
     */
    void unexpectedFree(MemorySegment payload);

    /**
     * Frees memory of {@link PeerAddress#allocate}.
     *
     * @param memory the segment, or a view that begins where it begins
     * @throws BmiException with {@link ErrorCode#EBUSY} while an operation uses the memory. With
     *     {@link ErrorCode#EINVAL} if this is closed, or if no allocated block begins there
     */
    void free(MemorySegment memory);

    /**
     * Sets an option for all active methods. Methods that become active later keep their default. A
     * method that does not know the option ignores it, as in the C library.
     *
     * @param option which
     * @param value its value
     * @param <T> the type of the value
     * @throws BmiException with {@link ErrorCode#EINVAL} for a bad value, if no method is active,
     *     or if this is closed; with {@link ErrorCode#ENOSYS} if the option cannot be set
     */
    <T> void setOption(Option<T> option, T value);

    /**
     * Hands an option to the method of a peer. The method decides whether it is for this peer or
     * for all its peers; the options of tcp and zoid are for all. {@link Options#CHECK_UNEXPECTED}
     * is for the whole instance. A method that does not know the option ignores it.
     *
     * @param peer a peer of this instance
     * @param option which
     * @param value its value
     * @param <T> the type of the value
     * @throws BmiException with {@link ErrorCode#EINVAL} for a bad value, or if the peer was
     *     removed or this is closed; with {@link ErrorCode#ENOSYS} if the option cannot be set
     */
    <T> void setOption(PeerAddress peer, Option<T> option, T value);

    /**
     * Reads an option over all active methods. If several of them have it, this is the value of one
     * of them; {@link Options#MAX_EXPECTED_BYTES} and {@link Options#MAX_UNEXPECTED_BYTES} give the
     * least value.
     *
     * @param option which
     * @param <T> the type of the value
     * @return its value
     * @throws BmiException with {@link ErrorCode#ENOSYS} if no active method has it, {@link
     *     ErrorCode#ENETDOWN} if it needs an active method and there is none, {@link
     *     ErrorCode#EINVAL} if this is closed
     */
    <T> T getOption(Option<T> option);

    /**
     * Reads an option from the method of a peer.
     *
     * @param peer a peer of this instance
     * @param option which
     * @param <T> the type of the value
     * @return its value
     * @throws BmiException with {@link ErrorCode#ENOSYS} if its method does not have it, with
     *     {@link ErrorCode#EINVAL} if the peer was removed or this is closed
     */
    <T> T getOption(PeerAddress peer, Option<T> option);

    /**
     * The options of this instance: the library's own, and those that the methods declare, active
     * or not.
     *
     * @return an immutable list, in the order of the standalone library's numbers; options without
     *     such a number are first
     */
    List<Option<?>> options();

    /**
     * Finds an option by the name of its C constant, for a program that does not compile against
     * the method that declares it.
     *
     * @param name for example {@code "BMI_TCP_GET_PORT"}
     * @param type the class of its value
     * @param <T> the type of its value
     * @return the option
     * @throws BmiException with {@link ErrorCode#ENOSYS} if no method that was found declares it,
     *     {@link ErrorCode#EINVAL} if its value is of another type
     */
    <T> Option<T> option(String name, Class<T> type);

    /**
     * Finds an option by the number that a C program uses.
     *
     * @param numbering the library with these numbers
     * @param number the number
     * @return the option, or null if none here has this number
     */
    @Nullable Option<?> option(Option.Numbering numbering, int number);

    /**
     * The names of the methods that were found, active or not.
     *
     * @return for example {@code [loopback, zoid]}, sorted
     */
    List<String> methods();

    /**
     * Whether a method is active. A client has no active method before its first lookup.
     *
     * @return true after a lookup, for a server, and if the builder named a method
     * @throws BmiException with {@link ErrorCode#EINVAL} if this is closed
     */
    boolean isActive();

    /**
     * The configuration of this instance.
     *
     * @return every knob with its value and the source of the value
     */
    Configuration configuration();

    /**
     * The counters of this instance.
     *
     * @return the counters of the methods and of shippers, which always have their current values.
     *     Also the counters of the core, whose names begin with {@code bmi.}; they get new values
     *     only in this call
     */
    Counters counters();

    /**
     * The operations that were posted and not yet reported, for a program that finds out why it
     * waits. They may end meanwhile. For another process there is {@code bin/bmi ops --pid}. Any
     * thread may call this, also after the close; the list then has the operations that were never
     * reported.
     *
     * @param most how many at most, at least 1
     * @return the oldest ones, the oldest first
     * @throws BmiException with {@link ErrorCode#EINVAL} if {@code most} is less than 1
     */
    List<PendingOperation> pendingOperations(int most);

    /**
     * Whether the instance is closed.
     *
     * @return true once the close by its last owner is over
     */
    boolean isClosed();

    /**
     * An object that all code on top of this instance shares: the first call makes it, later calls
     * find it by its type. It is for state that must exist once for each instance, such as the tags
     * that a protocol uses. The instance keeps it, and does not close it. No other code finds an
     * object whose type is private.
     *
     * @param type the type by which it is found
     * @param make makes the object; called by the first call only, and must not call {@code shared}
     * @param <T> the type
     * @return the same object for every caller
     */
    <T> T shared(Class<T> type, Supplier<? extends T> make);

    /**
     * Adds an owner: the instance then needs one more {@link #close}. This is for components that
     * share an instance; the C library counts in the same way how often it was initialised.
     *
     * @return this
     * @throws BmiException with {@link ErrorCode#EINVAL} if this is closed
     */
    Bmi retain();

    /**
     * Releases one ownership. The last owner closes the instance. The close cancels pending
     * operations, and waits for running transfers, at most as long as the knob {@code
     * bmi.closeWaitMs} says. It lets every waiting thread return, and releases all memory and
     * descriptors. From then on the program must not use memory of {@link PeerAddress#allocate} or
     * the payload of an unexpected message. Closing a closed instance does nothing.
     *
     * <p>When the last close returns, all other buffers are the program's again, except those of
     * transfers that did not end in time. {@link #pendingOperations} lists such an operation as not
     * over until its transfer ends. Keep its buffers until then, or use an automatic arena.
     *
     * <p>A thread that waits in a test call returns. For contexts and unexpected messages it
     * returns with what is there, perhaps nothing. For operations that it tests by their ids, it
     * returns with their outcome, or with {@link ErrorCode#EINVAL} for an outcome that is lost. It
     * returns with nothing for a transfer that did not end in time. Later calls throw {@link
     * ErrorCode#EINVAL}. Outcomes that no call has reported are lost.
     *
     * @throws IllegalStateException if a native call of the program, such as a write, still uses
     *     memory of the instance. This memory is then never freed; all else is closed
     */
    @Override
    void close();
}
