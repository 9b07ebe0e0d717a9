package org.jbmi.zbmi.engine.state;

import org.jbmi.zbmi.engine.port.EagerPlaces;
import org.jbmi.zbmi.engine.port.EngineLimits;
import org.jbmi.zbmi.engine.port.EnginePayload;
import org.jspecify.annotations.Nullable;

/**
 * The eager slots that one client has lent: those whose messages are not yet free. Also the word in
 * the client's area that gives them back. A slot stays lent when its client goes, and no other
 * client gets the session before all are free.
 */
public final class LentSlots {
    private static final UnexpectedBlock[] NONE_YET = {};

    private final int client;
    private final int slots;
    private final EagerPlaces places;
    private UnexpectedBlock[] blocks = NONE_YET;
    private long lent;
    private long word;

    public LentSlots(int client, EngineLimits limits) {
        this.client = client;
        this.slots = limits.eagerBytes() == 0 ? 0 : limits.eagerSlots();
        this.places = limits.eagerPlaces();
    }

    /** Whether any is lent. */
    public boolean isAny() {
        return lent != 0;
    }

    /** What the segment holds. */
    public long word() {
        return word;
    }

    /** Whether a slot is lent. */
    public boolean isLent(int slot) {
        return (lent & 1L << slot) != 0;
    }

    /** The client is a new one, whose word is 0. Later events need no memory of the heap. */
    public void begin() {
        word = 0;
        if (blocks.length == 0) {
            UnexpectedBlock[] all = new UnexpectedBlock[slots];
            for (int i = 0; i < slots; i++) {
                all[i] = new UnexpectedBlock();
                all[i].slot = i;
                all[i].offset = places.offset(client, i);
            }
            blocks = all;
        }
    }

    /**
     * Takes a slot that its client lends.
     *
     * @param slot not trusted
     * @return the block that it is now; null if there is no such slot, or if it is lent already
     */
    public @Nullable UnexpectedBlock take(int slot, long bytes) {
        if (slot < 0 || slot >= slots || isLent(slot)) {
            return null;
        }
        lent |= 1L << slot;
        UnexpectedBlock block = blocks[slot];
        block.bytes = bytes;
        return block;
    }

    /** The block at an offset, which is not trusted; null if there is none. */
    public @Nullable UnexpectedBlock find(long offset) {
        long slot = places.slotAt(client, offset);
        return slot < 0 || slot >= blocks.length ? null : blocks[(int) slot];
    }

    /** Gives a slot back to its client. */
    public void release(UnexpectedBlock block, EnginePayload payload) {
        long bit = 1L << block.slot;
        if (!isLent(block.slot)) {
            throw new IllegalStateException("a slot was given back twice");
        }
        block.state = UnexpectedBlock.State.FREE;
        lent &= ~bit;
        word ^= bit;
        payload.returned(client, word);
    }
}
