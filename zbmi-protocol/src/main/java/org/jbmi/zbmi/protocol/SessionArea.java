package org.jbmi.zbmi.protocol;

import org.jbmi.mempool.SharedMemory;

/**
 * Where everything lies in the part of the segment that one session has. These are its two lanes,
 * its control lines and, for a client, its eager slots and data slots. Offsets given out count from
 * the start of the segment.
 *
 * <pre>
 *   0      +--------------------------------------+
 *          | consumed, lane toward the engine (8) |  written by the engine
 *   128    | consumed, lane toward the peer   (8) |  written by the peer
 *   136    | data slots given back           (8) |  written by a client: see ClientEvents.DATA_SLOT
 *   144    | relayed                          (4) |  written by a gateway before all else: its generation
 *   256    | armed                            (4) |  set by the engine, cleared by the peer: see Doorbell
 *   384    | peer wants credit                (4) |  set by a peer whose lane is full
 *   512    | engine wants credit              (4) |  set by an engine whose lane is full
 *   640    | peer sleep word                  (4) |  bit 0 asleep on it, bit 1 in a selector, 2..31 a number
 *   644    | ended                            (4) |  set by the host once the socket is closed
 *   648    | cancels                          (8) |  written by a client: how many it has begun
 *   768    | tags of waiting sends            (8) |  set and cleared by the engine: see TagBits
 *   776    | accepted                     (4) |  written by the engine: see ClientEvents.ACCEPTED
 *   780    | keeps                        (4) |  written by the engine: see ClientRequests.SEND_SHORT
 *   896    | returned slots                   (8) |  written by the engine: see ClientRequests.SEND_LENT
 *   1024   | 64 window words              (64*8) |  claims of grants: see GrantWindow
 *   1536   | eager states, 64 bytes apart  (n*64) |  claims of eager slots: see EagerState
 *          +--------------------------------------+  next line
 *          | lane toward the engine               |  slots of 128 bytes
 *          +--------------------------------------+
 *          | lane toward the peer                 |  slots of 128 bytes
 *          +--------------------------------------+
 *          | eager slots                          |
 *          +--------------------------------------+
 *          | data slots, as long as eager ones    |
 *          +--------------------------------------+  next page
 * </pre>
 *
 * @param session 0 for the server, otherwise a client
 * @param offset where the area begins in the segment
 * @param laneSlots slots of each lane, a power of two
 * @param eagerSlots how many there are
 * @param eagerSlotBytes size of each
 */
public record SessionArea(
        int session, long offset, int laneSlots, int eagerSlots, int eagerSlotBytes) {

    /** Bytes of a lane's slot. */
    public static final int SLOT_BYTES = 128;

    /** Grants of one client that may be under way at a time, and so its windows. */
    public static final int WINDOWS = 64;

    /** Data slots of a client that has eager slots: see {@link ClientEvents#DATA_SLOT}. */
    public static final int DATA_SLOTS = 8;

    /** The engine takes each unanswered SEND_SHORT and each SEND_LENT that it reads. */
    public static final int KEEPS_ALL = 1;

    /** It keeps some that it cannot accept, and the client shall send no more of them. */
    public static final int KEEPS_SOME = 2;

    private static final int CONSUMED_BY_ENGINE = 0;
    private static final int CONSUMED_BY_PEER = 128;
    private static final int DATA_SLOTS_BACK = 136;
    private static final int RELAYED = 144;
    private static final int ARMED = 256;
    private static final int PEER_WANTS_CREDIT = 384;
    private static final int ENGINE_WANTS_CREDIT = 512;
    private static final int PEER_SLEEP = 640;
    private static final int ENDED = 644;
    private static final int CANCELS = 648;
    private static final int SEND_TAGS = 768;
    private static final int ACCEPTED = 776;
    private static final int KEEPS = 780;
    private static final int RETURNED = 896;
    private static final int WINDOW_WORDS = 1024;
    private static final int EAGER_STATES = WINDOW_WORDS + WINDOWS * Long.BYTES;
    private static final int EAGER_STATE_STRIDE = 64;

    static long bytes(int laneSlots, int eagerSlots, int eagerSlotBytes) {
        int slots = eagerSlots + dataSlots(eagerSlots, eagerSlotBytes);
        long end = eagerSlotsFrom(laneSlots, eagerSlots);
        return roundUp(end + (long) slots * eagerSlotBytes, SegmentMap.PAGE_BYTES);
    }

    private static int dataSlots(int eagerSlots, int eagerSlotBytes) {
        return eagerSlots == 0 || eagerSlotBytes == 0 ? 0 : DATA_SLOTS;
    }

    static long eagerSlotsFrom(int laneSlots, int eagerSlots) {
        return lanes(eagerSlots) + 2L * laneSlots * SLOT_BYTES;
    }

    /** How far the engine has read what the peer sent. */
    public long consumedByEngineOffset() {
        return offset + CONSUMED_BY_ENGINE;
    }

    /** How far the peer has read what the engine sent. */
    public long consumedByPeerOffset() {
        return offset + CONSUMED_BY_PEER;
    }

    /**
     * How many data slots the client has given back: see {@link ClientEvents#DATA_SLOT}. On the
     * line of {@link #consumedByPeerOffset}, which the client writes at about the same time.
     */
    public long dataSlotsBackOffset() {
        return offset + DATA_SLOTS_BACK;
    }

    /**
     * Declares that the client of this session is a gateway that acts for a remote one, which may
     * be another user's. The gateway does this before it posts anything.
     */
    public void markRelayed(SharedMemory memory, int generation) {
        memory.setIntRelease(offset + RELAYED, generation);
    }

    /**
     * Whether the client of a session has declared by {@link #markRelayed} that it is a gateway.
     * The mark may be that of a later session, if a message is read late. Then the earlier client
     * counts as a gateway, even if it was none.
     *
     * @param generation of the session when the client sent
     */
    public boolean isRelayed(SharedMemory memory, int generation) {
        return generation <= memory.getIntAcquire(offset + RELAYED);
    }

    /** Set while the engine does not look at this session unless the doorbell rings. */
    public long armedOffset() {
        return offset + ARMED;
    }

    /** Set by a peer that waits for room in its lane. */
    public long peerWantsCreditOffset() {
        return offset + PEER_WANTS_CREDIT;
    }

    /** Set by an engine that holds back messages for want of room in the peer's lane. */
    public long engineWantsCreditOffset() {
        return offset + ENGINE_WANTS_CREDIT;
    }

    /** On which the peer sleeps. */
    public long peerSleepWordOffset() {
        return offset + PEER_SLEEP;
    }

    /**
     * Set by a host that lives when it has closed its end of the session's socket, before it wakes
     * the peer. A peer that is about to sleep looks here, and then at the socket.
     */
    public long endedOffset() {
        return offset + ENDED;
    }

    /**
     * How many cancels of receives the client has begun: see {@link ClientRequests#CANCELLED}. On
     * the line that the engine reads anyway when it has sent something.
     */
    public long cancelsOffset() {
        return offset + CANCELS;
    }

    /** On which tags sends of the server wait for a receive of this client: see {@link TagBits}. */
    public long sendTagsOffset() {
        return offset + SEND_TAGS;
    }

    /**
     * How many of the client's counted sends the engine has accepted, modulo 2<sup>32</sup>: see
     * {@link ClientEvents#ACCEPTED}.
     */
    public long acceptedOffset() {
        return offset + ACCEPTED;
    }

    /**
     * Whether an unexpected send of the client is over once it is in the lane: {@link #KEEPS_ALL},
     * {@link #KEEPS_SOME}, or 0; see {@link ClientRequests#SEND_SHORT}.
     */
    public long keepsOffset() {
        return offset + KEEPS;
    }

    /**
     * Which eager slots that the client has lent the engine has given back: the bit of a slot
     * changes with each return. See {@link ClientRequests#SEND_LENT}.
     */
    public long returnedOffset() {
        return offset + RETURNED;
    }

    /**
     * Where grants are claimed.
     *
     * @param window 0 to {@link #WINDOWS} - 1
     */
    public long windowOffset(int window) {
        return offset + WINDOW_WORDS + (long) window * Long.BYTES;
    }

    /**
     * Where an eager slot is claimed.
     *
     * @param slot 0 to {@link #eagerSlots()} - 1
     */
    public long eagerStateOffset(int slot) {
        return offset + EAGER_STATES + (long) slot * EAGER_STATE_STRIDE;
    }

    /**
     * Where the bytes of an eager slot lie.
     *
     * @param slot 0 to {@link #eagerSlots()} - 1
     */
    public long eagerSlotOffset(int slot) {
        return offset + eagerSlotsFrom(laneSlots, eagerSlots) + (long) slot * eagerSlotBytes;
    }

    /** How many data slots there are: {@link #DATA_SLOTS}, or 0. */
    public int dataSlots() {
        return dataSlots(eagerSlots, eagerSlotBytes);
    }

    /**
     * Where the bytes of a data slot lie; it is as long as an eager slot.
     *
     * @param slot 0 to {@link #dataSlots()} - 1
     */
    public long dataSlotOffset(int slot) {
        return eagerSlotOffset(eagerSlots) + (long) slot * eagerSlotBytes;
    }

    /** Where the lane begins in which the peer writes and the engine reads. */
    public long towardEngineOffset() {
        return offset + lanes(eagerSlots);
    }

    /** Where the lane begins in which the engine writes and the peer reads. */
    public long towardPeerOffset() {
        return towardEngineOffset() + (long) laneSlots * SLOT_BYTES;
    }

    /** Bytes from the start of this area to the start of the next. */
    public long bytes() {
        return bytes(laneSlots, eagerSlots, eagerSlotBytes);
    }

    /**
     * Makes the area ready for a new session. It stores zeros, and then sets the armed word, so
     * that the first message rings. The eager and data slots stay as they are. So does the relayed
     * word, which a reader of a late message needs. But it must not cover the new session, whatever
     * a former client wrote there. Only the host of the engine may call this, and only while no
     * process can write here.
     */
    public void reset(SharedMemory memory, int generation) {
        long behind = offset + RELAYED + Long.BYTES;
        int relayed = Math.min(memory.getIntPlain(offset + RELAYED), generation - 1);
        memory.setIntPlain(offset + RELAYED, relayed);
        memory.zero(offset, RELAYED);
        memory.setIntPlain(behind - Integer.BYTES, 0);
        memory.zero(behind, eagerSlotOffset(0) - behind);
        memory.setIntRelease(armedOffset(), 1);
    }

    private static long lanes(int eagerSlots) {
        return roundUp(EAGER_STATES + (long) eagerSlots * EAGER_STATE_STRIDE, 128);
    }

    private static long roundUp(long value, long unit) {
        return (value + unit - 1) / unit * unit;
    }
}
