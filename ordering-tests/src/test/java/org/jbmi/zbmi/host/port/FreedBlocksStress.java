package org.jbmi.zbmi.host.port;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * A program frees two blocks while the engine closes and empties the list of freed blocks, as it
 * does before it rests. The engine gets each added block once: now, or in its next round.
 */
public final class FreedBlocksStress {
    private FreedBlocksStress() {}

    private static final int FIRST = 1;
    private static final int SECOND = 2;

    /** As it is. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "closed before both")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "closed between them")
    @Outcome(id = "2, 3", expect = ACCEPTABLE, desc = "both were added, and taken")
    @Outcome(expect = FORBIDDEN, desc = "a block was lost, or taken before it was there")
    @State
    public static class Sound {
        private final FreedBlocks freed = new FreedBlocks();
        private long taken;

        /** It is open, as between rounds that follow each other quickly. */
        public Sound() {
            freed.open();
        }

        @Actor
        public void program(II_Result r) {
            r.r1 += freed.add(FIRST) ? 1 : 0;
            r.r1 += freed.add(SECOND) ? 1 : 0;
        }

        @Actor
        public void engine() {
            freed.close();
            takeAll();
        }

        @Arbiter
        public void nextRound(II_Result r) {
            takeAll();
            r.r2 = (int) taken;
        }

        private void takeAll() {
            while (freed.hasAny()) {
                taken += freed.take();
            }
        }
    }

    /** What must fail: the count is published before the block. */
    @JCStressTest
    @Outcome(id = "2, 3", expect = ACCEPTABLE, desc = "both were added, and taken")
    @Outcome(expect = FORBIDDEN, desc = "a block was taken before it was there")
    @State
    public static class Weak {
        private final AtomicIntegerArray blocks = new AtomicIntegerArray(2);
        private final AtomicInteger added = new AtomicInteger();
        private int taken;
        private int sum;

        @Actor
        public void program(II_Result r) {
            add(FIRST);
            add(SECOND);
            r.r1 = 2;
        }

        private void add(int block) {
            int at = added.getPlain();
            added.setRelease(at + 1);
            blocks.setRelease(at, block);
        }

        @Actor
        public void engine() {
            takeAll();
        }

        @Arbiter
        public void nextRound(II_Result r) {
            takeAll();
            r.r2 = sum;
        }

        private void takeAll() {
            while (added.getAcquire() != taken) {
                sum += blocks.getAcquire(taken++);
            }
        }
    }
}
