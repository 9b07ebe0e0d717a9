package org.jbmi.zbmi.link;

import org.jbmi.spi.Operation;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionArea;
import org.jbmi.zbmi.protocol.handshake.SessionLimits;

import java.lang.foreign.MemorySegment;

/**
 * A client's link to the engine: its messages, and the ways in which payload leaves and reaches the
 * client. Implementations: {@code shm} (through the segment), {@code socket} (through a socket, to
 * a gateway that maps the segment).
 *
 * <p>A reply that is a GRANT has been claimed when {@link #call} returns it; if the claim failed,
 * PENDING is returned. The receiver of an event that is a GRANT claims it at once, or never.
 */
public interface ClientLink extends PeerChannel {
    /** {@link #startMove}: the operation's outcome will come as an event. */
    int MOVING = 1;

    /** {@link #startMove}: the claim came too late, the operation is still pending. */
    int VOIDED = 2;

    /** The size limits that the engine announced. */
    SessionLimits limits();

    /** The generation of its session. */
    int generation();

    /**
     * Whether the engine runs in the server's process and shares memory with this one: then an
     * answer arrives sooner than a sleep would begin.
     */
    default boolean isOneHop() {
        return false;
    }

    /**
     * Claims a grant. Only inside {@link PeerEvents#onEvent}, since claims go in the order of the
     * grants.
     *
     * @return true: the caller must move its bytes and send DONE; false: it is void, and the caller
     *     must send nothing for it
     */
    boolean claim(Message grant);

    /** {@link #tryNote}: sent, and the engine sleeps. */
    int WAKE = 4;

    /**
     * Sends a note if there is room. Never waits; called with {@link PeerEvents#sendLock} held.
     *
     * @return {@link #OK}; {@link #WAKE}: sent, and {@link #wakeEngine} must follow; or {@link
     *     #NOT_SENT}: nothing was done, and {@link #note} returns the reason
     */
    default int tryNote(Message note) {
        return NOT_SENT;
    }

    /**
     * Whether an unexpected message is over as soon as {@link #tryNote} or {@link #tryLend} has
     * sent it. To be asked under the same lock, just before.
     *
     * @return {@link SessionArea#KEEPS_ALL} if so; {@link SessionArea#KEEPS_SOME} while the engine
     *     keeps such messages that are not accepted yet; 0 if the client must send none of them
     */
    default int keeps() {
        return 0;
    }

    /**
     * For a sender that hears no answers: whether it must {@link #checkHost} before it sends.
     *
     * @return true if nothing was dispatched since the last call, nor was the host checked for a
     *     millisecond
     */
    default boolean isCheckDue() {
        return false;
    }

    /** Finds out whether the host has ended; then the session is broken. */
    default void checkHost() {}

    /**
     * Polls for room, if its callers poll before they sleep, for a millisecond at most. Messages of
     * the engine are dispatched meanwhile.
     *
     * @return whether there was room; by default false
     */
    default boolean lookForRoom() {
        return false;
    }

    /** Wakes the engine, after a {@link #tryNote} that asks for it. */
    default void wakeEngine() {}

    /** {@link #look}: more may be due than a look. */
    int MORE = -2;

    /**
     * As {@link #progress}, for a thread that is not counted as inside. It looks at nothing once
     * the link is closed, and a close waits for it.
     *
     * @return how many messages were dispatched, or {@link #MORE}: nothing was done, and somebody
     *     inside must see to it
     */
    default int look() {
        return MORE;
    }

    /** Lets {@link #look} do nothing from now on; waits for a thread that looks at this moment. */
    default void endLooks() {}

    /**
     * Whether a send of the server may wait for a receive on a tag. If not, a receive may be posted
     * as a note: the engine reads it before it takes a later send.
     *
     * @return false if none waits; true if one does, or if it cannot be known here
     */
    default boolean mayHaveSend(int tag) {
        return true;
    }

    /** How many bytes a receive can take without a grant; negative if it cannot. */
    default int dataRoom() {
        return ClientRequests.NO_DATA_ROOM;
    }

    /**
     * Copies bytes out of the data slot of a message. Only inside {@link PeerEvents#onEvent},
     * before {@link #releaseDataSlot}.
     *
     * @param slot of a {@link org.jbmi.zbmi.protocol.ClientEvents#DATA_SLOT}
     * @throws IndexOutOfBoundsException if the message is longer than a slot
     */
    default void readDataSlot(int slot, int position, MemorySegment target, int lengthBytes) {
        throw new UnsupportedOperationException("this link has no data slots");
    }

    /**
     * Gives the oldest data slot back: once for each {@link
     * org.jbmi.zbmi.protocol.ClientEvents#DATA_SLOT}, whether a receive has taken the bytes or not.
     * Only inside {@link PeerEvents#onEvent}.
     */
    default void releaseDataSlot() {}

    /**
     * Counts a cancel of a receive that was posted as a note, so that the engine waits for its
     * result. {@link #hearAll} and a {@link ClientRequests#CANCELLED} must follow, in the order of
     * the numbers: one thread at a time.
     */
    default long countCancel() {
        throw new UnsupportedOperationException("this link posts no receives as notes");
    }

    /**
     * Dispatches everything that the engine had published before the call, even while other threads
     * dispatch.
     */
    default void hearAll() {
        progress();
    }

    /**
     * Whether claimed grants are moved with {@link #startMove} by the threads that make progress;
     * else with a {@link #newMover mover}, at once, and the mover's owner sends DONE.
     */
    default boolean movesLater() {
        return false;
    }

    /**
     * Makes a mover for the payload of grants, for repeated use by one thread at a time. Not for a
     * link that {@link #movesLater}.
     */
    default GrantMover newMover() {
        throw new UnsupportedOperationException("this link moves later");
    }

    /**
     * Starts to move the bytes of a claimed grant; once for each claim, also for a claim with a
     * reply. Until the outcome the link uses the operation's buffers, and sends no other event
     * about the operation. The outcome is an event without correlation:
     *
     * <ul>
     *   <li>COMPLETED or FAILED: the operation is over.
     *   <li>PENDING: the claim came too late.
     *   <li>GRANT: the claim came too late, and the engine offers another message meanwhile. The
     *       receiver claims this grant or leaves it, like any other.
     *   <li>none, if the link breaks.
     * </ul>
     *
     * @param grant the GRANT; if it is over it becomes the one that was moved, of another size
     *     perhaps
     * @return {@link #MOVING}, {@link #VOIDED}, 0 if it is over with success, or the negative code
     *     with which it is over
     */
    default int startMove(Operation operation, Message grant) {
        throw new UnsupportedOperationException("this link moves on the spot");
    }

    /**
     * Sleeps until an event may have come, for a thread that is not the lead and waits for a
     * transfer. Not for a link that moves at once.
     */
    default void awaitEvent(long timeoutNs) {
        throw new UnsupportedOperationException("this link moves on the spot");
    }

    /** Whether there is room for a note. If not, the sleep will end when there is. */
    boolean hasRoom();

    /**
     * Takes a free eager slot. Any thread may call this.
     *
     * @return its number, or {@link org.jbmi.zbmi.protocol.ClientRequests#NOT_EAGER}
     */
    int takeEagerSlot();

    /**
     * Takes a free eager slot that may be lent to the server; {@link #tryLend} or {@link
     * #releaseEagerSlot} must follow. Never waits; called with {@link PeerEvents#sendLock} held.
     *
     * @return its number, or {@link ClientRequests#NOT_EAGER}
     */
    default int takeSlotToLend() {
        return ClientRequests.NOT_EAGER;
    }

    /**
     * Sends a note that lends a slot, as {@link #tryNote} does.
     *
     * @param slot from {@link #takeSlotToLend}, with the bytes in it
     * @param note a {@link ClientRequests#SEND_LENT}
     * @return as {@link #tryNote}; if it was sent the slot is the server's, and comes back by
     *     itself
     */
    default int tryLend(int slot, Message note) {
        return NOT_SENT;
    }

    /**
     * Puts bytes of a message into an eager slot that was taken and is not announced.
     *
     * @param slot from {@link #takeEagerSlot} or {@link #takeSlotToLend}
     * @param lengthBytes how many; the sum over all calls is at most the eager limit
     */
    void putEager(int slot, int position, MemorySegment source, long sourceOffset, int lengthBytes);

    /**
     * Makes the bytes claimable; the message that names slot and sequence must follow.
     *
     * @param slot from {@link #takeEagerSlot}
     */
    long announceEager(int slot);

    /**
     * Takes announced bytes back, and frees the slot.
     *
     * @return false if the engine has taken them: the operation's outcome will come
     */
    boolean withdrawEager(int slot, long sequence);

    /**
     * Asks for announced bytes back where {@link #withdrawEager} cannot decide it: the outcome of
     * the operation will come, FAILED with ECANCEL if they were still there.
     */
    default void recallEager(int slot, long reference) {}

    /**
     * Frees a slot whose operation is over: COMPLETED or FAILED came, or it was never announced.
     *
     * @param slot from {@link #takeEagerSlot}
     */
    void releaseEagerSlot(int slot);

    /** Closes the link without a goodbye: from here on no memory of this process is touched. */
    void hangUp();
}
