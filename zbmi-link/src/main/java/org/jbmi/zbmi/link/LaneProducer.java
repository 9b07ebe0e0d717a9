package org.jbmi.zbmi.link;

import static org.jbmi.zbmi.protocol.SessionArea.SLOT_BYTES;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionArea;

/*
 * A lane is a ring of slots in the segment with one producer and one consumer, in different
 * processes.
 *
 *   slot   0        8        16                                   128
 *          +--------+--------+------------------------------------+
 *          | stamp  | header | up to 14 words                     |
 *          +--------+--------+------------------------------------+
 *   stamp  63..32 generation of the session, 31..0 sequence + 1
 *
 * The producer fills header and words with plain stores and then stores the stamp with release.
 * The consumer loads the stamp with acquire, and reads header and words only if it is the
 * expected one. So one word shows that there is a message, its place in the order, and its
 * session: a stamp of an earlier session never fits.
 *
 * The consumer stores in a word of its own how far it has read, with release. It does so every
 * quarter of the ring and whenever the ring runs empty. The producer loads it with acquire, and
 * only when it finds the ring full. It reuses a slot only after that, so a consumer never sees a
 * slot change.
 *
 * Neither side trusts the other. An impossible stamp breaks the lane for the consumer. A count
 * that goes back, or passes its own, breaks it for the producer. Each shared word is read once.
 */

/** The writing end of a lane. Not thread-safe; allocates nothing. */
public final class LaneProducer implements MessageSink {
    static final int HEADER = Long.BYTES;
    static final int WORDS = 2 * Long.BYTES;
    static final int SECOND_LINE = 64;

    private final SharedMemory memory;
    private final long lane;
    private final long consumedOffset;
    private final int slots;
    private final long generation;
    private long sequence;
    private long consumed;

    /**
     * Opens the writing end of an unused lane.
     *
     * @param lane where it begins
     * @param slots how many it has, a power of two
     * @param consumedOffset of the consumer's count
     */
    public LaneProducer(
            SharedMemory memory, long lane, int slots, long consumedOffset, int generation) {
        this.memory = memory;
        this.lane = lane;
        this.slots = slots;
        this.consumedOffset = consumedOffset;
        this.generation = stampBase(generation);
    }

    /**
     * Where the peer of a session writes.
     *
     * @return an end that was not used before
     */
    public static LaneProducer ofPeer(SharedMemory memory, SessionArea area, int generation) {
        return new LaneProducer(
                memory,
                area.towardEngineOffset(),
                area.laneSlots(),
                area.consumedByEngineOffset(),
                generation);
    }

    /**
     * Where the engine writes.
     *
     * @return an end that was not used before
     */
    public static LaneProducer ofEngine(SharedMemory memory, SessionArea area, int generation) {
        return new LaneProducer(
                memory,
                area.towardPeerOffset(),
                area.laneSlots(),
                area.consumedByPeerOffset(),
                generation);
    }

    static long stampBase(int generation) {
        return (long) generation << Integer.SIZE;
    }

    static long stamp(long base, long sequence) {
        return base | ((sequence + 1) & 0xffff_ffffL);
    }

    @Override
    public int offer(Message message) {
        if (sequence - consumed >= slots) {
            int room = room();
            if (room != SENT) {
                return room;
            }
        }
        long slot = lane + (sequence & (slots - 1)) * SLOT_BYTES;
        memory.setLongPlain(slot + HEADER, message.header());
        message.writeWords(0, memory, slot + WORDS);
        memory.setLongRelease(slot, stamp(generation, sequence));
        sequence++;
        return SENT;
    }

    // The consumer polls that slot, so its cache has the lines. A store there takes as long as a
    // message takes to the other processor. Both stores go into words that no one reads before the
    // stamp.
    @Override
    public void fetchNext() {
        if (sequence - consumed < slots) {
            long slot = lane + (sequence & (slots - 1)) * SLOT_BYTES;
            memory.setLongPlain(slot + HEADER, 0);
            memory.setLongPlain(slot + SECOND_LINE, 0);
        }
    }

    @Override
    public boolean hasRoom() {
        return sequence - consumed < slots || room() == SENT;
    }

    @Override
    public int room() {
        long now = memory.getLongAcquire(consumedOffset);
        if (now < consumed || now > sequence) {
            return BROKEN;
        }
        consumed = now;
        return sequence - now < slots ? SENT : FULL;
    }
}
