package org.jbmi.zbmi.link;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.WeakMemory.Lack;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Either the peer that goes to sleep sees the message, or the engine sees that it sleeps. */
public final class SleepWordStress {
    private SleepWordStress() {}

    private static final long WORD = 0;
    private static final long MESSAGE = 128;
    private static final int BYTES = 256;

    private static final class Ends {
        private final SharedMemory memory;
        private final PeerSleep sleep;

        Ends(SharedMemory memory) {
            this.memory = memory;
            sleep = new PeerSleep(memory, WORD, Small.NOBODY);
        }

        void sleeper(II_Result r) {
            sleep.enter(PeerSleep.IN_SELECTOR);
            r.r1 = (int) memory.getLongAcquire(MESSAGE);
        }

        void waker(II_Result r) {
            memory.setLongRelease(MESSAGE, 1);
            r.r2 = PeerSleep.signal(memory, WORD, Small.NOBODY) ? 1 : 0;
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "asleep over a message")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody noticed")
    @State
    public static class Sound {
        private final Ends ends = new Ends(WeakMemory.sound(BYTES));

        @Actor
        public void sleeper(II_Result r) {
            ends.sleeper(r);
        }

        @Actor
        public void waker(II_Result r) {
            ends.waker(r);
        }
    }

    /** What must fail: without fences. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "asleep over a message")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody noticed")
    @State
    public static class Weak {
        private final Ends ends =
                new Ends(WeakMemory.lacking(Lack.FENCES, WeakMemory.sound(BYTES)));

        @Actor
        public void sleeper(II_Result r) {
            ends.sleeper(r);
        }

        @Actor
        public void waker(II_Result r) {
            ends.waker(r);
        }
    }
}
