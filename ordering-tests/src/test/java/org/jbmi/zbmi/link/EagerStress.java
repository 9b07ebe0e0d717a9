package org.jbmi.zbmi.link;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.WeakMemory.Lack;
import org.jbmi.zbmi.protocol.EagerState;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Either the client takes eager bytes back or the engine takes them. */
public final class EagerStress {
    private EagerStress() {}

    private static final int BYTES = 64;

    /** As it is. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "taken")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "withdrawn")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both, or neither")
    @State
    public static class Sound {
        private final SharedMemory memory = WeakMemory.sound(BYTES);

        /** One announced message. */
        public Sound() {
            memory.setLongRelease(0, EagerState.announced(5));
        }

        @Actor
        public void take(ZZ_Result r) {
            r.r1 = memory.compareAndSetLong(0, EagerState.announced(5), EagerState.taken(5));
        }

        @Actor
        public void withdraw(ZZ_Result r) {
            r.r2 = memory.compareAndSetLong(0, EagerState.announced(5), EagerState.withdrawn(5));
        }
    }

    /** What must fail: without an atomic swap. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "taken")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "withdrawn")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both, or neither")
    @State
    public static class Weak {
        private final SharedMemory memory =
                WeakMemory.lacking(Lack.ATOMICITY, WeakMemory.sound(BYTES));

        /** One announced message. */
        public Weak() {
            memory.setLongRelease(0, EagerState.announced(5));
        }

        @Actor
        public void take(ZZ_Result r) {
            r.r1 = memory.compareAndSetLong(0, EagerState.announced(5), EagerState.taken(5));
        }

        @Actor
        public void withdraw(ZZ_Result r) {
            r.r2 = memory.compareAndSetLong(0, EagerState.announced(5), EagerState.withdrawn(5));
        }
    }
}
