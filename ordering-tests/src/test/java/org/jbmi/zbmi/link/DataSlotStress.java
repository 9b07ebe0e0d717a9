package org.jbmi.zbmi.link;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.host.port.SegmentPayload;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The engine writes to a data slot only when the client has read all that was there. */
public final class DataSlotStress {
    private DataSlotStress() {}

    private static final int BYTES = Small.BYTES;
    private static final long OLD = 1;
    private static final long NEW = 2;

    private static final class Ends {
        private final SharedMemory memory;
        private final SegmentPayload engine;
        private final MemorySegment target = Arena.ofAuto().allocate(Long.BYTES);

        Ends(SharedMemory memory) {
            this.memory = memory;
            engine = new SegmentPayload(Small.view(memory, Small.NOBODY));
            memory.setLongPlain(Small.AREA.dataSlotOffset(0), OLD);
            memory.setLongPlain(Small.AREA.eagerSlotOffset(0), NEW);
        }

        void read(J_Result r) {
            ShmClientLink.readDataSlot(memory, Small.AREA, 0, 0, target, Long.BYTES);
            r.r1 = target.get(ValueLayout.JAVA_LONG, 0);
        }

        void giveBack() {
            ShmClientLink.giveDataSlotsBack(memory, Small.AREA, 1);
        }

        void fillAgain() {
            if (engine.dataSlotsBack(1) == 1) {
                engine.fillDataSlot(1, 0, Small.AREA.eagerSlotOffset(0), Long.BYTES);
            }
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "what was sent")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "what the engine wrote later")
    @State
    public static class Sound {
        private final Ends ends = new Ends(WeakMemory.sound(BYTES));

        @Actor
        public void client(J_Result r) {
            ends.read(r);
            ends.giveBack();
        }

        @Actor
        public void engine() {
            ends.fillAgain();
        }
    }

    /** What must fail: the slot is given back before it is read. */
    @JCStressTest
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "what was sent")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "what the engine wrote later")
    @State
    public static class Weak {
        private final Ends ends = new Ends(WeakMemory.sound(BYTES));

        @Actor
        public void client(J_Result r) {
            ends.giveBack();
            Thread.onSpinWait();
            ends.read(r);
        }

        @Actor
        public void engine() {
            ends.fillAgain();
        }
    }
}
