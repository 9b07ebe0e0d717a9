package org.jbmi.zbmi.link;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.mempool.SharedMemory;
import org.jbmi.zbmi.host.port.SegmentPayload;
import org.jbmi.zbmi.link.WeakMemory.Lack;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Either the client takes eager bytes back, or the engine takes them. */
public final class EagerStress {
    private EagerStress() {}

    private static final int BYTES = Small.BYTES;

    private static final class Ends {
        private final EagerSlots client;
        private final SegmentPayload engine;
        private final int slot;
        private final long sequence;

        Ends(SharedMemory memory) {
            client = new EagerSlots(memory, Small.AREA);
            engine = new SegmentPayload(Small.view(memory, Small.NOBODY));
            slot = client.take();
            sequence = client.announce(slot);
        }

        void take(ZZ_Result r) {
            r.r1 = engine.takeEager(1, slot, sequence);
        }

        void withdraw(ZZ_Result r) {
            r.r2 = client.withdraw(slot, sequence);
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "taken")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "withdrawn")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both, or neither")
    @State
    public static class Sound {
        private final Ends ends = new Ends(WeakMemory.sound(BYTES));

        @Actor
        public void take(ZZ_Result r) {
            ends.take(r);
        }

        @Actor
        public void withdraw(ZZ_Result r) {
            ends.withdraw(r);
        }
    }

    /** What must fail: without an atomic swap. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "taken")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "withdrawn")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "both, or neither")
    @State
    public static class Weak {
        private final Ends ends =
                new Ends(WeakMemory.lacking(Lack.ATOMICITY, WeakMemory.sound(BYTES)));

        @Actor
        public void take(ZZ_Result r) {
            ends.take(r);
        }

        @Actor
        public void withdraw(ZZ_Result r) {
            ends.withdraw(r);
        }
    }
}
