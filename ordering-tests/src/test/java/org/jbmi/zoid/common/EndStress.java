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
 * A session ends while an operation is posted in it: either who ends it finds the operation in the
 * table, or who posts sees the code of the end, which is stored without the lock. The slot may be
 * the first of its table, which is walked without the lock as well.
 *
 * <p>Table and guard are those of the library; the steps of post and end are copied into this test.
 */
public final class EndStress {
    private EndStress() {}

    private static final Counter ERRORS = Counters.inMemory().register(1, "errors", "messages");

    private static final class OwnSlot extends Slot {
        OwnSlot(int index) {
            super(index, ERRORS);
        }
    }

    private static final class Half {
        private final SessionGuard guard = new SessionGuard(new SpinLock());
        private final SlotTable<OwnSlot> table = Slot.table(1, OwnSlot::new);
        private final Operation operation = new Operation() {};
        private volatile int endCode;

        /** Whether the posting thread sees the end. */
        boolean post() {
            guard.enterLocked();
            OwnSlot slot = Slot.take(table, operation);
            guard.unlock();
            guard.lock();
            boolean isEnded = endCode != 0;
            slot.inPost = false;
            guard.exitLocked();
            return isEnded;
        }

        /** Whether who ends the session ends the operation. */
        boolean end() {
            endCode = 1;
            return look();
        }

        boolean endTooLate() {
            boolean isFound = look();
            endCode = 1;
            return isFound;
        }

        private boolean look() {
            boolean[] isFound = new boolean[1];
            table.forEach(
                    slot -> {
                        guard.lock();
                        isFound[0] |= slot.operationOrNull() != null && !slot.inPost;
                        guard.unlock();
                    });
            return isFound[0];
        }
    }

    /** As it is. */
    @JCStressTest
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "an operation that nobody ends")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody noticed")
    @State
    public static class Sound {
        private final Half half = new Half();

        @Actor
        public void post(ZZ_Result r) {
            r.r1 = half.post();
        }

        @Actor
        public void end(ZZ_Result r) {
            r.r2 = half.end();
        }
    }

    /** What must fail: who ends the session looks first and says so then. */
    @JCStressTest
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "an operation that nobody ends")
    @Outcome(id = ".*", expect = ACCEPTABLE, desc = "somebody noticed")
    @State
    public static class Weak {
        private final Half half = new Half();

        @Actor
        public void post(ZZ_Result r) {
            r.r1 = half.post();
        }

        @Actor
        public void end(ZZ_Result r) {
            r.r2 = half.endTooLate();
        }
    }
}
