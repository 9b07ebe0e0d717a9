package org.jbmi.zbmi.engine;

import org.jbmi.zbmi.protocol.ClientRequests;
import org.jbmi.zbmi.protocol.Message;

/** The slots that a simulated client lends, also while a real client would not. */
final class SimLoans {
    private final SimWorld world;
    private final int client;
    private final boolean[] isSlotTaken;
    private final SimOp[] messages;
    private long lent;
    private long turns;

    /** None so far; slots that others take are marked as well. */
    SimLoans(SimWorld world, int client, boolean[] isSlotTaken) {
        this.world = world;
        this.client = client;
        this.isSlotTaken = isSlotTaken;
        this.messages = new SimOp[isSlotTaken.length];
    }

    void reset() {
        lent = 0;
        turns = 0;
    }

    /** A free slot; -1 if there is none. */
    int takeSlot() {
        long returned = world.segment.returned.getOrDefault(client, 0L);
        long back = lent & ~(returned ^ turns);
        lent &= ~back;
        int free = -1;
        for (int slot = 0; slot < isSlotTaken.length; slot++) {
            isSlotTaken[slot] &= (back & 1L << slot) == 0;
            free = isSlotTaken[slot] ? free : slot;
        }
        return free;
    }

    void lend(int slot, SimOp op) {
        isSlotTaken[slot] = true;
        op.eagerSlot = slot;
        messages[slot] = op;
        lent |= 1L << slot;
        turns ^= 1L << slot;
    }

    /** The engine is about to read that a slot is lent. */
    void reach(Message m) {
        int slot = ClientRequests.lentSlot(m);
        long offset = SimWorld.PLACES.offset(client, slot);
        SimOp op = messages[slot];
        world.segment.use(offset, op.bytes);
        world.segment.write(offset, op.uid);
        SimLedger.Block block = new SimLedger.Block(op, false);
        block.isEarly = !world.engine.isServerAttached();
        world.ledger.blocks.put(offset, block);
    }

    /** The client has gone, and the engine has dropped what it could not hand over. */
    void dropKept() {
        world.ledger.drop(
                world.segment,
                (offset, block) ->
                        block.message.client == client && !block.isLent && isSlot(offset));
    }

    private static boolean isSlot(long offset) {
        return offset >= SimWorld.PLACES.firstOffset() && offset < SimWorld.EXPECTED;
    }
}
