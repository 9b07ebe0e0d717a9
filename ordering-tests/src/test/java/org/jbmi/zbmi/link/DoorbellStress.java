package org.jbmi.zbmi.link;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.WeakMemory.Lack;
import org.jbmi.zbmi.protocol.SegmentGeometry;
import org.jbmi.zbmi.protocol.SegmentMap;
import org.jbmi.zbmi.protocol.SessionArea;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Either the engine that goes cold sees the message or its peer rings. */
public final class DoorbellStress {
    private DoorbellStress() {}

    private static final SegmentMap MAP =
            new SegmentMap(new SegmentGeometry(1, 16, 16, 0, 0, 4096, 4096));
    private static final SessionArea AREA = MAP.session(1);
    private static final int BYTES = (int) MAP.controlBytes();

    /** As it is. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "nobody looks")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody looks")
    @State
    public static class Sound {
        private final SharedMemory memory = WeakMemory.sound(BYTES);
        private final Doorbell.Ringer ringer =
                new Doorbell.Ringer(memory, MAP, AREA, SleepWordStress.nobody());

        @Actor
        public void peer() {
            memory.setLongRelease(AREA.towardDaemonOffset(), 1);
            ringer.ring();
        }

        @Actor
        public void engine(II_Result r) {
            memory.setIntVolatile(AREA.armedOffset(), 1);
            memory.fullFence();
            r.r1 = (int) memory.getLongAcquire(AREA.towardDaemonOffset());
        }

        @Arbiter
        public void after(II_Result r) {
            r.r2 = memory.getLongAcquire(MAP.doorbellOffset(0)) == 0 ? 0 : 1;
        }
    }

    /** What must fail: without fences. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "nobody looks")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody looks")
    @State
    public static class Weak {
        private final SharedMemory memory =
                WeakMemory.lacking(Lack.FENCES, WeakMemory.sound(BYTES));
        private final Doorbell.Ringer ringer =
                new Doorbell.Ringer(memory, MAP, AREA, SleepWordStress.nobody());

        @Actor
        public void peer() {
            memory.setLongRelease(AREA.towardDaemonOffset(), 1);
            ringer.ring();
        }

        @Actor
        public void engine(II_Result r) {
            memory.setIntVolatile(AREA.armedOffset(), 1);
            memory.fullFence();
            r.r1 = (int) memory.getLongAcquire(AREA.towardDaemonOffset());
        }

        @Arbiter
        public void after(II_Result r) {
            r.r2 = memory.getLongAcquire(MAP.doorbellOffset(0)) == 0 ? 0 : 1;
        }
    }
}
