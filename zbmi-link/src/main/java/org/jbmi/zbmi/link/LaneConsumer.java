package org.jbmi.zbmi.link;

import static org.jbmi.zbmi.protocol.SessionArea.SLOT_BYTES;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.protocol.Message;
import org.jbmi.zbmi.protocol.SessionArea;

/** The reading end of a lane; see {@link LaneProducer}. Not thread-safe; allocates nothing. */
public final class LaneConsumer implements MessageSource {
    /** So many slots are fetched at a time while messages wait. */
    private static final int BURST = 4;

    /** So many messages without a pause show that more wait. */
    private static final int BURST_AFTER = 2 * BURST;

    private final SharedMemory memory;
    private final long lane;
    private final int slots;
    private final long consumedOffset;
    private final long creditWantedOffset;
    private final long generation;
    private final int quarterMask;
    private long sequence;
    private long published;
    private boolean isCreditDue;

    /** Messages since the lane was last found empty. */
    private int unpaused;

    @SuppressWarnings("unused") // written so that the loads are not left out
    private long ahead;

    /**
     * Opens the reading end of an unused lane.
     *
     * @param lane where it begins
     * @param slots how many it has, a power of two, 4 or more
     * @param consumedOffset of the count to keep
     * @param creditWantedOffset of the word that a producer without room sets
     */
    public LaneConsumer(
            SharedMemory memory,
            long lane,
            int slots,
            long consumedOffset,
            long creditWantedOffset,
            int generation) {
        this.memory = memory;
        this.lane = lane;
        this.slots = slots;
        this.consumedOffset = consumedOffset;
        this.creditWantedOffset = creditWantedOffset;
        this.generation = LaneProducer.stampBase(generation);
        this.quarterMask = slots / 4 - 1;
    }

    /**
     * Where the peer of a session reads.
     *
     * @return an end that was not used before
     */
    public static LaneConsumer ofPeer(SharedMemory memory, SessionArea area, int generation) {
        return new LaneConsumer(
                memory,
                area.towardPeerOffset(),
                area.laneSlots(),
                area.consumedByPeerOffset(),
                area.engineWantsCreditOffset(),
                generation);
    }

    /**
     * Where the engine reads.
     *
     * @return an end that was not used before
     */
    public static LaneConsumer ofEngine(SharedMemory memory, SessionArea area, int generation) {
        return new LaneConsumer(
                memory,
                area.towardEngineOffset(),
                area.laneSlots(),
                area.consumedByEngineOffset(),
                area.peerWantsCreditOffset(),
                generation);
    }

    @Override
    public int poll(Message into) {
        long slot = lane + (sequence & (slots - 1)) * SLOT_BYTES;
        // A message has two cache lines. Both are fetched at a time: otherwise the second would be
        // fetched after the first has come. The value loaded here is not used.
        ahead = memory.getLongPlain(slot + LaneProducer.SECOND_LINE);
        long stamp = memory.getLongAcquire(slot);
        if (stamp != LaneProducer.stamp(generation, sequence)) {
            return nothing(stamp);
        }
        if (into.load(memory.getLongPlain(slot + LaneProducer.HEADER)) < 0) {
            return BROKEN;
        }
        into.readWords(memory, slot + LaneProducer.WORDS);
        if ((++sequence & quarterMask) == 0) {
            publishQuarter();
        }
        if (++unpaused >= BURST_AFTER && (sequence & (BURST - 1)) == 0) {
            fetchBurst();
        }
        return RECEIVED;
    }

    // Between two messages there are locks, so the processor does not fetch the next one by itself.
    // Several slots take no longer than one. It has a price: if the producer has not written
    // these slots yet, its processor must get their cache lines back before it writes.
    private void fetchBurst() {
        long sum = 0;
        for (int i = 0; i < BURST; i++) {
            long slot = lane + ((sequence + i) & (slots - 1)) * SLOT_BYTES;
            sum += memory.getLongPlain(slot);
            sum += memory.getLongPlain(slot + LaneProducer.SECOND_LINE);
        }
        ahead = sum;
    }

    @Override
    public boolean hasMessage() {
        long stamp = memory.getLongAcquire(lane + (sequence & (slots - 1)) * SLOT_BYTES);
        return stamp == LaneProducer.stamp(generation, sequence) || !isLeftover(stamp);
    }

    private int nothing(long stamp) {
        if (!isLeftover(stamp)) {
            return BROKEN;
        }
        unpaused = 0;
        if (published != sequence) {
            publish();
        }
        return EMPTY;
    }

    // Values that a slot may hold before the next message: none, the message of the round before,
    // or one of an earlier session.
    private boolean isLeftover(long stamp) {
        if (stamp == 0 || (stamp ^ generation) >>> Integer.SIZE != 0) {
            return true;
        }
        return sequence >= slots && stamp == LaneProducer.stamp(generation, sequence - slots);
    }

    private void publish() {
        published = sequence;
        memory.setLongRelease(consumedOffset, sequence);
    }

    // A producer sets its word, fences, and reads the count again before it sleeps. If it still
    // finds the ring full, three quarters of it are unread, so the end of a further quarter will
    // come.
    private void publishQuarter() {
        publish();
        memory.fullFence();
        if (memory.getIntPlain(creditWantedOffset) != 0) {
            memory.setIntPlain(creditWantedOffset, 0);
            isCreditDue = true;
        }
    }

    @Override
    public boolean takeCreditDue() {
        boolean due = isCreditDue;
        isCreditDue = false;
        return due;
    }
}
