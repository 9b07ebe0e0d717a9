package org.jbmi.zbmi.link;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.mempool.Waiting;
import org.jbmi.zbmi.link.WeakMemory.Lack;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Either the sleeper sees the message or the waker sees the sleeper. */
public final class SleepWordStress {
    private SleepWordStress() {}

    static Waiting nobody() {
        return NOBODY;
    }

    private static final long WORD = 0;
    private static final long MESSAGE = 128;
    private static final int BYTES = 256;
    private static final Waiting NOBODY =
            new Waiting() {
                @Override
                public boolean await(SharedMemory in, long at, int expected, long timeoutNs) {
                    return true;
                }

                @Override
                public void wakeAll(SharedMemory in, long at) {
                    // Nobody sleeps in earnest.
                }
            };

    /** As it is. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "asleep over a message")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody noticed")
    @State
    public static class Sound {
        private final SharedMemory memory = WeakMemory.sound(BYTES);
        private final PeerSleep sleep = new PeerSleep(memory, WORD, NOBODY);

        @Actor
        public void sleeper(II_Result r) {
            sleep.enter(PeerSleep.IN_SELECTOR);
            r.r1 = (int) memory.getLongAcquire(MESSAGE);
        }

        @Actor
        public void waker(II_Result r) {
            memory.setLongRelease(MESSAGE, 1);
            r.r2 = PeerSleep.signal(memory, WORD, NOBODY) ? 1 : 0;
        }
    }

    /** What must fail: without fences. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "asleep over a message")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody noticed")
    @State
    public static class Weak {
        private final SharedMemory memory =
                WeakMemory.lacking(Lack.FENCES, WeakMemory.sound(BYTES));
        private final PeerSleep sleep = new PeerSleep(memory, WORD, NOBODY);

        @Actor
        public void sleeper(II_Result r) {
            sleep.enter(PeerSleep.IN_SELECTOR);
            r.r1 = (int) memory.getLongAcquire(MESSAGE);
        }

        @Actor
        public void waker(II_Result r) {
            memory.setLongRelease(MESSAGE, 1);
            r.r2 = PeerSleep.signal(memory, WORD, NOBODY) ? 1 : 0;
        }
    }
}
