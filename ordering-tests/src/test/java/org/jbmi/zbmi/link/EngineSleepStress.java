package org.jbmi.zbmi.link;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.host.port.Doorbell;
import org.jbmi.zbmi.link.WeakMemory.Lack;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Either the engine that goes to sleep sees the bit, or its peer wakes it. */
public final class EngineSleepStress {
    private EngineSleepStress() {}

    private static final int BYTES = Small.BYTES;

    private static final class Ends implements Waiting {
        private final Doorbell doorbell;
        private final DoorbellRinger ringer;
        private boolean isWoken;

        Ends(SharedMemory memory) {
            memory.setIntVolatile(Small.AREA.armedOffset(), 1);
            doorbell = new Doorbell(Small.view(memory, this));
            ringer = Small.ringer(memory, this);
        }

        void peer() {
            ringer.ring();
        }

        void engine(II_Result r) {
            r.r1 = doorbell.prepareSleep(DoorbellRinger.ON_WORD) == 0 ? 0 : 1;
        }

        void after(II_Result r) {
            r.r2 = isWoken ? 1 : 0;
        }

        @Override
        public boolean await(SharedMemory in, long at, int expected, long timeoutNs) {
            return true;
        }

        @Override
        public void wakeAll(SharedMemory in, long at) {
            isWoken = true;
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "asleep, and nobody wakes it")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "awake, or woken")
    @State
    public static class Sound {
        private final Ends ends = new Ends(WeakMemory.sound(BYTES));

        @Actor
        public void peer() {
            ends.peer();
        }

        @Actor
        public void engine(II_Result r) {
            ends.engine(r);
        }

        @Arbiter
        public void after(II_Result r) {
            ends.after(r);
        }
    }

    /** What must fail: without fences. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "asleep, and nobody wakes it")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "awake, or woken")
    @State
    public static class Weak {
        private final Ends ends =
                new Ends(WeakMemory.lacking(Lack.FENCES, WeakMemory.sound(BYTES)));

        @Actor
        public void peer() {
            ends.peer();
        }

        @Actor
        public void engine(II_Result r) {
            ends.engine(r);
        }

        @Arbiter
        public void after(II_Result r) {
            ends.after(r);
        }
    }
}
