package org.jbmi;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * A peer to send to or receive from: looked up by its address, or known as the sender of an
 * unexpected message. Belongs to one {@link Bmi}; calls of another one throw a {@link BmiException}
 * with {@link ErrorCode#EPROTO}. Safe for use by any thread.
 *
 * <p><b>References.</b> The library knows some peers only as senders. It removes such a peer when
 * the program releases the last reference to it, or when the peer fails while there is none. It
 * first waits until the program has freed the peer's messages.
 *
 * <p>The program counts references with {@link #retain} and {@link #release}; the library adds one
 * for each delivered message if the builder asked for it. A peer that was looked up stays, whatever
 * its references, until {@link #drop}.
 */
public interface PeerAddress {
    /**
     * The handle's number, counted from 1 in each {@link Bmi} and never reused. {@link
     * Bmi#findPeer} finds the peer by it.
     *
     * @return a positive number
     */
    long id();

    /**
     * The scheme of the method that reaches this peer.
     *
     * @return for example {@code "zoid"}
     */
    String scheme();

    /**
     * A name for people: the address that was looked up, or the method's own name for a sender.
     *
     * @return never empty; {@code "UNKNOWN"} where nothing is known
     */
    String displayName();

    /**
     * Whether the method has checked that the peer is a process of this process's user on this
     * host. A server may then do for this peer what the user may do.
     *
     * @return true for every peer of loopback, and on a zoid server for clients that share its
     *     memory. False for clients behind a gateway, for every peer of tcp, and for the server of
     *     a zoid client
     */
    boolean isOwnUser();

    /**
     * Adds a reference.
     *
     * @throws BmiException with {@link ErrorCode#EINVAL} if the peer was removed
     */
    void retain();

    /**
     * Releases a reference. The last release removes a peer that is known as a sender only, if
     * {@link #mayBeForgotten}, as soon as all its unexpected messages are freed. Pending operations
     * with the peer go on and are reported as usual. Later posts to it are refused with {@link
     * ErrorCode#EPROTO}. With automatic counting every delivered unexpected message adds a
     * reference, and the program must release each.
     *
     * @throws BmiException with {@link ErrorCode#EINVAL} if there is no reference, or the peer was
     *     removed; nothing changes
     */
    void release();

    /**
     * Removes the peer at once, whatever its references. A method that has a connection to it
     * closes the connection. Every operation with it ends with {@link ErrorCode#ECANCEL} and is
     * reported once, as usual. An operation whose bytes are on their way may end with its real
     * outcome. Later posts are refused with {@link ErrorCode#EPROTO}; a new look-up of the address
     * returns another peer. It waits for no peer; with many pending operations it takes as long as
     * their cancels.
     *
     * @throws BmiException with {@link ErrorCode#EINVAL} if the peer was removed before
     */
    void drop();

    /**
     * Whether the peer's method allows the last {@link #release} to remove the peer.
     *
     * @return true for every peer of loopback, tcp and zoid; another method may keep some peers
     * @throws BmiException with {@link ErrorCode#EINVAL} if the peer was removed
     */
    boolean mayBeForgotten();

    /**
     * Allocates memory that suits messages with this peer best: on a zoid server from the pool in
     * shared memory, so that no copy is made. Aligned to 64 bytes, not cleared. Free it with {@link
     * Bmi#free}; closing the instance frees the rest. Any thread may use it.
     *
     * @param sizeBytes 0 gives a segment of length 0 that may be freed
     * @return memory that stays valid until it is freed; null if there is none, the size is
     *     negative, or the peer was removed
     * @throws BmiException with {@link ErrorCode#EINVAL} if the instance is closed
     */
    @Nullable MemorySegment allocate(long sizeBytes);

    /**
     * Whether the peer itself copies from and to memory of {@link #allocate}, as clients of a zoid
     * server do. A post of such memory copies nothing, so it takes the same time for a long message
     * as for a short one.
     *
     * @return false where a post may copy, or write to a socket
     */
    boolean isPoolShared();

    /**
     * Whether the peer lies in a range of addresses.
     *
     * @param pattern an address with wildcards, or a network, in the method's own grammar
     * @param prefixLength -1 for a wildcard pattern, else the length of the network's prefix in
     *     bits
     * @return true if the peer lies in the range
     * @throws BmiException with {@link ErrorCode#ENOSYS} if the method has no ranges, {@link
     *     ErrorCode#EINVAL} if the pattern is malformed, the peer was removed, or the instance is
     *     closed
     */
    boolean isInRange(String pattern, int prefixLength);
}
