package org.jbmi.zbmi.link;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.host.port.SegmentPayload;
import org.jbmi.zbmi.protocol.ClientRequests;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** A client writes to a slot that it had lent only when the server has read all that was there. */
public final class LentSlotStress {
    private LentSlotStress() {}

    private static final int BYTES = Small.BYTES;
    private static final long OLD = 1;
    private static final long NEW = 2;

    private static final class Ends {
        private final SharedMemory memory;
        private final EagerSlots client;
        private final SegmentPayload engine;
        private final int slot;

        // The only slot that may be lent is.
        Ends(SharedMemory memory) {
            this.memory = memory;
            client = new EagerSlots(memory, Small.AREA);
            engine = new SegmentPayload(Small.view(memory, Small.NOBODY));
            slot = client.takeToLend();
            write(OLD);
            client.lend(slot);
            if (client.takeToLend() != ClientRequests.NOT_EAGER) {
                throw new IllegalStateException("more than half of the slots are lent");
            }
        }

        private void write(long value) {
            memory.setLongPlain(Small.AREA.eagerSlotOffset(slot), value);
        }

        void read(J_Result r) {
            r.r1 = memory.getLongPlain(Small.AREA.eagerSlotOffset(slot));
        }

        void giveBack() {
            engine.returned(1, 1L << slot);
        }

        void lendAgain() {
            if (client.takeToLend() == slot) {
                write(NEW);
            }
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "what was lent")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "what the client wrote later")
    @State
    public static class Sound {
        private final Ends ends = new Ends(WeakMemory.sound(BYTES));

        @Actor
        public void server(J_Result r) {
            ends.read(r);
            ends.giveBack();
        }

        @Actor
        public void client() {
            ends.lendAgain();
        }
    }

    /** What must fail: the slot is given back before it is read. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "what was lent")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "what the client wrote later")
    @State
    public static class Weak {
        private final Ends ends = new Ends(WeakMemory.sound(BYTES));

        @Actor
        public void server(J_Result r) {
            ends.giveBack();
            Thread.onSpinWait();
            ends.read(r);
        }

        @Actor
        public void client() {
            ends.lendAgain();
        }
    }
}
