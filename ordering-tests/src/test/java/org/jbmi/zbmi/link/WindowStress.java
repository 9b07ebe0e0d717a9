package org.jbmi.zbmi.link;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.host.port.SegmentPayload;
import org.jbmi.zbmi.link.WeakMemory.Lack;
import org.jbmi.zbmi.protocol.GrantWindow;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Either the client claims a grant, or the engine takes it back. */
public final class WindowStress {
    private WindowStress() {}

    private static final int BYTES = Small.BYTES;

    private static final class Ends {
        private final SharedMemory memory;
        private final SegmentPayload engine;
        private final long open = GrantWindow.open(1, 0);

        Ends(SharedMemory memory) {
            this.memory = memory;
            engine = new SegmentPayload(Small.view(memory, Small.NOBODY));
            engine.openWindow(1, 0, open);
        }

        void claim(ZZ_Result r) {
            r.r1 = ShmClientLink.claim(memory, Small.AREA, 0, open);
        }

        void close(ZZ_Result r) {
            r.r2 = engine.swapWindow(1, 0, open, GrantWindow.closed(open));
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "claimed")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "taken back")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both, or neither")
    @State
    public static class Sound {
        private final Ends ends = new Ends(WeakMemory.sound(BYTES));

        @Actor
        public void claim(ZZ_Result r) {
            ends.claim(r);
        }

        @Actor
        public void close(ZZ_Result r) {
            ends.close(r);
        }
    }

    /** What must fail: without an atomic swap. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "claimed")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "taken back")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both, or neither")
    @State
    public static class Weak {
        private final Ends ends =
                new Ends(WeakMemory.lacking(Lack.ATOMICITY, WeakMemory.sound(BYTES)));

        @Actor
        public void claim(ZZ_Result r) {
            ends.claim(r);
        }

        @Actor
        public void close(ZZ_Result r) {
            ends.close(r);
        }
    }
}
