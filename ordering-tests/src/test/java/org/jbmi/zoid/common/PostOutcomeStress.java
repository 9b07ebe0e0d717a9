package org.jbmi.zoid.common;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jbmi.observe.Counter;
import org.jbmi.observe.Counters;
import org.jbmi.spi.Operation;
import org.jbmi.spi.SlotTable;
import org.jbmi.spi.SpinLock;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * The engine's last word on an operation comes while its thread is between the two sections of its
 * post: either who dispatches reports it, or the posting thread finds that it is over. What a post
 * sees and that its thread has left are one section for that.
 *
 * <p>Table and guard are those of the library; the steps of the post are copied into this test.
 */
public final class PostOutcomeStress {
    private PostOutcomeStress() {}

    private static final Counter ERRORS = Counters.inMemory().register(1, "errors", "messages");

    private static final class OwnSlot extends Slot {
        private boolean isOver;

        OwnSlot(int index) {
            super(index, ERRORS);
        }

        @Override
        protected void reset() {
            super.reset();
            isOver = false;
        }
    }

    private static final class Half {
        private final SessionGuard guard = new SessionGuard(new SpinLock());
        private final SlotTable<OwnSlot> table = Slot.table(1, OwnSlot::new);
        private final OwnSlot slot;
        private final long reference;

        // The first section of the post; the message is sent after that.
        Half() {
            guard.enterLocked();
            slot = Slot.take(table, new Operation() {});
            reference = slot.reference();
            guard.unlock();
        }

        /** Whether the posting thread reports it. */
        boolean settle() {
            guard.lock();
            boolean isOver = slot.isOver;
            slot.inPost = false;
            guard.exitLocked();
            return isOver;
        }

        /** The same, but it looks first and leaves then. */
        boolean settleInTwoSteps() {
            guard.lock();
            boolean isOver = slot.isOver;
            guard.unlock();
            guard.lock();
            slot.inPost = false;
            guard.exitLocked();
            return isOver;
        }

        /** Whether who dispatches reports it. */
        boolean news() {
            guard.lock();
            OwnSlot found = table.find(reference);
            boolean isReported = false;
            if (found != null && !found.isOver) {
                found.isOver = true;
                isReported = !found.inPost;
            }
            guard.unlock();
            return isReported;
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "by the post")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "by who dispatches")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "by nobody, or twice")
    @State
    public static class Sound {
        private final Half half = new Half();

        @Actor
        public void post(ZZ_Result r) {
            r.r1 = half.settle();
        }

        @Actor
        public void dispatch(ZZ_Result r) {
            r.r2 = half.news();
        }
    }

    /** What must fail: a post that looks in one section and leaves in another. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "by the post")
    @Outcome(id = "false, true", expect = ACCEPTABLE, desc = "by who dispatches")
    @Outcome(id = ".*", expect = FORBIDDEN, desc = "by nobody, or twice")
    @State
    public static class Weak {
        private final Half half = new Half();

        @Actor
        public void post(ZZ_Result r) {
            r.r1 = half.settleInTwoSteps();
        }

        @Actor
        public void dispatch(ZZ_Result r) {
            r.r2 = half.news();
        }
    }
}
