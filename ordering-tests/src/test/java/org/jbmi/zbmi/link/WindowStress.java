package org.jbmi.zbmi.link;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.link.WeakMemory.Lack;
import org.jbmi.zbmi.protocol.GrantWindow;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Either the client claims a grant or the engine takes it back. */
public final class WindowStress {
    private WindowStress() {}

    private static final int BYTES = 64;

    /** As it is. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "claimed")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "taken back")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both, or neither")
    @State
    public static class Sound {
        private final SharedMemory memory = WeakMemory.sound(BYTES);
        private final long open = GrantWindow.open(1, 0);

        /** A window with one grant. */
        public Sound() {
            memory.setLongRelease(0, open);
        }

        @Actor
        public void claim(ZZ_Result r) {
            r.r1 = memory.compareAndSetLong(0, open, GrantWindow.claimed(open));
        }

        @Actor
        public void close(ZZ_Result r) {
            r.r2 = memory.compareAndSetLong(0, open, GrantWindow.closed(open));
        }
    }

    /** What must fail: without an atomic swap. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "claimed")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "taken back")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both, or neither")
    @State
    public static class Weak {
        private final SharedMemory memory =
                WeakMemory.lacking(Lack.ATOMICITY, WeakMemory.sound(BYTES));
        private final long open = GrantWindow.open(1, 0);

        /** A window with one grant. */
        public Weak() {
            memory.setLongRelease(0, open);
        }

        @Actor
        public void claim(ZZ_Result r) {
            r.r1 = memory.compareAndSetLong(0, open, GrantWindow.claimed(open));
        }

        @Actor
        public void close(ZZ_Result r) {
            r.r2 = memory.compareAndSetLong(0, open, GrantWindow.closed(open));
        }
    }
}
