package org.jbmi.zbmi.link;

import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.Welcome;

import java.lang.foreign.MemorySegment;

/**
 * A client's link to the daemon: its conversation with the engine, and the ways on which payload
 * leaves and reaches the client. Implementations: {@code shm} (through the segment).
 *
 * <p>A reply that is a GRANT has been claimed when {@link #call} returns it; one that turned out
 * void is returned as PENDING. A GRANT that comes as an event is to be claimed by the receiver of
 * the event, there and then, or never.
 */
public interface ClientLink extends PeerChannel {
    /** What the daemon said at the start: session, limits, geometry. */
    Welcome welcome();

    /**
     * Claims a grant. Only inside {@link PeerEvents#onEvent}, since claims go in the order of the
     * grants.
     *
     * @param grant a GRANT message
     * @return true: its bytes must now be moved and DONE be sent; false: it is void, and nothing
     *     may be sent for it
     */
    boolean claim(Message grant);

    /**
     * Makes a mover for the payload of grants, to be used again and again by one thread at a time.
     *
     * @return a new mover
     */
    GrantMover newMover();

    /**
     * Takes a free eager slot. Any thread.
     *
     * @return its number, or {@link org.jbmi.zbmi.protocol.ClientRequests#NOT_EAGER}
     */
    int takeEagerSlot();

    /**
     * Puts bytes of a message into an eager slot that was taken and is not announced.
     *
     * @param slot from {@link #takeEagerSlot}
     * @param position where in the message
     * @param source of the bytes
     * @param sourceOffset of the first
     * @param lengthBytes how many; the sum over all calls is at most the eager limit
     */
    void putEager(int slot, int position, MemorySegment source, long sourceOffset, int lengthBytes);

    /**
     * Makes the bytes claimable; the message that names slot and sequence must follow.
     *
     * @param slot from {@link #takeEagerSlot}
     * @return the sequence
     */
    long announceEager(int slot);

    /**
     * Takes announced bytes back, and frees the slot.
     *
     * @param slot announced
     * @param sequence of the announcement
     * @return false if the engine has them: the operation's outcome will come
     */
    boolean withdrawEager(int slot, long sequence);

    /**
     * Frees a slot whose operation is over: COMPLETED or FAILED came, or it was never announced.
     *
     * @param slot from {@link #takeEagerSlot}
     */
    void releaseEagerSlot(int slot);
}
